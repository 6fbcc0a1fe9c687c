package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ReverseDirection;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import io.github.rpcrdma4j.oncrpc.Timeouts;
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
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.QueuePairOptions;
import io.github.rpcrdma4j.verbs.RdmaException;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * A connection that a client opened: it serves the client's calls, and from the first time that a
 * program asks for it carries calls back. The pollers of the server make its progress.
 */
final class ServedConnection implements ReverseDirection, ServerProfile.Setup {
    /** A connection that was used within this time is between two calls: looks follow closely. */
    private static final long IDLE_NANOS = Duration.ofMillis(500).toNanos();

    /** What all connections of a server share. */
    record Shared(
            Threads threads,
            RdmaProvider provider,
            ProtectionDomain domain,
            SegmentPool pool,
            ResponderDriver.Service service,
            Counters counters,
            Counters reverseCounters,
            RpcRdmaOptions options) {}

    private final InetSocketAddress peer;
    private final CallThreads workers;
    private final FailureLog failures;

    /** Told, without the lock, when the connection turns out to have ended. */
    private final Consumer<ServedConnection> ended;

    private final Counters reverseCounters;
    private final RpcRdmaOptions options;
    private ConnectionParameters parameters;
    private final QueuePair queuePair;
    private final CompletionQueue completionQueue;

    /** Guards the endpoint and both of its roles. */
    private final ConnectionLock lock;

    private final Endpoint endpoint;
    private final ResponderDriver served;
    private final PeerQuota peerQuota;
    private final StallWatch watch;

    /** Looked at with the lock held. */
    private final Activity activity;

    /** Before, nothing may close it but who accepts it. */
    private volatile boolean accepted;

    private final ConnectionRecord record;

    /**
     * Whether the first message has come. All other receives are posted with it; if room has to be
     * made for them, a thread that polls does not take it. Used by that thread alone.
     */
    private boolean begun;

    /** Empty until a program calls back. */
    private Optional<ReverseCalls> reverse = Optional.empty();

    private final ServerProfile profile;
    private final Counters counters;
    private final ConnectionParameters initial;
    private final Set<SecurityFlavor> flavors;

    /**
     * @param completionQueue where it completes
     * @param ended told by any thread when the connection turns out to have ended, perhaps twice
     */
    ServedConnection(
            Shared shared,
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
                        work -> workers.carryOut(peerQuota, work, CallThreads.Kind.LONG),
                        this::mistaken);
        this.activity = new Activity(lock.nanoTime());
        this.ended = ended;
        this.completionQueue = completionQueue;
        this.reverseCounters = shared.reverseCounters();
        this.options = shared.options();
        this.initial =
                ConnectionParameters.ofResponder(options.privateData(), request.privateData());
        this.parameters = initial;
        this.counters = shared.counters();
        this.flavors = shared.service().dispatcher().flavors();
        this.queuePair =
                shared.provider()
                        .createQueuePair(
                                new QueuePairOptions(
                                        shared.domain(),
                                        completionQueue,
                                        Endpoint.SEND_QUEUE_SIZE,
                                        options.sizes().receives(),
                                        ConnectionParameters.READS,
                                        ConnectionParameters.READS,
                                        Endpoint.GATHER_MAX));
        var memory = new ConnectionMemory(queuePair, shared.domain(), shared.pool());
        this.endpoint = new Endpoint(memory, options.sizes().receiveLength(), lock::assertHeld);
        lock.beforeRelease(endpoint::flush);
        this.peerQuota = peerQuota;
        var limits = options.peerLimits();
        this.watch = new StallWatch(endpoint, limits.takeTimeout(), limits.giveTimeout());
        try {
            this.profile = options.profile().server(this);
            this.served = serve(shared.service());
            lock.locked(profile::begin);
        } catch (RuntimeException | Error none) {
            locked(() -> endpoint.close("the connection could not be made"));
            throw none;
        }
    }

    /** Posts the first receives. */
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
        served.agree(changed);
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
        return served.responder();
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
    public boolean takeReceives(int length) {
        var sizes = options.sizes();
        long more = (long) (length - sizes.receiveLength()) * sizes.receives();
        return served.responder().takeMoreReceives(Math.max(0, more));
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
    public RpcClient client(Credential credential) {
        lock.lock();
        try {
            // Nothing goes that way of itself: only a program that is served gets hold of the way
            // back, by a call of its client, and asks when the client is ready (RFC 8167-6-1).
            if (reverse.isEmpty()) {
                reverse = Optional.of(reverse());
                if (endpoint.isClosed()) {
                    // After close(), which gives back the memory that is kept for calls.
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
    public boolean isOpen() {
        lock.lock();
        try {
            return !endpoint.isClosed();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes its completions of one turn, on the thread that polls, which does not wait: if another
     * thread has the lock, that one takes them.
     *
     * @param completions all of the turn, of which those from one index to another are its own
     * @param inline takes calls that the thread carries out later
     */
    void completed(List<Completion> completions, int from, int to, InlineCalls inline) {
        boolean isFirst = !begun && isMessage(completions.get(from));
        begun |= isFirst;
        if (isFirst && !peerQuota.hasRoomForReceives()) {
            var own = List.copyOf(completions.subList(from, to));
            lock.leaveElsewhere(() -> takeLeft(own));
            return;
        }
        if (!lock.tryLockUnused()) {
            var own = List.copyOf(completions.subList(from, to));
            lock.leave(() -> takeLeft(own));
            return;
        }
        boolean lives;
        try {
            lives = take(completions, from, to, inline);
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

    /** Takes what the thread that polls has left, on a thread that has the lock. */
    private void takeLeft(List<Completion> completions) {
        if (take(completions, 0, completions.size(), null)) {
            return;
        }
        try {
            workers.execute(() -> ended.accept(this));
        } catch (RejectedExecutionException _) {
            // The server is stopping, and ends all connections.
        }
    }

    /**
     * Takes completions; the lock is held. A mistake of ours costs the connection it happened on,
     * and no other.
     *
     * @param inline null: calls go to threads of their own
     * @return whether the connection lives on
     */
    private boolean take(List<Completion> completions, int from, int to, InlineCalls inline) {
        try {
            served.inline(inline);
            endpoint.completed(completions, from, to);
            return !endpoint.isClosed();
        } catch (RuntimeException | Error broken) {
            mistaken(broken);
            return false;
        } finally {
            served.inline(null);
        }
    }

    /** A mistake of ours costs the connection; the lock is held. */
    private void mistaken(Throwable broken) {
        failures.report(ServerThreads.INTERNAL_ERROR, broken);
        // What cannot be answered ends the connection (RFC 8166-4.5.4-3, V2-4.2.3-7).
        endpoint.close("internal error: " + broken);
    }

    /**
     * Looks after a peer that does nothing.
     *
     * @param haste see {@link StallWatch#check}
     * @return why the connection is to be closed
     */
    Optional<String> stalled(long now, int haste) {
        // The thread that holds the lock makes progress.
        if (!lock.tryLockUnused()) {
            activity.use();
            return Optional.empty();
        }
        try {
            look(now);
            profile.expire(now, Timeouts.nanos(options.peerLimits().giveTimeout()));
            return served.expire(now)
                    ? Optional.of(endpoint.loss().words())
                    : watch.check(now, haste);
        } finally {
            lock.unlock();
        }
    }

    /** Whether it was idle when it was last looked at. */
    boolean isIdle() {
        return activity.isIdle();
    }

    /** Since when it is idle, if it is, by {@link System#nanoTime}; some time too late. */
    long idleSince() {
        return activity.idleSince();
    }

    /**
     * Looks whether it is in use; the lock is held.
     *
     * @return whether something was done or came since the last look
     */
    private boolean look(long now) {
        boolean waits =
                endpoint.awaited() != Endpoint.Awaited.NOTHING
                        || served.liveCalls() > 0
                        || reverse.map(ReverseCalls::unanswered).orElse(0) > 0;
        return activity.look(now, endpoint.workDone(), endpoint.received(), waits);
    }

    /**
     * Closes the connection if nothing is in progress on it.
     *
     * @param between whether it may have been used just now
     * @return false if it is in use
     */
    boolean closeIfIdle(String reason, boolean between) {
        // A thread that has it makes use of it.
        if (lock.isHeldByCurrentThread() || !lock.tryLockUnused()) {
            return false;
        }
        try {
            long now = lock.nanoTime();
            boolean isNews = look(now);
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
     * Closes the connection if its peer has taken and given nothing for so long of what it is to.
     *
     * @return false if it has, or nothing waits for it
     */
    boolean closeIfHeldUp(String reason, long nanos) {
        if (lock.isHeldByCurrentThread() || !lock.tryLockUnused()) {
            return false;
        }
        try {
            long now = lock.nanoTime();
            look(now);
            boolean waits = endpoint.awaited() != Endpoint.Awaited.NOTHING;
            if (!accepted || !waits || now - activity.movedAt() < nanos) {
                return false;
            }
            endpoint.close(reason);
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** The quota of its client. */
    PeerQuota peerQuota() {
        return peerQuota;
    }

    int openWindows() {
        return queuePair.boundWindows();
    }

    int callsInProgress() {
        return served.liveCalls();
    }

    /**
     * @param grace how long this thread waits for the peer to take what was sent last
     */
    void close(String reason, Duration grace) {
        lock.lock();
        try {
            endpoint.close(reason, grace);
            record.ended(endpoint.loss().words());
            reverse.ifPresent(ReverseCalls::close);
        } finally {
            lock.unlock();
        }
    }
}
