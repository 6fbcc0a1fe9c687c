package io.github.rpcrdma4j.oncrpc.tcp;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.oncrpc.spi.CallMessage;
import io.github.rpcrdma4j.oncrpc.spi.CallProtection;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.time.Duration;

/** One side of a connection, as far as it makes calls. Thread-safe. */
interface CallStream {
    /** Returns the calls of this side. */
    SentCalls sent();

    /** Returns the pool that lends memory for messages. */
    SegmentPool pool();

    /**
     * Sends a call message as a whole. If it is sent in part only, the connection is lost.
     *
     * @param deadline the time by which the message must be sent, of {@link System#nanoTime}
     * @throws InterruptedException if the thread is interrupted while it waits for its turn;
     *     nothing was sent
     * @throws IllegalStateException if memory of the call was closed
     */
    void send(XdrWriter message, CallDeadline deadline) throws RpcException, InterruptedException;

    /**
     * Makes a call and waits for its reply.
     *
     * @throws IllegalArgumentException if its reply may be longer than this side accepts, or
     *     another call has its XID
     */
    default RpcReply call(RpcCall call, CallProtection protection, Duration timeout)
            throws RpcException, InterruptedException {
        requireAcceptedReply(call, protection);
        var deadline = CallDeadline.of(timeout, System.nanoTime());
        var pending = new AwaitedReply();
        int xid = sent().register(call.xid(), pending);
        PendingReply.Answer answer = null;
        try {
            send(call, protection, xid, deadline);
            answer = pending.await(deadline.left(System.nanoTime()));
        } finally {
            if (answer == null) {
                sent().abandon(xid, pending);
            }
        }
        return switch (answer) {
            case PendingReply.Answer.Arrived(var received) ->
                    StreamReply.of(received, call, xid, protection);
            case PendingReply.Answer.Lost(var reason) -> throw sent().connectionLost(reason);
            case PendingReply.Answer.Late() -> throw sent().timedOut(timeout);
            case null -> throw sent().timedOut(timeout);
        };
    }

    private void send(RpcCall call, CallProtection protection, int xid, CallDeadline deadline)
            throws RpcException, InterruptedException {
        try (var message = new XdrWriter(pool())) {
            CallMessage.encode(message, call, xid, protection, pool());
            send(message, deadline);
        }
        protection.sent();
    }

    /**
     * Checks that this side accepts the longest reply to a call.
     *
     * @throws IllegalArgumentException if that reply may be too long
     */
    static void requireAcceptedReply(RpcCall call, CallProtection protection) {
        long results = call.resultsMax();
        for (var target : call.resultTargets()) {
            results += XdrWriter.roundUp(target.byteSize());
        }
        long reply =
                ReplyHeader.ACCEPTED_BYTES
                        + protection.replyVerifierMax()
                        + protection.wrappedMax(results);
        if (reply > TcpRpcClient.REPLY_BYTES_MAX) {
            throw new IllegalArgumentException(
                    "the reply may have "
                            + reply
                            + " bytes, and a TCP client accepts "
                            + TcpRpcClient.REPLY_BYTES_MAX);
        }
    }
}
