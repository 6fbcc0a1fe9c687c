package io.github.rpcrdma4j.rpcrdma.requester;

import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.rpcrdma.requester.CallShape.ReplyOffer;
import io.github.rpcrdma4j.rpcrdma.wire.PlainMessage;

/**
 * Lays out calls on the threads that make them, before anything is locked or opened. Thread-safe.
 */
public interface CallLayout {
    /** As RFC 8166 has them (RFC 8166, Sections 3.5 and 4.3). */
    CallLayout RFC_8166 =
            new CallLayout() {
                @Override
                public PlainMessage.Which plain() {
                    return PlainMessage.Which.WITH_BULK_DATA;
                }

                @Override
                public ChunkedCall lay(EncodedCall encoded) {
                    return new ChunkedCall(encoded, encoded.shape(ReplyOffer.ALL));
                }
            };

    /** Which calls without chunks are short calls, and are not laid out. */
    PlainMessage.Which plain();

    /**
     * Lays out a call.
     *
     * @throws RpcException if the peer says that it takes no calls
     * @throws IllegalArgumentException if the call cannot be laid out
     */
    ChunkedCall lay(EncodedCall encoded) throws RpcException;
}
