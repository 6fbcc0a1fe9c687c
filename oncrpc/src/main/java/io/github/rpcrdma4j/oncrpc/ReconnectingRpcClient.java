package io.github.rpcrdma4j.oncrpc;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A client that reconnects when its connection is lost, and sends the outstanding calls again.
 *
 * <pre>{@code
 * Connector connector = () -> TcpRpcClient.connect(server, credential, Duration.ofSeconds(10));
 * try (var client = ReconnectingRpcClient.connect(connector, Duration.ofMinutes(1))) {
 *     try (var reply = client.call(call, Duration.ofSeconds(30))) {
 *         // decode reply.results()
 *     }
 * }
 * }</pre>
 *
 * <p>Over RDMA, {@code RpcRdmaClient.builder().connectReconnecting(server, retry)} does the same.
 *
 * <p>After the loss of a connection that carried a reply, the client reconnects at once. Further
 * tries follow, with pauses that grow up to two seconds, until the retry time of a call has passed.
 * With a retry time of zero there is only the one immediate try; later calls try once each, after
 * such pauses.
 *
 * <p>The timeout of a call bounds each attempt, because each one needs the time that the server
 * takes. The retry time bounds when further attempts begin. So a call may take longer than its
 * timeout and the retry time together. {@link #call(RpcCall, Duration, Duration)} takes a bound on
 * all of it.
 *
 * <p>The client sends a call again with the XID that it had. It encodes the arguments and registers
 * the memory again (RFC 5666-8-1). The servers of this project remember calls for two minutes, as
 * far as there is room, and carry out a repeated call once. They carry out a call again if its
 * program declares it {@link ProcedureDescriptor#repeatable}, or if its results have more than 64
 * KiB, bulk items included. Another server may carry out any call twice. If that matters for a
 * procedure, the caller must check the outcome itself, or use a client that does not reconnect. The
 * client does not repeat a call that the server or the transport refused.
 *
 * <p>A new connection may take one call at a time until its first reply ({@link
 * RpcClient#takesOneCallAtFirst}). If several calls are in progress then, the client sends a NULL
 * call first. Its reply is immediate, even if the other calls are slow. It costs no time, because
 * without it the other calls would wait for the reply to one of them.
 *
 * <p>Thread-safe. When several callers notice the loss, one of them reconnects and the others wait
 * for it.
 */
public final class ReconnectingRpcClient implements RpcClient {
    private final Connector connector;
    private final long retryNanos;
    private final ReconnectingTime time;
    private final AtomicInteger lastXid = new AtomicInteger(ThreadLocalRandom.current().nextInt());

    /** The number of calls without an outcome. */
    private final AtomicInteger inProgress = new AtomicInteger();

    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by the lock, like the fields up to {@code unreachable}. */
    private final BackOff backOff = new BackOff();

    /** Whether {@code nextTry} is set. */
    private boolean planned;

    private long nextTry;

    private final Outage outage = new Outage();

    /** The failure of the newest try; null if it succeeded. */
    private RpcException unreachable;

    /** Held for moments only, so that {@link #close} wakes a thread that waits for the next try. */
    private final ReentrantLock closing = new ReentrantLock();

    private final Condition whenClosing;

    /** Guarded by the lock of closing. */
    private boolean isClosing;

    private volatile RpcClient client;

    /** Whether the newest connection carried a reply. */
    private volatile boolean carriedReply;

    private ReconnectingRpcClient(
            Connector connector, Duration retry, ReconnectingTime time, RpcClient client) {
        this.connector = connector;
        this.retryNanos = Timeouts.nanos(retry);
        this.time = time;
        this.whenClosing = time.condition(closing);
        this.client = client;
        this.carriedReply = true;
    }

    /**
     * Connects for the first time, with one try.
     *
     * @param connector makes this connection and all later ones
     * @param retry the time after its first failure within which a call is sent again; with zero
     *     there is only the one immediate try after the loss of a connection
     * @throws RpcException if the server cannot be reached
     * @throws InterruptedException if the thread is interrupted while it connects
     * @throws IllegalArgumentException if the retry time is negative
     */
    public static ReconnectingRpcClient connect(Connector connector, Duration retry)
            throws RpcException, InterruptedException {
        return connect(connector, retry, ReconnectingTime.OF_MACHINE);
    }

    /** Connects likewise, in a time. */
    static ReconnectingRpcClient connect(Connector connector, Duration retry, ReconnectingTime time)
            throws RpcException, InterruptedException {
        if (retry.isNegative()) {
            throw new IllegalArgumentException(
                    "a retry time must not be negative: " + Timeouts.words(retry));
        }
        return new ReconnectingRpcClient(connector, retry, time, connector.connect());
    }

    /** Returns the time in nanoseconds of any origin. */
    long nanoTime() {
        return time.nanoTime();
    }

    /**
     * Makes a call and waits for its reply. If the connection is lost, the client sends the call a
     * second time, and more often within the retry time. Within that time, it also repeats a call
     * that timed out, on a new connection.
     *
     * @param timeout the bound on each attempt, not on all of them together
     * @throws RpcException if the call has no results: {@link RpcException.ConnectionLost} or
     *     {@link RpcException.TimedOut} of the last attempt, {@link RpcException.Unreachable} of
     *     the last try to connect, or the server's refusal
     */
    @Override
    public RpcReply call(RpcCall call, Duration timeout) throws RpcException, InterruptedException {
        return call(new ReconnectingCall(numbered(call), timeout, retryNanos));
    }

    /**
     * Makes a call as {@link #call(RpcCall, Duration)} does, with one more bound: on all attempts,
     * the pauses between them, and the tries to connect, together.
     *
     * @param timeout the bound on each attempt
     * @param whole the bound on the whole call. A connector that does not know it ({@link
     *     Connector#connect(Duration)}) may exceed it by the time of one try to connect.
     * @throws RpcException as for the other method; a call that is still in progress at the end of
     *     the time ends as one that was given up, and the message says so
     * @throws IllegalArgumentException also if the bound is negative
     */
    public RpcReply call(RpcCall call, Duration timeout, Duration whole)
            throws RpcException, InterruptedException {
        long deadline = time.nanoTime() + Timeouts.nanosOfCall(whole);
        try {
            return call(
                    new ReconnectingCall(
                            numbered(call), timeout, retryNanos, OptionalLong.of(deadline)));
        } catch (RpcException.TimedOut late) {
            // The last attempt had only the rest of the time, which the caller does not know.
            throw time.nanoTime() - deadline < 0
                    ? late
                    : new RpcException.TimedOut(
                            late.getMessage()
                                    + ", at the end of the "
                                    + Timeouts.words(whole)
                                    + " for the whole call");
        }
    }

    private RpcReply call(ReconnectingCall call) throws RpcException, InterruptedException {
        inProgress.incrementAndGet();
        try {
            var used = client;
            while (true) {
                try {
                    return callOn(used, call);
                } catch (RpcException failure) {
                    if (!call.shouldRetry(failure, time.nanoTime())) {
                        throw failure;
                    }
                }
                reconnect(used, call, Long.MAX_VALUE);
                used = client;
            }
        } finally {
            inProgress.decrementAndGet();
        }
    }

    private RpcReply callOn(RpcClient used, ReconnectingCall call)
            throws RpcException, InterruptedException {
        var reply = used.call(call.call, call.timeout(time.nanoTime()));
        recordReply();
        return reply;
    }

    /**
     * {@inheritDoc}
     *
     * <p>The polling thread reconnects, within {@link CallPipeline#poll}. The timeout of {@code
     * poll} bounds the wait for the next try to connect, but not the try itself, which the
     * connector bounds. The timeout of {@link CallPipeline#submit} bounds each attempt to make the
     * call.
     */
    @Override
    public CallPipeline pipeline() {
        return new ReconnectingPipeline(this);
    }

    /** Returns what the newest connection carries. */
    @Override
    public long callBackBytesMax() {
        return client.callBackBytesMax();
    }

    /** Returns how many more calls the newest connection takes. */
    @Override
    public int callsLeft() {
        return client.callsLeft();
    }

    /** Returns the newest connection. */
    RpcClient client() {
        return client;
    }

    /** Returns the call with an XID, which it keeps on every connection. */
    RpcCall numbered(RpcCall call) {
        return call.xid().isPresent() ? call : call.withXid(lastXid.incrementAndGet());
    }

    /** Returns the retry time, in nanoseconds. */
    long retryNanos() {
        return retryNanos;
    }

    /** Records that the newest connection carried a reply. */
    void recordReply() {
        if (!carriedReply) {
            carriedReply = true;
        }
    }

    /** Counts calls that have begun, or, with a negative number, calls that have ended. */
    void addInProgress(int calls) {
        inProgress.addAndGet(calls);
    }

    /**
     * Replaces a lost connection, unless another thread has done so.
     *
     * @param lost the lost connection, which this method closes
     * @param retried the call to send again
     * @param patience the longest wait for the next try to connect, in nanoseconds
     * @return false if the next try is not due yet
     * @throws RpcException if the server cannot be reached in time, or this client is closed
     */
    boolean reconnect(RpcClient lost, ReconnectingCall retried, long patience)
            throws RpcException, InterruptedException {
        // Another call may be at a try to connect, which takes long.
        if (!time.tryLock(lock, retried.left(time.nanoTime()))) {
            throw retried.reason();
        }
        try {
            requireOpen(0);
            if (client != lost) {
                return true;
            }
            lost.close();
            boolean atOnce = carriedReply;
            if (atOnce) {
                backOff.reset();
                planned = false;
                unreachable = null;
                carriedReply = false;
                connector.lost(retried.reason());
                outage.begin(retried.reason().getMessage());
            }
            return reconnect(retried, atOnce, patience);
        } finally {
            lock.unlock();
        }
    }

    private boolean reconnect(ReconnectingCall retried, boolean first, long patience)
            throws RpcException, InterruptedException {
        long start = time.nanoTime();
        boolean atOnce = first;
        boolean hasTried = false;
        while (true) {
            long now = time.nanoTime();
            long left = retried.retryDeadline() - now;
            // A later call tries once, too, when the pause after the last try has passed.
            boolean isDue = !hasTried && planned && nextTry - now <= 0;
            if (left <= 0 && !atOnce && !isDue) {
                outage.end(false);
                connector.lossEnded(false);
                throw unreachable == null ? retried.reason() : unreachable;
            }
            if (!planned) {
                plan(now);
            }
            long pause = Math.max(0, Math.min(nextTry - now, left));
            long patient = Math.max(0, patience - (now - start));
            if (pause > patient) {
                requireOpen(patient);
                return false;
            }
            requireOpen(pause);
            atOnce = false;
            hasTried = true;
            plan(time.nanoTime());
            outage.tried();
            try {
                client = connect(retried);
                unreachable = null;
                outage.end(true);
                connector.lossEnded(true);
                return true;
            } catch (RpcException failure) {
                unreachable = failure;
            }
        }
    }

    /** Plans the next try. */
    private void plan(long now) {
        planned = true;
        nextTry = now + backOff.next(time.chance());
    }

    /** Waits for a time. Throws if this client is closed or closes meanwhile. */
    private void requireOpen(long nanos) throws RpcException, InterruptedException {
        closing.lockInterruptibly();
        try {
            long left = nanos;
            while (!isClosing && left > 0) {
                left = whenClosing.awaitNanos(left);
            }
            if (isClosing) {
                throw new RpcException.ConnectionLost("closed on this side", null);
            }
        } finally {
            closing.unlock();
        }
    }

    /** Returns a new connection on which all calls in progress can be sent. */
    private RpcClient connect(ReconnectingCall retried) throws RpcException, InterruptedException {
        var made = connectWithin(retried.left(time.nanoTime()));
        if (inProgress.get() < 2 || !made.takesOneCallAtFirst()) {
            return made;
        }
        boolean open = false;
        try {
            made.ping(
                    retried.call.program(),
                    retried.call.version(),
                    retried.timeout(time.nanoTime()));
            open = true;
        } catch (RpcException.ConnectionLost | RpcException.TimedOut failure) {
            throw failure;
        } catch (RpcException _) {
            // The server refused NULL, but it replied.
            open = true;
        } finally {
            if (!open) {
                made.close();
            }
        }
        return made;
    }

    private RpcClient connectWithin(long nanos) throws RpcException, InterruptedException {
        return nanos == Long.MAX_VALUE
                ? connector.connect()
                : connector.connect(Duration.ofNanos(Math.max(0, nanos)));
    }

    @Override
    public void close() {
        closing.lock();
        try {
            isClosing = true;
            whenClosing.signalAll();
        } finally {
            closing.unlock();
        }
        lock.lock();
        try {
            client.close();
        } finally {
            lock.unlock();
        }
    }
}
