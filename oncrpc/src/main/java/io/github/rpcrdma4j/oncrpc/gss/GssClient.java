package io.github.rpcrdma4j.oncrpc.gss;

import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.oncrpc.Timeouts;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader;
import io.github.rpcrdma4j.oncrpc.spi.RpcTransport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A client that makes calls under RPCSEC_GSS (RFC 2203) on a connection of any transport. The first
 * call of a program negotiates a context. Later calls negotiate another one when the server no
 * longer has it. Callers notice only the time that this takes.
 *
 * <p>{@link #takesOneCallAtFirst} is false over every transport. The first call on a connection is
 * always a negotiation, for which the other calls wait in any case, and its reply is quick.
 */
public final class GssClient implements RpcClient {
    /** The most versions of programs that one client calls. */
    private static final int PROGRAMS_MAX = 16;

    /** The most repetitions of a call whose context the server does not know. */
    private static final int RENEWALS_MAX = 2;

    private record Program(int number, int version) {}

    private final RpcTransport transport;
    private final GssContext.Initiator initiator;
    private final GssService service;
    private final Map<Program, ClientContexts> contexts = new HashMap<>();

    /**
     * Creates a client over a connection.
     *
     * @param transport the connection, which this client closes with itself
     * @param initiator begins the contexts, on the calling threads
     * @param service the protection of every call
     */
    public GssClient(RpcTransport transport, GssContext.Initiator initiator, GssService service) {
        this.transport = transport;
        this.initiator = initiator;
        this.service = service;
    }

    /**
     * {@inheritDoc}
     *
     * @throws RpcException.NotAuthenticated if the caller has no ticket, or the server is not the
     *     intended one
     * @throws IllegalArgumentException also if this client already calls 16 other versions of
     *     programs
     */
    @Override
    public RpcReply call(RpcCall call, Duration timeout) throws RpcException, InterruptedException {
        long deadline = System.nanoTime() + Timeouts.nanosOfCall(timeout);
        var own = contexts(new Program(call.program(), call.version()));
        for (int renewals = 0; ; renewals++) {
            try (var slot = own.acquire(deadline)) {
                var left = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
                try {
                    return transport.call(call, slot.protection(), left);
                } catch (RpcException.Denied denied) {
                    if (!isOfContext(denied.status())) {
                        throw denied;
                    }
                    slot.rejected();
                    if (renewals == RENEWALS_MAX) {
                        throw denied;
                    }
                }
            }
        }
    }

    /**
     * Returns whether the server denied a call, and so did not carry it out, only because of its
     * context.
     */
    private static boolean isOfContext(int status) {
        return status == ReplyHeader.RPCSEC_GSS_CREDPROBLEM
                || status == ReplyHeader.RPCSEC_GSS_CTXPROBLEM;
    }

    private ClientContexts contexts(Program program) {
        synchronized (contexts) {
            var known = contexts.get(program);
            if (known != null) {
                return known;
            }
            if (contexts.size() == PROGRAMS_MAX) {
                throw new IllegalArgumentException(
                        "a secure client calls at most " + PROGRAMS_MAX + " programs");
            }
            var fresh =
                    new ClientContexts(
                            transport, initiator, service, program.number(), program.version());
            contexts.put(program, fresh);
            return fresh;
        }
    }

    /** Returns what the connection carries. */
    @Override
    public long callBackBytesMax() {
        return transport instanceof RpcClient client ? client.callBackBytesMax() : 0;
    }

    /** Returns how many more calls the connection takes. */
    @Override
    public int callsLeft() {
        return transport instanceof RpcClient client ? client.callsLeft() : Integer.MAX_VALUE;
    }

    /** Ends the contexts at the server and closes the connection. Closing twice is harmless. */
    @Override
    public void close() {
        List<ClientContexts> all;
        synchronized (contexts) {
            all = new ArrayList<>(contexts.values());
        }
        all.forEach(ClientContexts::close);
        transport.close();
    }
}
