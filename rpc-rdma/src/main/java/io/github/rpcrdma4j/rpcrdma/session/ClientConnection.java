package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.CallPipeline;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.oncrpc.Timeouts;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.oncrpc.spi.CallHandler;
import io.github.rpcrdma4j.oncrpc.spi.CallProtection;
import io.github.rpcrdma4j.oncrpc.spi.CallThreads;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import io.github.rpcrdma4j.oncrpc.spi.UnclosedReplies;
import io.github.rpcrdma4j.rpcrdma.binding.Bindings;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionMemory;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionParameters;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.profile.ClientProfile;
import io.github.rpcrdma4j.rpcrdma.profile.WireProfile;
import io.github.rpcrdma4j.rpcrdma.requester.CallPlanner;
import io.github.rpcrdma4j.rpcrdma.requester.CreditWindow;
import io.github.rpcrdma4j.rpcrdma.requester.KeepAlive;
import io.github.rpcrdma4j.rpcrdma.requester.Requester;
import io.github.rpcrdma4j.rpcrdma.responder.BrokenCalls;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import io.github.rpcrdma4j.verbs.RdmaException;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * A connection of a client. A thread that waits for answers polls it ({@link LeaderFollowers}), or
 * a listener if the server may call back. Tests: {@code SteppedSessionsTest}.
 */
public final class ClientConnection implements ClientProfile.Setup {
    private static final FailureLog FAILURES =
            new FailureLog(System.getLogger(ClientConnection.class.getName()));

    /**
     * The least size of a receive. Some responders ignore the advertised size and send inline
     * replies of a few pages.
     */
    private static final int RECEIVE_BYTES_MIN = 16 << 10;

    private static final long POOL_BYTES = 64L << 20;

    /** How long {@link #close} waits for posted Sends. */
    private static final Duration CLOSE_GRACE = Duration.ofSeconds(1);

    private final CalledServer server;
    private final RpcRdmaOptions options;
    private final Counters counters;
    private final Counters reverseCounters;
    private final SegmentPool pool = new SegmentPool(POOL_BYTES);
    private final ProtectionDomain domain;
    private final LeaderFollowers waiting;
    private final Endpoint endpoint;

    /** Guards all fields below, including the requester and the responder. */
    private final ConnectionLock lock;

    private final Requester requester;

    /** Set before the connection is returned; null if setting it up failed. */
    private RequesterDriver requesterDriver;

    private CallEncoder encoder;

    private final ClientProfile profile;
    private final CallProtection protection;
    private final boolean isServing;
    private ConnectionParameters initial;

    /** The present parameters, first set with {@link #initial}. */
    private ConnectionParameters parameters;

    /** These are set at most once, before the connection is returned. */
    private ResponderDriver responderDriver;

    private CallThreads workers;
    private BegunRequests begun;

    /** Probes the server while the connection is idle; null unless the options say so. */
    private Thread prober;

    private final DrainingThreads draining;

    private final ConnectionRecord record;
    private boolean hasEnded;
    private boolean closed;

    private ClientConnection(
            Threads threads,
            RdmaProvider provider,
            CalledServer server,
            CallProtection protection,
            boolean isServing,
            RpcRdmaOptions options) {
        this.lock = new ConnectionLock(threads, Runnable::run, this::internalError);
        this.server = server;
        this.counters = new Counters().of("client", server.address());
        this.reverseCounters = new Counters().of("client", server.address());
        this.record = new ConnectionRecord("client", server.address());
        this.protection = protection;
        this.isServing = isServing;
        this.options = options;
        domain = provider.allocateProtectionDomain();
        var completionQueue = made(provider::createCompletionQueue, domain::close);
        int receives = options.sizes().receives();
        var queuePair =
                made(
                        () ->
                                provider.createQueuePair(
                                        ConnectionParameters.queuePair(
                                                domain, completionQueue, receives)),
                        () -> {
                            domain.close();
                            completionQueue.close();
                        });
        endpoint =
                new Endpoint(
                        new ConnectionMemory(queuePair, domain, pool),
                        Math.max(options.sizes().receiveBytes(), RECEIVE_BYTES_MIN),
                        lock::assertHeld);
        lock.beforeRelease(endpoint::flush);
        waiting = new LeaderFollowers(lock, completionQueue, endpoint);
        var credits = new CreditWindow(options.credits());
        if (options.keepAlive().isPositive()) {
            credits.reserve();
        }
        try {
            requester = new Requester(endpoint, counters, credits);
            profile = options.profile().client(this);
        } catch (RuntimeException | Error none) {
            locked(this::free);
            throw none;
        }
        draining = new DrainingThreads(() -> requester.unanswered() == 0);
        lock.beforeRelease(draining::wakeIfDrained);
        lock.beforeRelease(this::recordEnd);
    }

    /** Takes a step of the construction. If it fails, what was made before is closed. */
    private static <T> T made(Supplier<T> step, Runnable closing) {
        try {
            return step.get();
        } catch (RuntimeException | Error none) {
            closing.run();
            throw none;
        }
    }

    /** Records the end of the connection, when it is lost or closed. */
    private void recordEnd() {
        if (endpoint.isClosed() && !hasEnded) {
            hasEnded = true;
            counters.count(Counter.CONNECTIONS_ENDED);
            record.ended(endpoint.loss());
            RequesterDriver.wake(prober);
        }
    }

    /** Frees what a connection holds that could not be made. */
    private void free() {
        endpoint.close("the connection could not be made");
        domain.close();
        waiting.close();
    }

    /**
     * Opens a connection to a server, and negotiates its profile.
     *
     * @param threads the source of clock and threads
     * @param protection the protection of the calls that the profile itself makes
     * @param served carries out the calls of the server; empty if it may not call back
     */
    public static ClientConnection open(
            Threads threads,
            RdmaProvider provider,
            CalledServer server,
            CallProtection protection,
            Collection<? extends UpperLayerBinding> bindings,
            Optional<CallHandler> served,
            RpcRdmaOptions options)
            throws RpcException, InterruptedException {
        if (served.isPresent() && !options.profile().callsBothWays()) {
            throw new IllegalArgumentException(
                    "calls both ways and "
                            + options.profile().name()
                            + " exclude each other: choose one");
        }
        var profile = options.profile().towards(server.address(), threads.nanoTime());
        while (true) {
            var own = options.withProfile(profile);
            var connection =
                    new ClientConnection(
                            threads, provider, server, protection, served.isPresent(), own);
            var other = begin(connection, bindings, served);
            if (other.isEmpty()) {
                return connection;
            }
            connection.close();
            profile = other.get();
        }
    }

    private static Optional<WireProfile> begin(
            ClientConnection connection,
            Collection<? extends UpperLayerBinding> bindings,
            Optional<CallHandler> served)
            throws RpcException, InterruptedException {
        try {
            return connection.begin(bindings, served);
        } catch (RdmaException failure) {
            connection.close();
            throw new RpcException.Unreachable(failure.getMessage(), failure);
        } catch (RpcException | InterruptedException | RuntimeException failure) {
            connection.close();
            throw failure;
        }
    }

    /**
     * @return the profile to use on a new connection; empty if this connection is ready
     */
    private Optional<WireProfile> begin(
            Collection<? extends UpperLayerBinding> bindings, Optional<CallHandler> served)
            throws RdmaException, RpcException, InterruptedException {
        establish();
        encoder =
                new CallEncoder(
                        endpoint.memory(),
                        initial,
                        bindings,
                        options.segmentMax(),
                        CallPlanner.RFC_8166);
        var keepAlive =
                new KeepAlive(
                        Timeouts.nanos(options.keepAlive()), Timeouts.nanos(options.idleProbe()));
        requesterDriver =
                new RequesterDriver(
                        lock, endpoint, requester, encoder, server.address(), waiting, keepAlive);
        var other = profile.open();
        if (other.isEmpty() && served.isPresent()) {
            serve(served.get(), parameters.reversed());
        }
        if (other.isEmpty() && options.idleProbe().isPositive()) {
            prober = lock.threads().unstarted("rpcrdma-probe", requesterDriver::probeWhileIdle);
            prober.start();
        }
        return other;
    }

    /** Reports an unexpected exception and closes the connection. The lock is held. */
    private void internalError(Throwable broken) {
        EndReason.log(FAILURES, "internal error", broken);
        endpoint.close(EndReason.of(broken));
    }

    private void establish() throws RdmaException, InterruptedException {
        record.begin();
        var own = options.privateData();
        var answer = server.connect(endpoint.queuePair(), own, options.connectTimeout());
        record.established();
        counters.count(Counter.CONNECTIONS_OPENED);
        initial = ConnectionParameters.ofRequester(own, answer);
        parameters = initial;
    }

    @Override
    public WireProfile.Settings settings() {
        return options;
    }

    @Override
    public InetSocketAddress server() {
        return server.address();
    }

    @Override
    public Endpoint endpoint() {
        return endpoint;
    }

    @Override
    public Requester requester() {
        return requester;
    }

    @Override
    public RandomGenerator random() {
        return lock.threads().random();
    }

    @Override
    public long nanoTime() {
        return lock.nanoTime();
    }

    @Override
    public ConnectionParameters initial() {
        return initial;
    }

    @Override
    public boolean isServing() {
        return isServing;
    }

    @Override
    public void locked(Runnable work) {
        lock.locked(work);
    }

    private <T> T found(Supplier<T> question) {
        lock.lock();
        try {
            return question.get();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean await(BooleanSupplier wanted, long nanos) throws InterruptedException {
        long deadline = lock.nanoTime() + nanos;
        lock.lock();
        try {
            while (!wanted.getAsBoolean()) {
                long left = deadline - lock.nanoTime();
                if (left <= 0) {
                    return false;
                }
                waiting.await(left);
            }
            return true;
        } finally {
            waiting.leave();
            lock.unlock();
        }
    }

    @Override
    public RpcReply call(RpcCall call) throws RpcException, InterruptedException {
        return requesterDriver.call(call, protection, options.connectTimeout());
    }

    @Override
    public void agree(ConnectionParameters changed, CallPlanner planner) {
        parameters = changed;
        encoder.agree(changed, planner);
        if (responderDriver != null) {
            responderDriver.agree(changed.reversed());
        }
    }

    private void serve(CallHandler handler, ConnectionParameters parameters) {
        workers = lock.threads().callThreads("rpcrdma-call-back-", FAILURES);
        // The driver posts receives for all reverse credits, in addition to those for replies,
        // before any call could make the server use them (RFC 8167-4.3.1-1, 8167-4.3.1-2).
        responderDriver =
                new ResponderDriver(
                        lock,
                        endpoint,
                        reverseCounters,
                        parameters,
                        options.reverseBounds(),
                        new ResponderDriver.Service(
                                new Bindings(List.of()),
                                workers,
                                new BrokenCalls(),
                                new QuickCalls(),
                                new BegunCalls(),
                                FAILURES),
                        server.address(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty());
        responderDriver.serve(handler);
        locked(() -> profile.serve(responderDriver.responder()));
        begun = new BegunRequests(lock, requesterDriver, waiting);
        waiting.listen(begun);
    }

    /** Makes a call like {@link io.github.rpcrdma4j.oncrpc.spi.RpcTransport#call}. */
    public RpcReply call(RpcCall call, CallProtection protection, Duration timeout)
            throws RpcException, InterruptedException {
        return requesterDriver.call(call, protection, timeout);
    }

    /** Returns the calls for which no thread waits; empty if there is no listener for them. */
    public Optional<BegunRequests> begun() {
        return Optional.ofNullable(begun);
    }

    /** Returns a new pipeline of calls. */
    public CallPipeline pipeline(CallProtection protection) {
        return requesterDriver.pipeline(protection);
    }

    /** Runs an action once, when the connection has ended, or now if it has. It must not wait. */
    public void whenEnded(Runnable action) {
        locked(() -> record.whenEnded(action));
    }

    /** Returns whether the connection is neither closed nor known to be lost. */
    public boolean isOpen() {
        return found(() -> !closed && !endpoint.isClosed());
    }

    /**
     * Waits until no call is in progress.
     *
     * @return false if the time has expired
     */
    public boolean awaitNoCalls(Duration patience) throws InterruptedException {
        var waiter = Thread.currentThread();
        locked(() -> draining.add(waiter));
        try {
            return await(() -> requester.unanswered() == 0, Timeouts.nanos(patience));
        } finally {
            locked(() -> draining.remove(waiter));
        }
    }

    /** Returns the most bytes of a call of the server, or of the reply to one. */
    public long callBackBytesMax() {
        return found(() -> parameters.reversed().inlineBothMax());
    }

    /** Returns how many more calls have credits. */
    public int callsLeft() {
        return found(requester::callsLeft);
    }

    /** Returns the version of RPC-over-RDMA of the connection. */
    public int version() {
        return profile.version();
    }

    /** Returns the counters of the server's calls. */
    public Counters reverseCounters() {
        return reverseCounters;
    }

    /** Returns the counters of this client's calls. */
    @Override
    public Counters counters() {
        return counters;
    }

    /** Returns how many memory windows are open. */
    public int openWindows() {
        return endpoint.queuePair().boundWindows();
    }

    /** Returns how many leases of memory are held. */
    public int leasedMemory() {
        return pool.leased();
    }

    /** Closes the connection and ends its calls. Closing twice is harmless. */
    public void close() {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            endpoint.close("closed on this side", CLOSE_GRACE);
            domain.close();
            if (workers != null) {
                workers.stop();
            }
            waiting.close();
            if (requesterDriver != null) {
                requesterDriver.close();
            }
            UnclosedReplies.end(pool, server.name());
        } finally {
            lock.unlock();
        }
    }
}
