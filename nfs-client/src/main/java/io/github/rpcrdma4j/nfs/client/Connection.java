package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
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
    private volatile RpcClient client;
    private boolean closed;

    Connection(Connector connector, ClientOptions options)
            throws RpcException, InterruptedException {
        this.connector = connector;
        this.options = options;
        this.client = connector.connect();
    }

    /** Makes a call; more than once if the connection is lost and a retry is wanted. */
    Answered call(RpcCall call) throws RpcException, InterruptedException {
        boolean repeated = false;
        long giveUp = System.nanoTime() + options.retry().toNanos();
        while (true) {
            var used = client;
            try {
                return new Answered(used.call(call, options.deadline()), repeated);
            } catch (RpcException.ConnectionLost | RpcException.TimedOut lost) {
                if (options.retry().isZero() || System.nanoTime() - giveUp >= 0) {
                    throw lost;
                }
                repeated = true;
                reconnect(used, giveUp);
            }
        }
    }

    private void reconnect(RpcClient lost, long giveUp) throws RpcException, InterruptedException {
        lock.lockInterruptibly();
        try {
            if (client != lost) {
                return;
            }
            lost.close();
            for (long pause = FIRST_PAUSE_NANOS;
                    ;
                    pause = Math.min(2 * pause, LONGEST_PAUSE_NANOS)) {
                if (closed) {
                    throw new RpcException.ConnectionLost("closed on this side", null);
                }
                try {
                    client = connector.connect();
                    return;
                } catch (RpcException unreachable) {
                    if (System.nanoTime() - giveUp >= 0) {
                        throw unreachable;
                    }
                }
                LockSupport.parkNanos(pause);
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            client.close();
        } finally {
            lock.unlock();
        }
    }
}
