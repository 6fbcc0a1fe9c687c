package io.github.rpcrdma4j.rdmacore;

import io.github.rpcrdma4j.rdmacore.library.ConnectionEvent;
import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.Completion.Status;
import io.github.rpcrdma4j.verbs.MemoryRegion;
import io.github.rpcrdma4j.verbs.MemoryWindow;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.QueuePairOptions;
import io.github.rpcrdma4j.verbs.RdmaException;
import io.github.rpcrdma4j.verbs.Sge;
import io.github.rpcrdma4j.verbs.UnknownHandle;
import io.github.rpcrdma4j.verbs.WorkRequest;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A queue pair. The adapter's own queue pair exists while the connection does: librdmacm makes it
 * once the address of the peer is known.
 *
 * <p>Tests: {@code AdapterConnections}, {@code SiwContract}.
 */
final class AdapterQueuePair implements QueuePair {
    private static final String CLOSED = "the queue pair was closed";
    private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

    /** The longest wait for the adapter to bind a window that is to end. */
    private static final long BIND_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The number of polls since the last completion. */
    int emptyPolls;

    /** Whether the completion queue polls this queue pair. Only its polling thread uses it. */
    boolean isBusy;

    private final Device device;
    private final AdapterDomain domain;
    private final AdapterCompletionQueue completionQueue;
    private final QueuePairOptions options;
    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by the lock. */
    private final PostedWork work;

    /**
     * The queues of the adapter, from the start of a connection until its end; otherwise null.
     * Guarded by the lock.
     */
    private AdapterQueues queues;

    private Connection connection;
    private boolean isReserved;
    private int readsOut;
    private volatile boolean wasConnected;
    private volatile InetSocketAddress peer;
    private volatile State state = State.INITIALIZED;
    private volatile String failure;

    AdapterQueuePair(QueuePairOptions options, AdapterDomain domain, AdapterCompletionQueue queue) {
        this.device = domain.device;
        this.domain = domain;
        this.completionQueue = queue;
        this.options = options;
        this.work = new PostedWork(this, options, domain, queue);
    }

    @Override
    public State state() {
        return state;
    }

    @Override
    public Optional<String> failure() {
        return Optional.ofNullable(failure);
    }

    @Override
    public Optional<UnknownHandle> unknownHandle() {
        return Optional.empty();
    }

    @Override
    public InetSocketAddress peer() {
        var known = peer;
        if (known == null) {
            throw new IllegalStateException("the queue pair was never connected");
        }
        return known;
    }

    @Override
    public byte[] connect(InetSocketAddress to, byte[] privateData, Duration timeout)
            throws RdmaException, InterruptedException {
        Connection.requireData(privateData, device.requestDataMax());
        reserve();
        long deadline = System.nanoTime() + timeout.toNanos();
        var made = Connection.create(device);
        boolean isConnected = false;
        try {
            begin(made);
            made.resolve(to, deadline);
            create(made);
            var answer =
                    made.connect(
                            to,
                            privateData,
                            device.readsIn(options),
                            device.readsOut(options),
                            deadline);
            ready(made, to, Math.min(device.readsOut(options), device.agreedReadsOut(answer)));
            isConnected = true;
            return answer.privateData();
        } finally {
            if (!isConnected) {
                abandon(made);
            }
        }
    }

    /** Checks that the queue pair may connect, which it does once. */
    private void reserve() {
        lock.lock();
        try {
            if (isReserved || state != State.INITIALIZED) {
                throw new IllegalStateException("a queue pair connects only once");
            }
            isReserved = true;
        } finally {
            lock.unlock();
        }
    }

    /** Lets {@link #close} end what follows. */
    private void begin(Connection made) throws RdmaException {
        lock.lock();
        try {
            requireInitialized();
            connection = made;
        } finally {
            lock.unlock();
        }
    }

    private void requireInitialized() throws RdmaException {
        if (state != State.INITIALIZED) {
            throw new RdmaException.ConnectionLost(failure().orElse(CLOSED), null);
        }
    }

    /** Makes the queues of the adapter and posts the receives to it. */
    private void create(Connection made) throws RdmaException {
        lock.lock();
        try {
            requireInitialized();
            queues =
                    new AdapterQueues(
                            domain, made.id, work.sends.depth, options.receiveQueueSize(), this);
            int error = work.receives.postAll(queues);
            if (error != 0) {
                throw new RdmaException.ConnectionLost(
                        "the adapter refused a receive" + Errors.because(error), null);
            }
        } finally {
            lock.unlock();
        }
    }

    private void ready(Connection made, InetSocketAddress to, int reads) throws RdmaException {
        lock.lock();
        try {
            requireInitialized();
            peer = to;
            readsOut = reads;
            wasConnected = true;
            state = State.READY;
        } finally {
            lock.unlock();
        }
        completionQueue.wake(this);
        made.connected(this);
    }

    /**
     * Gives up a connection that was not made. Until its queues end, the adapter has the receives.
     */
    private void abandon(Connection made) {
        made.destroy(this::destroyQueues);
    }

    private void destroyQueues() {
        lock.lock();
        try {
            if (queues != null) {
                queues.destroy();
            }
            queues = null;
            connection = null;
            if (state == State.ERROR) {
                work.flush();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Reserves the queue pair for {@link #accept}.
     *
     * @throws IllegalArgumentException if it belongs to another adapter
     * @throws IllegalStateException if it has connected, or was closed
     */
    void reserve(Device expected) {
        if (expected != device) {
            throw new IllegalArgumentException("the queue pair belongs to another adapter");
        }
        reserve();
    }

    /** Accepts a request. The queue pair is reserved for it. */
    void accept(
            Connection made, ConnectionEvent request, InetSocketAddress from, byte[] privateData)
            throws RdmaException {
        boolean isConnected = false;
        try {
            begin(made);
            create(made);
            int reads = Math.min(device.readsOut(options), request.initiatorDepth());
            int readsIn = Math.min(device.readsIn(options), request.responderResources());
            int error = made.accept(privateData, readsIn, reads);
            if (error != 0) {
                throw new RdmaException.ConnectionLost(
                        "the connection of the peer was lost" + Errors.because(error), null);
            }
            ready(made, from, reads);
            isConnected = true;
        } finally {
            if (!isConnected) {
                abandon(made);
            }
        }
    }

    @Override
    public void postReceive(long workRequestId, MemoryRegion region, long offset, long length) {
        lock.lock();
        try {
            var writable = domain.requireWritable(region);
            Sge.requireWithin(region, offset, length);
            if (state == State.ERROR) {
                throw new IllegalStateException("the connection has ended");
            }
            int error = work.receives.post(workRequestId, writable, offset, length, queues);
            if (error != 0) {
                finish("the adapter refused a receive" + Errors.because(error));
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public MemoryWindow bind(MemoryRegion region, long offset, long length, Set<Access> access) {
        lock.lock();
        try {
            if (!wasConnected) {
                throw new IllegalStateException("the queue pair was never connected");
            }
            var window = work.windows.open(region, offset, length, access, queues != null);
            if (window.isBinding) {
                work.sends.add(List.of(new SendWork(window)));
                start();
            }
            return window;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int boundWindows() {
        return work.windows.size();
    }

    /** Ends a window. */
    void end(AdapterWindow window) {
        lock.lock();
        try {
            long start = System.nanoTime();
            // The adapter would fail a posted binding whose window is gone.
            while (window.isHandedOver && window.isBinding && window.isValid() && queues != null) {
                if (takeCompletions() == 0) {
                    LockSupport.parkNanos(PAUSE_NANOS);
                }
                if (window.isBinding && System.nanoTime() - start > BIND_NANOS) {
                    finish("the adapter did not bind a window in time");
                }
            }
            work.windows.end(window);
            if (work.cause().isPresent()) {
                finish(null);
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void post(List<WorkRequest> requests) {
        lock.lock();
        try {
            if (!wasConnected) {
                throw new IllegalStateException("the queue pair was never connected");
            }
            requests.forEach(each -> domain.requireValid(each, this, options.gatherMax()));
            if (work.sends.size() + requests.size() > options.sendQueueSize()) {
                throw new IllegalStateException("the send queue is full");
            }
            var works = new ArrayList<SendWork>(requests.size());
            boolean reads = false;
            for (var request : requests) {
                var made = SendWork.of(request);
                works.add(made);
                reads |= made.isRead();
            }
            if (queues != null && reads && readsOut == 0) {
                finish("this side posted an RDMA Read, but none was agreed on");
            }
            if (queues == null) {
                works.forEach(each -> work.ended(each, Status.FLUSHED));
            } else {
                work.sends.add(works);
                start();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Posts what waits, if the adapter has room. */
    private void start() {
        int error = queues == null ? 0 : work.sends.post(queues.qp());
        if (error != 0) {
            finish("the adapter refused a request" + Errors.because(error));
        }
    }

    /** Makes the completion queue look at this queue pair. */
    void hasCompletions() {
        completionQueue.wake(this);
    }

    /** Takes the completions of the adapter. Returns how many there were. */
    int poll() {
        lock.lock();
        try {
            return queues == null ? 0 : takeCompletions();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Asks the adapter for an event at the next completion. Returns whether the queue pair is idle
     * now: there was no completion meanwhile.
     */
    boolean requestNotification() {
        lock.lock();
        try {
            if (queues == null) {
                return true;
            }
            int error = queues.requestNotification();
            if (error != 0) {
                finish("the adapter announces no completions" + Errors.because(error));
                return true;
            }
            return takeCompletions() == 0;
        } finally {
            lock.unlock();
        }
    }

    private int takeCompletions() {
        int taken = work.drain(queues);
        if (work.cause().isPresent()) {
            finish(null);
        } else if (taken > 0) {
            start();
        }
        return taken;
    }

    /** Ends the connection, for a reason or because a side closed it. */
    void lose(Optional<String> why) {
        lock.lock();
        try {
            finish(why.orElse(null));
        } finally {
            lock.unlock();
        }
    }

    /** Ends the connection because the peer did, or because its adapter or this one did. */
    void disconnected() {
        lock.lock();
        try {
            if (state != State.READY) {
                return;
            }
            work.drain(queues);
            // The completions tell more than the state does.
            boolean isViolated = work.cause().isEmpty() && !device.isIwarp && queues.isFailed();
            finish(
                    isViolated
                            ? "the peer violated the protocol, or used memory that is not open"
                            : null);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Ends the connection: completes what the adapter has completed, and flushes the rest. If the
     * connection is being made, the thread that makes it then gives up.
     *
     * @param why the reason, or null if a side closed the connection or the adapter tells why
     */
    private void finish(String why) {
        if (queues == null || state == State.ERROR) {
            return;
        }
        var ended = queues;
        if (state == State.INITIALIZED) {
            failure = why != null ? why : work.cause().orElse(null);
            state = State.ERROR;
            connection.giveUp(failure().orElse(CLOSED));
            return;
        }
        Steps.runAll(
                () -> work.drain(ended),
                () -> {
                    failure = why != null ? why : work.cause().orElse(null);
                    state = State.ERROR;
                },
                connection::disconnect,
                ended::fail,
                () -> work.drain(ended),
                work.windows::release,
                ended::destroy,
                () -> queues = null,
                connection::leave,
                work::flush);
    }

    @Override
    public void close(Duration grace) {
        long start = System.nanoTime();
        lock.lock();
        try {
            while (queues != null && state == State.READY && !work.sends.isEmpty()) {
                takeCompletions();
                if (queues == null
                        || work.sends.hasUnfinishedRead()
                        || System.nanoTime() - start >= grace.toNanos()) {
                    break;
                }
                lock.unlock();
                LockSupport.parkNanos(PAUSE_NANOS);
                lock.lock();
            }
            finish(null);
            if (state == State.INITIALIZED) {
                state = State.ERROR;
                if (connection != null) {
                    connection.giveUp(CLOSED);
                }
                work.flush();
            }
        } finally {
            lock.unlock();
        }
    }
}
