package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.rpcrdma.profile.WireProfile;
import io.github.rpcrdma4j.rpcrdma.responder.Responder;
import io.github.rpcrdma4j.rpcrdma.wire.Received;
import java.lang.foreign.MemorySegment;

/** {@link HostileMessages} with the profile of RFC 8166. */
class HostileMessagesTest extends HostileMessages {
    HostileMessagesTest() {
        super(EchoProgram.BINDING, WireProfile.RFC_8166, 0);
    }

    @Override
    public Object judged(MemorySegment message) {
        return Received.byResponder(message);
    }

    @Override
    public int other(Object judged, int heard) {
        throw new AssertionError("what is that: " + judged);
    }

    @Override
    public int kinds() {
        return 4;
    }

    @Override
    public byte[] next(HostileEnd end, int xid) {
        return end.source.next(xid);
    }

    @Override
    public void checkNothingIsKept(HostileEnd end, Responder served) {
        assertEquals(0, served.liveCalls());
        assertEquals(
                CREDITS + served.keptLeases(),
                end.pool.leased(),
                "posted receives, and finished calls");
        assertEquals(0, end.queuePair.boundWindows());
    }

    @Override
    public boolean grantsAlike() {
        return true;
    }
}
