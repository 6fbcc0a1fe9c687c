package io.github.rpcrdma4j.oncrpc.gss;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.PatternProgram;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.RawAuth;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/** Runs the decoders of RPCSEC_GSS for tests with arbitrary bytes. */
public final class GssBytes {
    private static final InetSocketAddress PEER = InetSocketAddress.createUnresolved("peer", 1);
    private static final int CALL_BYTES = 5;
    private static final int ODD = 1;
    private static final int STORES = 2;

    private GssBytes() {}

    /**
     * Decodes a credential.
     *
     * @throws XdrException if it is malformed
     */
    public static void takeCredential(RawAuth credential) throws XdrException {
        GssCredential.decode(credential);
    }

    /**
     * Decodes the results of INIT or CONTINUE_INIT.
     *
     * @throws XdrException if they are malformed
     */
    public static void takeInitResult(XdrReader in) throws XdrException {
        GssInitResult.decode(in);
    }

    /**
     * Unwraps arguments or results, in a context that accepts every signature.
     *
     * @param isEncrypted whether the service is privacy; otherwise it is integrity
     * @throws XdrException if they are malformed
     */
    public static void takeBody(boolean isEncrypted, int sequence, XdrReader in)
            throws XdrException {
        var service = isEncrypted ? GssService.PRIVACY : GssService.INTEGRITY;
        try (var context = new AcceptAllMechanism().accept()) {
            GssBody.unwrap(service, context, sequence, in);
        } catch (GssException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /**
     * Makes calls to a server that accepts every signature.
     *
     * <pre>
     *   of each: procedure of GSS, and whether it is unsigned | service | sequence number
     *            | whether the handle is wrong, and the procedure | length | arguments
     * </pre>
     *
     * The server answers or drops each call, and keeps no context or memory of it.
     */
    public static void takeCalls(byte[] bytes) {
        var pool = new SegmentPool(1 << 20);
        var mechanism = new AcceptAllMechanism();
        try (var server = new GssServer(mechanism)) {
            var dispatcher = new RpcDispatcher(List.of(new PatternProgram(1, 1)), List.of(server));
            byte[] handle = {};
            var in = ByteBuffer.wrap(bytes);
            for (int xid = 0; in.remaining() >= CALL_BYTES; xid++) {
                handle = takeCall(dispatcher, pool, xid, handle, in);
            }
        } catch (InterruptedException impossible) {
            throw new AssertionError(impossible);
        }
        if (mechanism.open() != 0 || pool.leased() != 0) {
            throw new AssertionError("contexts or memory were kept");
        }
    }

    /** Makes one call. Returns the handle for the next call. */
    private static byte[] takeCall(
            RpcDispatcher dispatcher, SegmentPool pool, int xid, byte[] handle, ByteBuffer in)
            throws InterruptedException {
        int kind = in.get();
        var procedures = GssProcedure.values();
        var services = GssService.values();
        var procedure = procedures[(kind >> 1 & 0x7f) % procedures.length];
        var service = services[(in.get() & 0xff) % services.length];
        int sequence = in.get() & 0xff;
        int called = in.get();
        byte[] arguments = new byte[Math.min(in.get() & 0xff, in.remaining())];
        in.get(arguments);
        var credential =
                new GssCredential(
                        procedure, sequence, service, (called & ODD) == 0 ? handle : arguments);
        var header =
                new CallHeader(
                        xid,
                        CallHeader.RPC_VERSION,
                        PatternProgram.PROGRAM,
                        1,
                        (called & STORES) == 0 ? 0 : PatternProgram.STORE,
                        credential.encode(),
                        (kind & ODD) == 0 ? GssCredential.verifier(new byte[0]) : RawAuth.NONE);
        try (var reply = new XdrWriter(pool)) {
            boolean answered =
                    dispatcher.dispatch(
                            header,
                            new XdrReader(MemorySegment.ofArray(arguments)),
                            PEER,
                            pool,
                            Optional.empty(),
                            reply);
            if (!answered || procedure != GssProcedure.INIT) {
                return handle;
            }
            return handleOf(new XdrReader(reply.reducedStream())).orElse(handle);
        }
    }

    /** Returns the server's handle of the new context; empty if the server refused. */
    private static Optional<byte[]> handleOf(XdrReader reply) {
        try {
            var answer = ReplyHeader.decode(reply);
            return answer instanceof ReplyHeader.Success
                    ? Optional.of(GssInitResult.decode(reply).handle())
                    : Optional.empty();
        } catch (XdrException broken) {
            throw new AssertionError("the server's own answer", broken);
        }
    }
}
