package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.Golden;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a client obeys the rules of a requester about credits, receives and memory. Method: see
 * {@link ManualServer}.
 */
class RequesterOverIwarpTest extends ManualServer {
    /**
     * Goal: one call before the first reply, and then as many as the last reply grants. Method: a
     * call without a credit ends at its timeout. If it had been sent, it would arrive before the
     * next one.
     */
    @Test
    @Tag("8166-3.3.1-2")
    @Tag("8166-3.3.3-1")
    @Tag("5666-3.3-4")
    @Tag("5666-6.1-1")
    @Tag("5666-6.1-2")
    void sendsNoMoreCallsThanTheServerGrants() throws Exception {
        connect();
        var first = call(EchoProgram.nullCall());
        int firstXid = server.receive().header().xid();
        waitsInVain();
        // A client keeps one credit of several for probes.
        answer(firstXid, 3);
        first.get();
        var second = call(EchoProgram.nullCall().withXid(0x2222));
        assertEquals(0x2222, server.receive().header().xid());
        var third = call(EchoProgram.nullCall().withXid(0x3333));
        assertEquals(0x3333, server.receive().header().xid());
        waitsInVain();
        answer(0x2222, 1);
        second.get();
        waitsInVain();
        answer(0x3333, 1);
        third.get();
        var fourth = call(EchoProgram.nullCall().withXid(0x4444));
        assertEquals(0x4444, server.receive().header().xid());
        answer(0x4444, 1);
        fourth.get();
    }

    /**
     * Goal: a reply is never without a receive. Method: all replies at once, as often as granted.
     */
    @Test
    @Tag("8166-3.3.1-8")
    @Tag("5666-6-1")
    void hasAReceiveForEveryReply() throws Exception {
        connect();
        int credits = 8;
        var first = call(EchoProgram.nullCall());
        answer(server.receive().header().xid(), credits);
        first.get();
        for (int round = 0; round < 5; round++) {
            var calls = new ArrayList<Future<byte[]>>();
            var xids = new ArrayList<Integer>();
            for (int i = 0; i < credits - 1; i++) {
                calls.add(call(EchoProgram.nullCall()));
                xids.add(server.receive().header().xid());
            }
            xids.forEach(xid -> answer(xid, credits));
            for (var each : calls) {
                each.get();
            }
        }
    }

    /** Goal: a client sends calls only. Method: every example, and a call after each. */
    @Test
    @Tag("8166-4.2.4-2")
    @Tag("8166-4.6.1-1")
    @Tag("8166-4.6.2-1")
    @Tag("8166-4.5-7")
    @Tag("8167-4.1-3")
    @Tag("8167-4.1-4")
    void answersNoMessageThatItReceives() throws Exception {
        connect();
        int xid = 1;
        for (var example : Golden.messages()) {
            server.send(Golden.bytes(example));
            var calling = call(EchoProgram.nullCall().withXid(xid));
            var heard = server.receive();
            assertEquals(
                    new Version1Header.Msg(xid, RpcRdmaOptions.DEFAULT.credits(), ChunkLists.EMPTY),
                    heard.header(),
                    example);
            assertEquals(xid, ByteBuffer.wrap(heard.bytes()).getInt(EMPTY_HEADER));
            // The examples ask for more credits, or grant them to calls that there are not.
            waitsInVain();
            answer(xid++, 1);
            calling.get();
        }
        assertEquals(Golden.messages().size(), client.statistics().value(Counter.DISCARDED));
    }

    /**
     * Goal: memory is closed to the server before its caller goes on. Method: the server writes
     * once more to the memory of an answered call.
     */
    @Test
    @Tag("8166-4.4.1-1")
    @Tag("8166-4.4.1-2")
    void closesTheMemoryOfACallBeforeItEnds() throws Exception {
        connect();
        int length = 2000;
        var target = Arena.ofAuto().allocate(length);
        var fetching = fetch(length, target);
        var heard = server.receive();
        var right = chunks(heard).writeList();
        var segment = right.getFirst().segments().getFirst();
        byte[] data = EchoProgram.pattern(length, SEED);
        server.write(data, segment);
        answer(heard.header().xid(), 8, written(right), lengths(length));
        assertArrayEquals(data, fetching.get());
        server.write(new byte[length], segment);
        var failure =
                assertThrows(RpcException.class, () -> client.call(EchoProgram.nullCall(), LONG));
        assertFalse(failure instanceof RpcException.TimedOut, "the connection has ended");
        assertArrayEquals(data, target.toArray(ValueLayout.JAVA_BYTE));
    }

    /**
     * Goal: only the returned lengths say where results are. Method: the server writes to all of
     * the memory, and returns less of it, or nothing.
     *
     * @param length the length of the data
     */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 1200})
    @Tag("5666-3.4-14")
    @Tag("8166-4.3.2.2-4")
    void readsNoMemoryThatTheServerDoesNotReturn(int length) throws Exception {
        connect();
        var fetching = fetch(2000, Arena.ofAuto().allocate(2000));
        var heard = server.receive();
        var segment = chunks(heard).writeList().getFirst().segments().getFirst();
        server.write(EchoProgram.pattern(2000, SEED), segment);
        var returned = written(List.of(of(segment.withLength(length))));
        answer(heard.header().xid(), 8, returned, lengths(length));
        assertArrayEquals(Arrays.copyOf(EchoProgram.pattern(2000, SEED), length), fetching.get());
    }
}
