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
 * Makes calls under RPCSEC_GSS (RFC 2203) on a connection of any transport. A context is agreed on
 * with the first call of a program, and anew whenever the server has forgotten it; callers see
 * nothing of that but the time it takes.
 */
public final class GssClient implements RpcClient {
    /** Versions of programs that one client calls. */
    private static final int PROGRAMS_MAX = 16;

    /** How often a call is made anew whose context the server does not know. */
    private static final int RENEWALS_MAX = 2;

    private record Program(int number, int version) {}

    private final RpcTransport transport;
    private final GssContext.Initiator initiator;
    private final GssService service;
    private final Map<Program, ClientContexts> contexts = new HashMap<>();

    /**
     * A client over a connection.
     *
     * @param transport closed with this client
     * @param initiator begins the contexts, on the threads that make calls
     * @param service what is done for every call
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
     *     one that is meant
     * @throws IllegalArgumentException also if it is a call of one program too many
     */
    @Override
    public RpcReply call(RpcCall call, Duration timeout) throws RpcException, InterruptedException {
        long deadline = System.nanoTime() + Timeouts.nanos(timeout);
        var own = contexts(new Program(call.program(), call.version()));
        for (int renewals = 0; ; renewals++) {
            try (var turn = own.take(deadline)) {
                var left = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
                try {
                    return transport.call(call, turn.protection(), left);
                } catch (RpcException.Denied denied) {
                    if (!isOfContext(denied.status())) {
                        throw denied;
                    }
                    turn.rejected();
                    if (renewals == RENEWALS_MAX) {
                        throw denied;
                    }
                }
            }
        }
    }

    /** Whether a call was denied, and so not carried out, for its context alone. */
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

    /** Takes leave of the server and closes the connection. Closing twice is harmless. */
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
