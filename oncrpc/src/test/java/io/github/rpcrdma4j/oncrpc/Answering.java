package io.github.rpcrdma4j.oncrpc;

import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.MemorySegment;

/** A transport with the same response to every call. */
interface Answering extends RpcClient {
    @Override
    default void close() {}

    /** Returns a reply without results. */
    static RpcReply nothing() {
        return new RpcReply() {
            @Override
            public XdrReader results() {
                return new XdrReader(MemorySegment.NULL);
            }

            @Override
            public void close() {}
        };
    }

    static Answering lost() {
        return (_, _) -> {
            throw new RpcException.ConnectionLost("gone", null);
        };
    }
}
