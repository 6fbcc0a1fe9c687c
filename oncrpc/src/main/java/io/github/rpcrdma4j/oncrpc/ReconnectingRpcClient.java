package io.github.rpcrdma4j.oncrpc;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A client that makes its connection anew when it is lost, and sends the outstanding calls again.
 *
 * <pre>{@code
 * Connector connector =
 *         () -> RpcRdmaClient.connect(provider, server, credential, bindings, options);
 * try (var client = ReconnectingRpcClient.connect(connector, Duration.ofMinutes(1))) {
 *     try (var reply = client.call(call, Duration.ofSeconds(30))) {
 *         // decode reply.results()
 *     }
 * }
 * }</pre>
 *
 * <p>After the loss of a connection that was good for a reply it connects at once; then again and
 * again, with pauses that grow up to two seconds, for as long as the retry time of a call lasts.
 * With a retry time of zero there is the one try at once.
 *
 * <p>A call is sent again with its XID, and with its arguments encoded and its memory registered
 * anew (RFC 5666-8-1). A server that remembers XIDs, as those of this project do for some minutes,
 * carries it out once. A server that does not may carry it out twice: of a procedure for which that
 * matters a caller has to find out what became of it, or uses a client that does not reconnect.
 * What the server or the transport refused is not tried again.
 *
 * <p>When several calls are in progress and the new connection takes one at a time until its first
 * reply ({@link RpcClient#takesOneCallAtFirst}), a NULL call goes first. Its reply comes at once,
 * whatever the others take. It costs no time: without it the others would wait for one of them, and
 * that for a round trip as well.
 *
 * <p>Thread-safe: of the callers that find the connection lost one reconnects, the others wait for
 * that.
 */
public final class ReconnectingRpcClient implements RpcClient {
    private final Connector connector;
    private final long retryNanos;
    private final AtomicInteger lastXid = new AtomicInteger(ThreadLocalRandom.current().nextInt());

    /** Calls that have no outcome. */
    private final AtomicInteger inProgress = new AtomicInteger();

    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by the lock, as is what follows. */
    private final BackOff backOff = new BackOff();

    /** Whether the next try has a time. */
    private boolean planned;

    private long nextTry;

    /** Since the newest connection was lost. */
    private ReconnectEvent outage = new ReconnectEvent();

    /** Why the newest try failed; null if it did not. */
    private RpcException unreachable;

    /** Wakes the threads that wait for the next try. */
    private final CountDownLatch closing = new CountDownLatch(1);

    private volatile RpcClient client;

    /** Whether the newest connection was good for a reply. */
    private volatile boolean answered;

    private ReconnectingRpcClient(Connector connector, Duration retry, RpcClient client) {
        this.connector = connector;
        this.retryNanos = Timeouts.nanos(retry);
        this.client = client;
        this.answered = true;
    }

    /**
     * Connects for the first time: one try.
     *
     * @param connector makes this connection and all later ones
     * @param retry for how long, from its first failure on, a call is tried again; zero for the one
     *     try at once that follows the loss of a connection
     * @throws RpcException if the server cannot be reached
     * @throws InterruptedException if the thread is interrupted while it connects
     * @throws IllegalArgumentException if the retry time is negative
     */
    public static ReconnectingRpcClient connect(Connector connector, Duration retry)
            throws RpcException, InterruptedException {
        if (retry.isNegative()) {
            throw new IllegalArgumentException("a retry time must not be negative: " + retry);
        }
        return new ReconnectingRpcClient(connector, retry, connector.connect());
    }

    /**
     * Makes a call and waits for its reply: a second time if the connection is lost, and more often
     * within the retry time. Within that time a call without a reply is sent again too, on a new
     * connection.
     *
     * @param timeout the bound on each time the call is sent, not on all of them together
     * @throws RpcException if there are no results: {@link RpcException.ConnectionLost} or {@link
     *     RpcException.TimedOut} of the last time it was sent, {@link RpcException.Unreachable} of
     *     the last try to connect, or what the server says
     */
    @Override
    public RpcReply call(RpcCall call, Duration timeout) throws RpcException, InterruptedException {
        var numbered = numbered(call);
        inProgress.incrementAndGet();
        var used = client;
        try {
            return callOn(used, numbered, timeout);
        } catch (RpcException failure) {
            return callAgain(used, new ReconnectingCall(numbered, timeout, retryNanos), failure);
        } finally {
            inProgress.decrementAndGet();
        }
    }

    private RpcReply callAgain(RpcClient lost, ReconnectingCall lasting, RpcException why)
            throws RpcException, InterruptedException {
        var used = lost;
        var failure = why;
        while (lasting.again(failure, System.nanoTime())) {
            reconnect(used, lasting, Long.MAX_VALUE);
            used = client;
            try {
                return callOn(used, lasting.call, lasting.timeout);
            } catch (RpcException next) {
                failure = next;
            }
        }
        throw failure;
    }

    private RpcReply callOn(RpcClient used, RpcCall call, Duration timeout)
            throws RpcException, InterruptedException {
        var reply = used.call(call, timeout);
        answered();
        return reply;
    }

    /**
     * {@inheritDoc}
     *
     * <p>Its thread reconnects, within {@link CallPipeline#poll}. That waits no longer than it is
     * told for the next try to connect, but a try takes as long as the connector does. A timeout of
     * {@link CallPipeline#submit} is the bound on each time the call is sent.
     */
    @Override
    public CallPipeline pipeline() {
        return new ReconnectingPipeline(this);
    }

    /** The newest connection. */
    RpcClient client() {
        return client;
    }

    /** The call, to be known by its XID on every connection. */
    RpcCall numbered(RpcCall call) {
        return call.xid().isPresent() ? call : call.withXid(lastXid.incrementAndGet());
    }

    /** For how long a call is tried again. */
    long retryNanos() {
        return retryNanos;
    }

    /** The newest connection was good for a reply. */
    void answered() {
        if (!answered) {
            answered = true;
        }
    }

    /** Calls have begun, or, of a negative number, have their outcomes. */
    void count(int calls) {
        inProgress.addAndGet(calls);
    }

    /**
     * Makes a connection anew, unless another thread has.
     *
     * @param lost is closed
     * @param again the call that is to be sent again
     * @param patience how long to wait for the next try to connect, in nanoseconds
     * @return false if the next try is not due yet
     * @throws RpcException if the server cannot be reached in time, or this client is closed
     */
    boolean reconnect(RpcClient lost, ReconnectingCall again, long patience)
            throws RpcException, InterruptedException {
        lock.lockInterruptibly();
        try {
            requireOpen(0);
            if (client != lost) {
                return true;
            }
            lost.close();
            boolean atOnce = answered;
            if (atOnce) {
                backOff.reset();
                planned = false;
                unreachable = null;
                answered = false;
                connector.lost(again.reason());
                outage = new ReconnectEvent();
                outage.reason = again.reason().getMessage();
                outage.begin();
            }
            return reconnect(again, atOnce, patience);
        } finally {
            lock.unlock();
        }
    }

    private boolean reconnect(ReconnectingCall again, boolean first, long patience)
            throws RpcException, InterruptedException {
        long start = System.nanoTime();
        boolean atOnce = first;
        while (true) {
            long now = System.nanoTime();
            long left = again.giveUp() - now;
            if (left <= 0 && !atOnce) {
                record(false);
                throw unreachable == null ? again.reason() : unreachable;
            }
            if (!planned) {
                planned = true;
                nextTry = now + backOff.next(ThreadLocalRandom.current().nextDouble());
            }
            long pause = Math.min(nextTry - now, left);
            long patient = Math.max(0, patience - (now - start));
            if (pause > patient) {
                requireOpen(patient);
                return false;
            }
            requireOpen(pause);
            atOnce = false;
            planned = false;
            outage.tries++;
            try {
                client = connect(again);
                unreachable = null;
                record(true);
                return true;
            } catch (RpcException failure) {
                unreachable = failure;
            }
        }
    }

    /** What became of an outage; another call may try again, and go on with it. */
    private void record(boolean connected) {
        outage.connected = connected;
        var event = outage;
        outage = new ReconnectEvent();
        outage.reason = event.reason;
        outage.tries = event.tries;
        outage.begin();
        event.commit();
    }

    /** Waits a while, unless this client is closed. */
    private void requireOpen(long nanos) throws RpcException, InterruptedException {
        if (closing.await(nanos, TimeUnit.NANOSECONDS)) {
            throw new RpcException.ConnectionLost("closed on this side", null);
        }
    }

    /** A connection on which all calls in progress can be sent. */
    private RpcClient connect(ReconnectingCall again) throws RpcException, InterruptedException {
        var made = connector.connect();
        if (inProgress.get() < 2 || !made.takesOneCallAtFirst()) {
            return made;
        }
        boolean open = false;
        try {
            made.ping(again.call.program(), again.call.version(), again.timeout);
            open = true;
        } catch (RpcException.ConnectionLost | RpcException.TimedOut failure) {
            throw failure;
        } catch (RpcException _) {
            // The server does not like NULL, but has answered.
            open = true;
        } finally {
            if (!open) {
                made.close();
            }
        }
        return made;
    }

    @Override
    public void close() {
        closing.countDown();
        lock.lock();
        try {
            client.close();
        } finally {
            lock.unlock();
        }
    }
}
