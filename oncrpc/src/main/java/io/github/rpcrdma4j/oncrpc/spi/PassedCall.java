package io.github.rpcrdma4j.oncrpc.spi;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/**
 * The protection of a call that a gateway passes on unchanged. Credential, verifier and arguments
 * are those of the caller, and the results are the reply message after its XID and message type.
 *
 * @param replyVerifierMax the longest body of the reply's verifier, padding included, in bytes
 * @param wrapsData whether arguments and results travel wrapped
 * @param whenSent runs when the call was sent; it must not wait
 */
public record PassedCall(
        RawAuth credential,
        RawAuth verifier,
        int replyVerifierMax,
        boolean wrapsData,
        Runnable whenSent)
        implements CallProtection {
    /**
     * Passes on the call with a header.
     *
     * @param wrapsData whether arguments and results travel wrapped
     * @param whenSent runs when the call was sent; it must not wait
     */
    public static PassedCall of(CallHeader header, boolean wrapsData, Runnable whenSent) {
        return new PassedCall(
                header.credential(), header.verifier(), RawAuth.BODY_MAX, wrapsData, whenSent);
    }

    @Override
    public RawAuth verifier(MemorySegment header) {
        return verifier;
    }

    @Override
    public void wrap(Consumer<XdrWriter> arguments, SegmentPool pool, XdrWriter message) {
        arguments.accept(message);
    }

    @Override
    public void sent() {
        whenSent.run();
    }

    /**
     * Returns a reader after the message type of the reply. The reply may be any answer.
     *
     * @throws RpcException.BadReply if the message is no reply to the call
     */
    @Override
    public XdrReader results(XdrReader reply, RpcCall call, int xid) throws RpcException {
        try {
            if (reply.uint32() != xid || reply.uint32() != ReplyHeader.REPLY) {
                throw new RpcException.BadReply("the message is no reply to the call");
            }
        } catch (XdrException malformed) {
            throw RpcException.BadReply.of(malformed);
        }
        return reply;
    }
}
