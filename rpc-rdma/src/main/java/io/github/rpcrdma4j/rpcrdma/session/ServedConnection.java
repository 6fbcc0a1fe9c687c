package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ReverseDirection;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import io.github.rpcrdma4j.oncrpc.Timeouts;
import io.github.rpcrdma4j.oncrpc.spi.CallHandler;
import io.github.rpcrdma4j.oncrpc.spi.CallThreads;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionMemory;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionParameters;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.connection.StallWatch;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.profile.ServerProfile;
import io.github.rpcrdma4j.rpcrdma.profile.WireProfile;
import io.github.rpcrdma4j.rpcrdma.responder.Responder;
import io.github.rpcrdma4j.rpcrdma.wire.PrivateData;
import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.CompletionQueue;
import io.github.rpcrdma4j.verbs.ConnectRequest;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.RdmaException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * A connection that a client opened. It serves the client's calls, and also carries calls to the
 * client as soon as a program asks for it. The polling threads of the server handle its
 * completions.
 *
 * <p>Tests: {@code PeerLimitsTest}, {@code ReverseOverIwarpTest}.
 */
final class ServedConnection implements ReverseDirection, ServerProfile.Setup {
    /** How long after its last use a connection still counts as between two calls. */
    private static final long IDLE_NANOS = Duration.ofMillis(500).toNanos();

    private final InetSocketAddress peer;
    private final CallThreads workers;
    private final FailureLog failures;

    /** Called without the lock when the connection is found to have ended. */
    private final Consumer<ServedConnection> ended;

    private final Counters reverseCounters;
    private final RpcRdmaOptions options;
    private volatile ConnectionParameters parameters;
    private final QueuePair queuePair;
    private final CompletionQueue completionQueue;

    /** Guards the endpoint and both of its roles. */
    private final ConnectionLock lock;

    private final Endpoint endpoint;
    private final ResponderDriver responderDriver;
    private final PeerQuota peerQuota;
    private final StallWatch watch;

    /** Updated with the lock held. */
    private final Activity activity;

    /** Whether the connection is accepted. Before that, only the accepting thread may close it. */
    private volatile boolean accepted;

    private final ConnectionRecord record;

    /**
     * Whether the first message has arrived. It causes the posting of all other receives. If room
     * must be made for them, another thread than the polling thread handles that message. Only the
     * polling thread uses this field.
     */
    private boolean begun;

    /** The calls to the client; empty until a program makes one. */
    private Optional<ReverseCalls> reverse = Optional.empty();

    private final ServerProfile profile;
    private final Counters counters;
    private final ConnectionParameters initial;
    private final Set<SecurityFlavor> flavors;

    /**
     * @param completionQueue the completion queue of the connection
     * @param ended called by any thread when the connection is found to have ended, perhaps twice
     */
    ServedConnection(
            SharedObjects shared,
            ConnectRequest request,
            CompletionQueue completionQueue,
            PeerQuota peerQuota,
            Consumer<ServedConnection> ended) {
        this.peer = request.peer();
        this.record = new ConnectionRecord("server", peer);
        this.workers = shared.service().workers();
        this.failures = shared.service().failures();
        this.lock =
                new ConnectionLock(
                        shared.threads(),
                        work -> workers.execute(peerQuota, work, CallThreads.Kind.LONG),
                        this::internalError);
        this.activity = new Activity(lock.nanoTime());
        this.ended = ended;
        this.completionQueue = completionQueue;
        this.reverseCounters = shared.reverseCounters().of("server", peer);
        this.options = shared.options();
        this.initial =
                ConnectionParameters.ofResponder(options.privateData(), request.privateData());
        this.parameters = initial;
        this.counters = shared.counters().of("server", peer);
        this.flavors = shared.flavors();
        this.queuePair =
                shared.provider()
                        .createQueuePair(
                                ConnectionParameters.queuePair(
                                        shared.domain(),
                                        completionQueue,
                                        options.sizes().receives()));
        var memory = new ConnectionMemory(queuePair, shared.domain(), shared.pool());
        this.endpoint = new Endpoint(memory, options.sizes().receiveBytes(), lock::assertHeld);
        lock.beforeRelease(endpoint::flush);
        this.peerQuota = peerQuota;
        var limits = options.peerLimits();
        this.watch = new StallWatch(endpoint, limits.sendTimeout(), limits.readTimeout());
        try {
            this.profile = options.profile().server(this);
            this.responderDriver = serve(shared.service());
            lock.locked(profile::begin);
        } catch (RuntimeException | Error none) {
            locked(() -> endpoint.close("the connection could not be made"));
            throw none;
        }
    }

    /** Creates the responder, which posts the first receives. */
    private ResponderDriver serve(ResponderDriver.Service service) {
        return new ResponderDriver(
                lock,
                endpoint,
                counters,
                parameters,
                options.bounds(),
                service,
                peer,
                Optional.of(peerQuota),
                profile.program(),
                options.profile().callsBothWays() ? Optional.of(this) : Optional.empty());
    }

    @Override
    public void agree(ConnectionParameters changed) {
        parameters = changed;
        responderDriver.agree(changed);
        reverse.ifPresent(calls -> calls.agree(changed));
    }

    @Override
    public WireProfile.Settings settings() {
        return options;
    }

    @Override
    public Endpoint endpoint() {
        return endpoint;
    }

    @Override
    public Responder responder() {
        return responderDriver.responder();
    }

    @Override
    public Counters counters() {
        return counters;
    }

    @Override
    public Counters reverseCounters() {
        return reverseCounters;
    }

    @Override
    public boolean takeMoreReceives(int length) {
        var sizes = options.sizes();
        long more = (long) (length - sizes.receiveBytes()) * sizes.receives();
        return responderDriver.responder().takeMoreReceives(Math.max(0, more));
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
    public Set<SecurityFlavor> flavors() {
        return flavors;
    }

    @Override
    public boolean callsWith(int xid) {
        return reverse.map(calls -> calls.holds(xid)).orElse(false);
    }

    @Override
    public void locked(Runnable work) {
        lock.locked(work);
    }

    InetSocketAddress peer() {
        return peer;
    }

    ConnectionRecord record() {
        return record;
    }

    /** Sets the handler of all calls, before the connection is accepted. */
    void serve(CallHandler calls) {
        responderDriver.serve(calls);
    }

    QueuePair queuePair() {
        return queuePair;
    }

    void accept(ConnectRequest request, PrivateData own) throws RdmaException {
        record.begin();
        request.accept(queuePair, own.encode());
        accepted = true;
        record.established();
    }

    @Override
    public ReverseClient client(Credential credential) {
        lock.lock();
        try {
            // The server makes no such calls by itself. Only a served program gets this object,
            // with a call of its client, and asks when the client is ready (RFC 8167-6-1).
            if (reverse.isEmpty()) {
                reverse = Optional.of(reverse());
                if (endpoint.isClosed()) {
                    // close() has run already, so this frees the memory that is kept for calls.
                    reverse.get().close();
                }
            }
            return reverse.get().client(credential);
        } finally {
            lock.unlock();
        }
    }

    private ReverseCalls reverse() {
        return new ReverseCalls(
                lock,
                endpoint,
                reverseCounters,
                parameters,
                options,
                profile,
                peer,
                completionQueue);
    }

    @Override
    public Optional<InetSocketAddress> localAddress() {
        return queuePair.local();
    }

    @Override
    public boolean isOpen() {
        lock.lock();
        try {
            return !endpoint.isClosed();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long callMax() {
        return parameters.reversed().callMax();
    }

    /**
     * Handles its completions of one turn on the polling thread, which does not wait. If another
     * thread holds the lock, that thread handles them.
     *
     * @param completions all completions of the turn
     * @param from the index of the first completion of this connection
     * @param to the index after the last completion of this connection
     * @param inline the run queue of the polling thread
     */
    void completed(List<Completion> completions, int from, int to, InlineCalls inline) {
        boolean isFirst = !begun && isMessage(completions.get(from));
        begun |= isFirst;
        if (isFirst && !peerQuota.hasRoomForReceives()) {
            var own = List.copyOf(completions.subList(from, to));
            lock.submitElsewhere(() -> handleSubmitted(own));
            return;
        }
        if (!lock.tryLockUnused()) {
            var own = List.copyOf(completions.subList(from, to));
            lock.submit(() -> handleSubmitted(own));
            return;
        }
        boolean lives;
        try {
            lives = handle(completions, from, to, inline);
        } finally {
            lock.unlock();
        }
        if (!lives) {
            ended.accept(this);
        }
    }

    private static boolean isMessage(Completion completion) {
        return completion.operation() == Completion.Operation.RECEIVE && completion.succeeded();
    }

    /** Handles completions that the polling thread submitted, on a thread with the lock. */
    private void handleSubmitted(List<Completion> completions) {
        if (handle(completions, 0, completions.size(), null)) {
            return;
        }
        try {
            workers.execute(() -> ended.accept(this));
        } catch (RejectedExecutionException _) {
            // The server is stopping, and ends all connections.
        }
    }

    /**
     * Handles completions. The lock is held. An internal error closes this connection, and no
     * other.
     *
     * @param inline the run queue of the polling thread; null if calls run on threads of their own
     * @return whether the connection is still open
     */
    private boolean handle(List<Completion> completions, int from, int to, InlineCalls inline) {
        try {
            responderDriver.inline(inline);
            endpoint.completed(completions, from, to);
            return !endpoint.isClosed();
        } catch (RuntimeException | Error broken) {
            internalError(broken);
            return false;
        } finally {
            responderDriver.inline(null);
        }
    }

    /** Reports an unexpected exception and closes the connection. The lock is held. */
    private void internalError(Throwable broken) {
        EndReason.log(failures, ServerThreads.INTERNAL_ERROR, broken);
        // A call that cannot be answered ends the connection (RFC 8166-4.5.4-3, V2-4.2.3-7).
        endpoint.close(EndReason.of(broken));
    }

    /**
     * Checks whether the peer stalls the connection.
     *
     * @param now the time in nanoseconds
     * @param patience how long and how slow the peer may be
     * @return the reason to close the connection; empty if it stays open
     */
    Optional<String> stalled(long now, Patience patience) {
        // A thread that holds the lock makes progress.
        if (!lock.tryLockUnused()) {
            activity.use();
            return Optional.empty();
        }
        try {
            checkActivity(now);
            watch.look(now, responderDriver.awaitsRequester(), patience.rate());
            int divisor = patience.timeoutDivisor();
            var timeout = options.peerLimits().readTimeout().dividedBy(divisor);
            profile.expire(now, Timeouts.nanos(timeout));
            return responderDriver.expire(now, divisor)
                    ? Optional.of(endpoint.loss().words())
                    : watch.check(now, divisor);
        } finally {
            lock.unlock();
        }
    }

    boolean isIdle() {
        return activity.isIdle();
    }

    /**
     * Returns when the connection became idle, in nanoseconds by its clock. The time may be later
     * than the true one, by the interval of the checks.
     */
    long idleSince() {
        return activity.idleSince();
    }

    /** Returns whether work was done or a message arrived since the last check. */
    private boolean checkActivity(long now) {
        boolean waits =
                endpoint.awaited() != Endpoint.Awaited.NOTHING
                        || responderDriver.awaitsRequester()
                        || responderDriver.liveCalls() > 0
                        || reverse.map(ReverseCalls::unanswered).orElse(0) > 0;
        return activity.check(now, endpoint.workDone(), endpoint.received(), waits);
    }

    /**
     * Closes the connection if no call or other work is in progress.
     *
     * @param between whether a recently used connection may be closed, too
     * @return false if the connection is in use
     */
    boolean closeIfIdle(String reason, boolean between) {
        // A thread that holds the lock uses the connection.
        if (lock.isHeldByCurrentThread() || !lock.tryLockUnused()) {
            return false;
        }
        try {
            long now = lock.nanoTime();
            boolean isNews = checkActivity(now);
            boolean spoken = endpoint.received() > 0;
            boolean recent = isNews || spoken && now - activity.idleSince() < IDLE_NANOS;
            if (!accepted || !activity.isIdle() || !between && recent) {
                return false;
            }
            endpoint.close(reason);
            return true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Closes the connection if its peer is behind with what is awaited from it.
     *
     * @param nanos how far it is behind, in nanoseconds, see {@link StallWatch}
     * @param patience how slow the peer may be
     * @return false if the peer has made progress, or nothing is awaited from it
     */
    boolean closeIfStalled(String reason, long nanos, Patience patience) {
        if (lock.isHeldByCurrentThread() || !lock.tryLockUnused()) {
            return false;
        }
        try {
            long now = lock.nanoTime();
            watch.look(now, responderDriver.awaitsRequester(), patience.rate());
            if (!accepted || watch.behind(now) < nanos) {
                return false;
            }
            endpoint.close(reason);
            return true;
        } finally {
            lock.unlock();
        }
    }

    PeerQuota peerQuota() {
        return peerQuota;
    }

    int openWindows() {
        return queuePair.boundWindows();
    }

    int callsInProgress() {
        return responderDriver.liveCalls();
    }

    /**
     * Closes the connection, and records its end.
     *
     * @param grace how long this thread waits for the peer to accept posted work
     */
    void close(String reason, Duration grace) {
        lock.locked(
                () -> {
                    endpoint.close(reason, grace);
                    record.ended(endpoint.loss());
                    reverse.ifPresent(ReverseCalls::close);
                });
    }
}
