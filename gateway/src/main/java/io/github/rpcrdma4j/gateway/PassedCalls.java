package io.github.rpcrdma4j.gateway;

import io.github.rpcrdma4j.memory.BudgetExhaustedException;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.ReverseDirection;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.oncrpc.gss.GssFlavor;
import io.github.rpcrdma4j.oncrpc.spi.CallHandler;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.CallThreads;
import io.github.rpcrdma4j.oncrpc.spi.PassedCall;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader;
import io.github.rpcrdma4j.oncrpc.spi.RpcTransport;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Passes the calls of one connection to another one, and the replies back. XIDs, credentials,
 * verifiers, arguments and results stay as they are. Thread-safe.
 *
 * <p>A call may have run although its reply is lost, so this class invents no error for such a
 * call: it closes the connection of the caller.
 */
final class PassedCalls implements CallHandler {
    /** The flavor with which a client asks for TLS (RFC 9289, Section 4.1). */
    private static final int AUTH_TLS = 7;

    private final RpcTransport target;
    private final GatewayLimits limits;
    private final Consumer<String> close;
    private final Set<Integer> outstanding = ConcurrentHashMap.newKeySet();

    /**
     * @param target the connection to which the calls go
     * @param close closes the connection of the caller, with a reason
     */
    PassedCalls(RpcTransport target, GatewayLimits limits, Consumer<String> close) {
        this.target = target;
        this.limits = limits;
        this.close = close;
    }

    @Override
    public boolean runsOnReader(CallHeader call) {
        return false;
    }

    @Override
    public boolean isUsuallyQuick(CallHeader call) {
        return false;
    }

    @Override
    public CallThreads.Kind kind(CallHeader call, boolean movesLittle) {
        return CallThreads.Kind.VIRTUAL;
    }

    @Override
    public boolean wrapsData(CallHeader call) {
        return call.credential().flavor() == GssFlavor.NUMBER
                && GssFlavor.wrapsData(call.credential());
    }

    @Override
    public boolean dispatch(
            CallHeader header,
            XdrReader call,
            InetSocketAddress peer,
            SegmentPool pool,
            Optional<ReverseDirection> reverse,
            XdrWriter reply)
            throws InterruptedException {
        var refusal = refusal(header);
        if (refusal.isPresent()) {
            refusal.get().encode(reply);
            return true;
        }
        if (!outstanding.add(header.xid())) {
            // The caller sends a call again whose reply is still to come.
            return false;
        }
        try {
            pass(header, call, reply);
            return true;
        } catch (IllegalArgumentException | BudgetExhaustedException _) {
            // Nothing was sent: the call or its reply cannot fit the other connection, as with
            // calls back over RDMA, or there is no memory for them.
            return refuse(header, AcceptStatus.SYSTEM_ERR, reply);
        } catch (XdrException _) {
            return refuse(header, AcceptStatus.GARBAGE_ARGS, reply);
        } catch (RpcException.TransportRefused _) {
            // TCP has no form for RDMA_ERROR.
            return refuse(header, AcceptStatus.SYSTEM_ERR, reply);
        } catch (RpcException lost) {
            close.accept(lost.getMessage());
            return false;
        } finally {
            outstanding.remove(header.xid());
        }
    }

    /** Writes a refusal in place of what the reply has already; returns true. */
    private static boolean refuse(CallHeader header, AcceptStatus status, XdrWriter reply) {
        reply.clear();
        new ReplyHeader.Refused(header.xid(), status).encode(reply);
        return true;
    }

    /** Returns the answer to a call that the gateway does not pass on. */
    private static Optional<ReplyHeader> refusal(CallHeader header) {
        int xid = header.xid();
        if (header.rpcVersion() != CallHeader.RPC_VERSION) {
            return Optional.of(
                    new ReplyHeader.RpcMismatch(
                            xid, CallHeader.RPC_VERSION, CallHeader.RPC_VERSION));
        }
        // Behind TLS, the other transport would go on without it.
        if (header.credential().isMalformed() || header.credential().flavor() == AUTH_TLS) {
            return Optional.of(new ReplyHeader.AuthError(xid, ReplyHeader.AUTH_BADCRED));
        }
        return header.verifier().isMalformed()
                ? Optional.of(new ReplyHeader.AuthError(xid, ReplyHeader.AUTH_BADVERF))
                : Optional.empty();
    }

    private void pass(CallHeader header, XdrReader call, XdrWriter reply)
            throws XdrException, RpcException, InterruptedException {
        var arguments = arguments(call);
        var passed =
                new RpcCall(
                                header.program(),
                                header.version(),
                                header.procedure(),
                                out -> arguments.forEach(out::fixedBulk),
                                Math.min(limits.resultsMax(), target.resultsMax()))
                        .withXid(header.xid());
        var answer = target.call(passed, PassedCall.of(header), limits.callTimeout());
        boolean isWritten = false;
        try {
            write(header, answer, reply);
            isWritten = true;
        } finally {
            if (!isWritten) {
                answer.close();
            }
        }
    }

    /** Returns all arguments as views without padding, whether they came in chunks or not. */
    private static List<MemorySegment> arguments(XdrReader call) {
        var pieces = new ArrayList<MemorySegment>();
        var bytes = new AtomicLong();
        call.peekAll(
                piece -> {
                    // The writer pads each piece. The reader gives padding as a piece of its own.
                    boolean isPadding = bytes.get() % Integer.BYTES != 0;
                    if (piece.byteSize() > 0 && !isPadding) {
                        pieces.add(piece);
                    }
                    bytes.addAndGet(piece.byteSize());
                });
        return pieces;
    }

    /** Writes a reply, whose memory stays until it is sent. */
    private void write(CallHeader header, RpcReply answer, XdrWriter reply) throws XdrException {
        var rest = answer.results();
        var body = rest.fixedOpaque(rest.remaining());
        reply.uint32(header.xid()).uint32(ReplyHeader.REPLY).whenDone(answer::close);
        if (ReplyItems.mayBeIn(header) && !wrapsData(header)) {
            ReplyItems.write(header, body, reply);
        } else {
            reply.fixedBulk(body);
        }
    }
}
