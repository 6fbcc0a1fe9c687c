package io.github.rpcrdma4j.oncrpc.spi;

import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcReply;

/**
 * Receives the outcome of a call that {@link RpcTransport#begin} began: once, on any thread. That
 * thread may serve the connection, so the receiver does not wait long.
 */
public interface ReplyReceiver {
    /**
     * The call has a reply.
     *
     * @param reply the reply, which the receiver closes
     */
    void replied(RpcReply reply);

    /** The call has no results; the exception gives the reason. */
    void failed(RpcException reason);
}
