package io.github.rpcrdma4j.oncrpc.gss;

import io.github.rpcrdma4j.oncrpc.ClientAddress;
import io.github.rpcrdma4j.oncrpc.spi.Admission;
import io.github.rpcrdma4j.oncrpc.spi.Authenticator;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.RawAuth;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader;
import io.github.rpcrdma4j.oncrpc.spi.ReplyProtection;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.LongSupplier;

/**
 * The server side of RPCSEC_GSS (RFC 2203, Sections 5.2.3 and 5.3.3). Contexts are independent of
 * connections: a client may negotiate one over TCP and use it over RDMA (RFC 8166, Section
 * 8.2.2.1). Thread-safe.
 */
public final class GssServer implements Authenticator, AutoCloseable {
    /** A failure that no other status describes (RFC 2744, Section 3.9.1). */
    private static final int GSS_S_FAILURE = 13 << 16;

    private final GssContext.Acceptor acceptor;
    private final LongSupplier clock;
    private final SecureRandom random = new SecureRandom();

    /**
     * Guarded by itself. A context takes this lock while it holds its own, and never vice versa.
     */
    private final ContextStore<ServerContext> store = new ContextStore<>();

    /** Guarded by the store. */
    private final RecentTokens tokens = new RecentTokens();

    /**
     * Contexts that were removed from the store. Threads that hold no lock of a context expire
     * them.
     */
    private final Queue<ServerContext> evicted = new ConcurrentLinkedQueue<>();

    private final ServerContext.Store lockedStore =
            new ServerContext.Store() {
                @Override
                public void store(ServerContext context, boolean established) {
                    addToStore(context, established);
                }

                @Override
                public void forget(ServerContext context) {
                    synchronized (store) {
                        store.remove(context.handle());
                    }
                }
            };

    /** Creates a server for the callers that an acceptor accepts. */
    public GssServer(GssContext.Acceptor acceptor) {
        this(acceptor, System::nanoTime);
    }

    /**
     * Creates a server for the callers that an acceptor accepts, with a clock.
     *
     * @param clock the clock by which contexts age, in nanoseconds of any origin
     */
    public GssServer(GssContext.Acceptor acceptor, LongSupplier clock) {
        this.acceptor = acceptor;
        this.clock = clock;
    }

    @Override
    public int flavor() {
        return GssCredential.FLAVOR;
    }

    @Override
    public boolean wrapsData(RawAuth credential) {
        return GssFlavor.wrapsData(credential);
    }

    /** Returns the number of contexts that the server keeps. */
    public int contexts() {
        synchronized (store) {
            return store.size();
        }
    }

    @Override
    public Admission admit(CallHeader header, XdrReader arguments, ClientAddress client) {
        GssCredential credential;
        try {
            credential = GssCredential.decode(header.credential());
        } catch (XdrException _) {
            return new Admission.Denied(ReplyHeader.AUTH_BADCRED);
        }
        if (credential.procedure() != GssProcedure.DATA && header.procedure() != 0) {
            // Calls that control the context itself use procedure NULL (RFC 2203, Section 5.2.2).
            return new Admission.Denied(ReplyHeader.AUTH_BADCRED);
        }
        try {
            return switch (credential.procedure()) {
                case INIT -> begin(token(arguments), client);
                case CONTINUE_INIT -> {
                    byte[] token = token(arguments);
                    yield find(credential)
                            .map(context -> continued(context, token, client))
                            .orElseGet(GssServer::unknown);
                }
                case DATA, DESTROY ->
                        find(credential)
                                .map(context -> context.admit(header, credential, arguments))
                                .orElseGet(GssServer::unknown);
            };
        } catch (XdrException _) {
            return new Admission.Garbled(ReplyProtection.NONE);
        } finally {
            expireEvicted();
        }
    }

    private static byte[] token(XdrReader arguments) throws XdrException {
        byte[] token = arguments.bytes(GssInitResult.TOKEN_MAX);
        arguments.finish();
        return token;
    }

    private static Admission unknown() {
        return new Admission.Denied(ReplyHeader.RPCSEC_GSS_CREDPROBLEM);
    }

    private Optional<ServerContext> find(GssCredential credential) {
        var handle = ContextHandle.of(credential.handle());
        if (handle.isEmpty()) {
            return Optional.empty();
        }
        synchronized (store) {
            return store.find(handle.getAsLong(), clock.getAsLong());
        }
    }

    private Admission continued(ServerContext context, byte[] token, ClientAddress client) {
        return maySend(client) ? context.negotiate(token) : tooManyTokens();
    }

    private boolean maySend(ClientAddress client) {
        synchronized (store) {
            return tokens.maySend(client, clock.getAsLong());
        }
    }

    private static Admission tooManyTokens() {
        return ServerContext.refusal(
                new GssException("a client has begun too many contexts", GSS_S_FAILURE, 0, null));
    }

    private Admission begin(byte[] token, ClientAddress client) {
        if (!maySend(client)) {
            return tooManyTokens();
        }
        try {
            return new ServerContext(newHandle(), client, acceptor.accept(), lockedStore)
                    .negotiate(token);
        } catch (GssException refused) {
            return ServerContext.refusal(refused);
        }
    }

    private long newHandle() {
        synchronized (store) {
            while (true) {
                long handle = random.nextLong();
                if (!store.holds(handle)) {
                    return handle;
                }
            }
        }
    }

    private void addToStore(ServerContext context, boolean established) {
        synchronized (store) {
            long now = clock.getAsLong();
            tokens.accepted(context.client(), now);
            evicted.addAll(
                    established
                            ? store.establish(
                                    context.handle(),
                                    context.principal(),
                                    context,
                                    context.lifeNanos(),
                                    now)
                            : store.negotiate(context.handle(), context.client(), context, now));
        }
    }

    private void expireEvicted() {
        for (var context = evicted.poll(); context != null; context = evicted.poll()) {
            context.expire();
        }
    }

    /** Removes all contexts and destroys their keys. Closing twice is harmless. */
    @Override
    public void close() {
        synchronized (store) {
            evicted.addAll(store.clear());
        }
        expireEvicted();
    }
}
