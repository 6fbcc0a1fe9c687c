package io.github.rpcrdma4j.oncrpc.gss;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.spi.CallProtection;
import io.github.rpcrdma4j.oncrpc.spi.RawAuth;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Consumer;

/**
 * The protection of one call under an established context: DATA, or the DESTROY that ends the
 * context (RFC 2203, Sections 5.3 and 5.4).
 */
final class GssCallProtection implements CallProtection {
    private final GssContext context;
    private final GssCredential wanted;

    /** The service that wraps the call. A DESTROY has nothing to wrap. */
    private final GssService service;

    GssCallProtection(GssContext context, GssCredential credential) {
        this.context = context;
        this.wanted = credential;
        this.service =
                credential.procedure() == GssProcedure.DATA
                        ? credential.service()
                        : GssService.NONE;
    }

    @Override
    public RawAuth credential() {
        return wanted.encode();
    }

    @Override
    public RawAuth verifier(MemorySegment header) throws RpcException {
        try {
            return GssCredential.verifier(context.mic(header.toArray(ValueLayout.JAVA_BYTE)));
        } catch (GssException failure) {
            throw cannotProtect(failure);
        }
    }

    private static RpcException cannotProtect(GssException failure) {
        return new RpcException.NotAuthenticated(
                "the call cannot be protected: " + failure.getMessage(), failure);
    }

    @Override
    public boolean wrapsData() {
        return service != GssService.NONE;
    }

    @Override
    public int replyVerifierMax() {
        return (int) XdrWriter.roundUp(context.micMax());
    }

    @Override
    public long wrappedMax(long resultsMax) {
        return GssBody.wrappedMax(service, context, resultsMax);
    }

    @Override
    public void wrap(Consumer<XdrWriter> arguments, SegmentPool pool, XdrWriter message)
            throws RpcException {
        if (service == GssService.NONE) {
            arguments.accept(message);
            return;
        }
        try (var content = new XdrWriter(pool)) {
            arguments.accept(content);
            GssBody.wrap(service, context, wanted.sequence(), content, message);
        } catch (GssException failure) {
            throw cannotProtect(failure);
        }
    }

    @Override
    public void check(RawAuth verifier) throws RpcException {
        check(context, wanted.sequence(), verifier);
    }

    /**
     * Checks that the server signed a number.
     *
     * @param number a sequence number, or the window of a new context
     * @throws RpcException if the server did not sign the number
     */
    static void check(GssContext context, int number, RawAuth verifier) throws RpcException {
        try {
            if (verifier.flavor() == GssCredential.FLAVOR) {
                context.verify(
                        GssBody.bytes(number), verifier.body().toArray(ValueLayout.JAVA_BYTE));
                return;
            }
        } catch (GssException _) {
            // The server did not make this signature.
        }
        throw new RpcException.BadReply("the reply's signature is not the intended server's");
    }

    @Override
    public XdrReader unwrap(XdrReader results) throws RpcException {
        if (service == GssService.NONE) {
            return results;
        }
        try {
            return GssBody.unwrap(service, context, wanted.sequence(), results);
        } catch (GssException | XdrException altered) {
            throw new RpcException.BadReply(
                    "the results of a call are not what the server sent: " + altered.getMessage());
        }
    }
}
