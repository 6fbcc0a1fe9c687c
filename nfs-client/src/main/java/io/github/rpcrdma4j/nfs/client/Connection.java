package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A connection that is made anew when it is lost: once, at once, if it was good for something, and
 * then for as long as the options say. Calls that were outstanding are sent again with their XIDs,
 * so that a server which remembers them carries out none twice; their memory is registered anew
 * (RFC 5666-8-1). Thread-safe: of the callers that find the connection lost one reconnects, the
 * others wait for that.
 */
final class Connection implements AutoCloseable {
    private final Connector connector;
    private final ClientOptions options;
    private final AtomicInteger lastXid = new AtomicInteger(ThreadLocalRandom.current().nextInt());
    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by the lock. */
    private final BackOff backOff = new BackOff();

    /** Wakes whoever waits for the next try. */
    private final CountDownLatch closing = new CountDownLatch(1);

    private volatile RpcClient client;

    /** Whether the newest connection was good for a reply. */
    private volatile boolean answered;

    Connection(Connector connector, ClientOptions options)
            throws RpcException, InterruptedException {
        this.connector = connector;
        this.options = options;
        this.client = connector.connect();
        this.answered = true;
    }

    /** Makes a call; a second time if the connection is lost, and more if a retry is wanted. */
    RpcReply call(RpcCall call) throws RpcException, InterruptedException {
        var numbered = numbered(call);
        var tries = tries();
        while (true) {
            var used = client;
            try {
                var reply = used.call(numbered, options.deadline());
                answered();
                return reply;
            } catch (RpcException failure) {
                if (!tries.again(failure, System.nanoTime())) {
                    throw failure;
                }
                reconnect(used, tries.giveUp(), failure);
            }
        }
    }

    /** Calls that one thread keeps in flight. */
    LastingFlight flight() {
        return new LastingFlight(this, options.deadline());
    }

    /** The newest connection. */
    RpcClient client() {
        return client;
    }

    /** The call, to be known by its XID on every connection. */
    RpcCall numbered(RpcCall call) {
        return call.withXid(lastXid.incrementAndGet());
    }

    /** How often a new call is tried. */
    Tries tries() {
        return new Tries(options.retry().toNanos());
    }

    /** The newest connection was good for a reply. */
    void answered() {
        if (!answered) {
            answered = true;
        }
    }

    /**
     * Makes a connection anew, unless another thread has.
     *
     * @param lost is closed
     * @param giveUp when to stop trying, by {@link System#nanoTime}
     * @throws RpcException if the server cannot be reached until then
     */
    void reconnect(RpcClient lost, long giveUp, RpcException why)
            throws RpcException, InterruptedException {
        lock.lockInterruptibly();
        try {
            if (client != lost) {
                return;
            }
            lost.close();
            boolean atOnce = answered;
            if (answered) {
                backOff.reset();
                answered = false;
                connector.lost(why);
            }
            var reason = why;
            while (client == lost) {
                long left = giveUp - System.nanoTime();
                if (left <= 0 && !atOnce) {
                    throw reason;
                }
                atOnce = false;
                long pause = backOff.next(ThreadLocalRandom.current().nextDouble());
                if (closing.await(Math.min(pause, left), TimeUnit.NANOSECONDS)) {
                    throw new RpcException.ConnectionLost("closed on this side", null);
                }
                try {
                    client = connector.connect();
                } catch (RpcException unreachable) {
                    reason = unreachable;
                }
            }
        } finally {
            lock.unlock();
        }
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
