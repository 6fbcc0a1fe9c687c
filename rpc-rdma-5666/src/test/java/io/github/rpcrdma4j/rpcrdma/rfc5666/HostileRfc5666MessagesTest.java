package io.github.rpcrdma4j.rpcrdma.rfc5666;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.rpcrdma.responder.Responder;
import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.Rfc5666Received;
import io.github.rpcrdma4j.rpcrdma.session.EchoProgram;
import io.github.rpcrdma4j.rpcrdma.session.HostileEnd;
import io.github.rpcrdma4j.rpcrdma.session.HostileMessages;
import io.github.rpcrdma4j.rpcrdma.session.ManualConnection;
import io.github.rpcrdma4j.rpcrdma.wire.Received;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import java.lang.foreign.MemorySegment;

/** Runs {@code HostileMessages} with RFC 5666. */
class HostileRfc5666MessagesTest extends HostileMessages {
    private static final int RECEIVES = CREDITS + 1;
    private static final int DONE_OF = 4;

    /** The most chunks of an exposed reply: two results, or the whole message. */
    private static final int EXPOSED_MAX = 2;

    HostileRfc5666MessagesTest() {
        super(EchoProgram.FETCHED, Rfc5666.DEFAULT, 1);
    }

    /** A padded call counts as a call. */
    @Override
    public Object judged(MemorySegment message) {
        var received = Rfc5666Received.byResponder(message);
        return switch (received) {
            case Rfc5666Received.Common(var common) -> common;
            case Rfc5666Received.Padded(var header, var payload) ->
                    new Received.Call(
                            new Version1Header.Msg(header.xid(), header.credits(), header.chunks()),
                            header.chunks(),
                            payload);
            case Rfc5666Received.Finished _, Rfc5666Received.Failure _ -> received;
        };
    }

    /** RDMA_DONE may release replies that waited for room, but is no reply itself. */
    @Override
    public int other(Object judged, int heard) {
        assertTrue(judged instanceof Rfc5666Received.Finished);
        return heard;
    }

    @Override
    public int kinds() {
        return 5;
    }

    /** The peer sometimes says that it has fetched results. */
    @Override
    public byte[] next(HostileEnd end, int xid) {
        return end.random.nextInt(DONE_OF) == 0
                ? ManualConnection.message(
                        new Version1Header.Done(end.random.nextInt(xid + 1), CREDITS), new byte[0])
                : end.source.next(xid);
    }

    /**
     * Results stay exposed until they are fetched, and calls wait for that. A requester that
     * exceeds its credits can use the receive for RDMA_DONE for another call.
     */
    @Override
    public void checkNothingIsKept(HostileEnd end, Responder served) {
        assertTrue(end.queuePair.boundWindows() <= RECEIVES * EXPOSED_MAX);
        assertTrue(served.liveCalls() <= RECEIVES);
    }

    /** While results are exposed, fewer credits are granted. */
    @Override
    public boolean grantsAlike() {
        return false;
    }
}
