package io.github.rpcrdma4j.gateway;

import static io.github.rpcrdma4j.rpcrdma.raw.HeaderWords.readList;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.rpcrdma.raw.Words;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: callbacks of version 4.1 reach RDMA clients as RFC 8267, Section 6.5.2, says. Method: every
 * word of them, at a client that the test operates.
 */
class CallsBackTest {
    private static final int XID = 0x0c0c0c01;
    private static final int CALLBACK_PROGRAM = 0x40000000;

    private WireToTcp wire;

    @BeforeEach
    void connect() throws Exception {
        wire = new WireToTcp();
        wire.requireAlive();
    }

    @AfterEach
    void close() throws Exception {
        wire.close();
    }

    /** Returns a CB_COMPOUND with a tag. */
    private static Words call(int tag) {
        return Words.of(XID, 0, 2, CALLBACK_PROGRAM, 1, 1, 0, 0, 0, 0)
                .opaque(new byte[tag])
                .word(1, 0, 0);
    }

    @Test
    @Tag("8267-6.5.2-1")
    @Tag("8267-6.5.2-3")
    void aCallOfTheServerIsAShortMessageOnTheConnectionOfTheClient() throws Exception {
        wire.server().send(call(2000));
        var seen = wire.client().receive();
        assertEquals(XID, seen.at(0));
        assertEquals(1, seen.at(1), "the version");
        assertEquals(0, seen.at(3), "RDMA_MSG");
        readList().and(call(2000)).requireSame(seen.from(4));
        var answer = Words.of(XID, 1, 0, 0, 0, 0, 0).opaque(new byte[2000]).word(0);
        wire.client().send(Words.of(XID, 1, 4, 0).and(readList()).and(answer));
        answer.requireSame(wire.server().receive());
        wire.requireAlive();
    }

    @Test
    @Tag("8267-6.5.2-3")
    void aCallOfTheServerThatNeedsALongMessageIsRefused() throws Exception {
        wire.server().send(call(6000));
        int systemErr = 5;
        Words.of(XID, 1, 0, 0, 0, systemErr).requireSame(wire.server().receive());
        wire.requireAlive();
    }
}
