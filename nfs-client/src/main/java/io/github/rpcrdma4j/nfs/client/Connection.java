package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A connection that is made anew when it is lost, for as long as the options say. Thread-safe: of
 * the callers that find it lost one reconnects, the others wait for that.
 */
final class Connection implements AutoCloseable {
    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** A reply, and whether the call may have been carried out before. */
    record Answered(RpcReply reply, boolean repeated) {}

    private final Connector connector;
    private final ClientOptions options;
    private final ReentrantLock lock = new ReentrantLock();

    /** Wakes whoever waits for the next try. */
    private final CountDownLatch closing = new CountDownLatch(1);

    private volatile RpcClient client;

    Connection(Connector connector, ClientOptions options)
            throws RpcException, InterruptedException {
        this.connector = connector;
        this.options = options;
        this.client = connector.connect();
    }

    /**
     * Makes a call; more than once if the connection is lost and a retry is wanted. What the
     * transport refused is not tried again (RFC 8267-3.1-2, 8267-3.1-3, 8267-3.1-4, 8267-4.1-1).
     */
    Answered call(RpcCall call) throws RpcException, InterruptedException {
        boolean repeated = false;
        long giveUp = 0;
        while (true) {
            var used = client;
            try {
                return new Answered(used.call(call, options.deadline()), repeated);
            } catch (RpcException.ConnectionLost | RpcException.TimedOut lost) {
                long now = System.nanoTime();
                if (!repeated) {
                    // From the loss on: a deadline may be longer than all the retries.
                    giveUp = now + options.retry().toNanos();
                }
                if (now - giveUp >= 0) {
                    throw lost;
                }
                repeated = true;
                reconnect(used, giveUp, lost);
            }
        }
    }

    private void reconnect(RpcClient lost, long giveUp, RpcException why)
            throws RpcException, InterruptedException {
        lock.lockInterruptibly();
        try {
            if (client != lost) {
                return;
            }
            lost.close();
            if (System.nanoTime() - giveUp >= 0) {
                throw why;
            }
            if (closing.getCount() == 0) {
                throw why;
            }
            for (long pause = FIRST_PAUSE_NANOS;
                    ;
                    pause = Math.min(2 * pause, LONGEST_PAUSE_NANOS)) {
                try {
                    client = connector.connect();
                    return;
                } catch (RpcException unreachable) {
                    if (System.nanoTime() - giveUp >= 0) {
                        throw unreachable;
                    }
                }
                if (closing.await(pause, TimeUnit.NANOSECONDS)) {
                    throw new RpcException.ConnectionLost("closed on this side", null);
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
