package io.github.rpcrdma4j.rpcrdma;

import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.rpcrdma.connect.Endpoint;
import io.github.rpcrdma4j.rpcrdma.connect.Terms;
import io.github.rpcrdma4j.rpcrdma.requester.PendingCall;
import io.github.rpcrdma4j.rpcrdma.requester.Requester;
import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.CompletionQueue;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import io.github.rpcrdma4j.verbs.QueuePairOptions;
import io.github.rpcrdma4j.verbs.RdmaException;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.xdr.SegmentPool;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A requester's connection, and the turn to poll it. Of the threads that wait for answers one is
 * the leader: it polls, outside the lock, and handles what completes for all of them. When the
 * leader has its own answer it wakes a follower to take over. So a lone caller reads its own reply,
 * with no hand-off to another thread.
 */
final class ClientConnection {
    /**
     * Responders exist that ignore the advertised size and send inline replies as long as a few
     * pages; a receive of this size takes them.
     */
    private static final int RECEIVE_BYTES_MIN = 16 << 10;

    private static final long POOL_BYTES = 64L << 20;
    private static final int READS = 32;

    private final InetSocketAddress peer;
    private final RpcRdmaOptions options;
    private final Statistics statistics = new Statistics();
    private final SegmentPool pool = new SegmentPool(POOL_BYTES);
    private final ProtectionDomain domain;
    private final CompletionQueue completionQueue;
    private final Endpoint endpoint;

    /** Set once, before the connection is handed out. */
    private Terms terms;

    /** Guards everything below, the requester included. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Requester requester;
    private final List<Completion> completions = new ArrayList<>();
    private final ArrayDeque<PendingCall> followers = new ArrayDeque<>();
    private int lastXid = ThreadLocalRandom.current().nextInt();
    private boolean polling;
    private boolean closed;

    private ClientConnection(
            RdmaProvider provider, InetSocketAddress peer, RpcRdmaOptions options) {
        this.peer = peer;
        this.options = options;
        domain = provider.allocateProtectionDomain();
        completionQueue = provider.createCompletionQueue();
        var queuePair =
                provider.createQueuePair(
                        new QueuePairOptions(
                                domain,
                                completionQueue,
                                Endpoint.SEND_QUEUE_SIZE,
                                options.credits(),
                                READS,
                                READS,
                                true));
        endpoint =
                new Endpoint(queuePair, pool, Math.max(options.inlineReceive(), RECEIVE_BYTES_MIN));
        requester =
                new Requester(
                        endpoint,
                        pool,
                        statistics,
                        options.credits(),
                        call -> LockSupport.unpark(call.waiter()));
    }

    static ClientConnection open(
            RdmaProvider provider, InetSocketAddress peer, RpcRdmaOptions options)
            throws RpcException, InterruptedException {
        var connection = new ClientConnection(provider, peer, options);
        try {
            connection.establish();
            return connection;
        } catch (RdmaException failure) {
            connection.close();
            throw new RpcException.Unreachable(failure.getMessage(), failure);
        } catch (InterruptedException | RuntimeException failure) {
            connection.close();
            throw failure;
        }
    }

    private void establish() throws RdmaException, InterruptedException {
        var own = options.privateData();
        var answer = endpoint.queuePair().connect(peer, own.encode(), options.setupTimeout());
        terms = Terms.ofRequester(own, answer);
        statistics.count(Counter.CONNECTIONS_OPENED);
    }

    Terms terms() {
        return terms;
    }

    SegmentPool pool() {
        return pool;
    }

    ProtectionDomain domain() {
        return domain;
    }

    Statistics statistics() {
        return statistics;
    }

    /** An XID that no call holds. */
    int nextXid() {
        lock.lock();
        try {
            do {
                lastXid++;
            } while (requester.holds(lastXid));
            return lastXid;
        } finally {
            lock.unlock();
        }
    }

    /** Sends the call, or queues it for a credit. */
    void start(PendingCall call) {
        lock.lock();
        try {
            requester.start(call);
        } catch (RuntimeException | Error broken) {
            endpoint.close("internal error: " + broken);
            throw broken;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until the call has its answer: at the latest at the deadline, when it is cancelled.
     *
     * @throws InterruptedException if the thread is interrupted; the call is cancelled
     */
    void await(PendingCall call, long deadline) throws InterruptedException {
        lock.lock();
        try {
            while (call.answer() == null) {
                long left = deadline - System.nanoTime();
                if (left <= 0) {
                    requester.cancel(
                            call,
                            new RpcException.TimedOut(
                                    "no reply from " + peer + " within the deadline"));
                } else if (polling) {
                    follow(call, left);
                } else {
                    lead(call, left);
                }
            }
        } catch (InterruptedException interrupted) {
            requester.cancel(call, new RpcException.TimedOut("the call was interrupted"));
            throw interrupted;
        } finally {
            if (!polling && !followers.isEmpty()) {
                LockSupport.unpark(followers.getFirst().waiter());
            }
            lock.unlock();
        }
    }

    private void follow(PendingCall call, long nanos) throws InterruptedException {
        followers.addLast(call);
        lock.unlock();
        try {
            LockSupport.parkNanos(this, nanos);
        } finally {
            lock.lock();
            followers.remove(call);
        }
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    private void lead(PendingCall call, long nanos) throws InterruptedException {
        polling = true;
        lock.unlock();
        try {
            completionQueue.poll(completions, nanos);
        } finally {
            lock.lock();
            polling = false;
            handleCompletions();
        }
    }

    private void handleCompletions() {
        try {
            for (var completion : completions) {
                endpoint.completed(completion);
            }
        } catch (RuntimeException | Error broken) {
            endpoint.close("internal error: " + broken);
            throw broken;
        } finally {
            completions.clear();
            if (closed) {
                completionQueue.close();
            }
        }
    }

    int registeredRegions() {
        return domain.registeredRegions();
    }

    int leasedMemory() {
        return pool.leased();
    }

    void close() {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            endpoint.close("closed on this side");
            domain.close();
            statistics.count(Counter.CONNECTIONS_ENDED);
            if (polling) {
                // The leader closes the queue when it comes back from it.
                completionQueue.wakeup();
            } else {
                completionQueue.close();
            }
        } finally {
            lock.unlock();
        }
    }
}
