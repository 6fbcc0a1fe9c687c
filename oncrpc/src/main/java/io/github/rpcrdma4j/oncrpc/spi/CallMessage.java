package io.github.rpcrdma4j.oncrpc.spi;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.xdr.XdrWriter;

/** Writes call messages (RFC 5531, Section 9). */
public final class CallMessage {
    private CallMessage() {}

    /**
     * Writes a whole call message.
     *
     * @param protection the protection of this call alone
     * @param pool lends the memory in which arguments are wrapped
     * @throws RpcException if the call cannot be protected
     */
    public static void encode(
            XdrWriter message, RpcCall call, int xid, CallProtection protection, SegmentPool pool)
            throws RpcException {
        CallHeader.encodeToVerifier(
                message,
                xid,
                call.program(),
                call.version(),
                call.procedure(),
                protection.credential());
        protection.verifier(message.reducedStream()).encode(message);
        protection.wrap(call.arguments(), pool, message);
    }
}
