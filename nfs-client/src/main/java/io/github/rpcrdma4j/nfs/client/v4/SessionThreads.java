package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.ReconnectingRpcClient;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The source of clock and threads of a client: either the machine, or a simulation that steps
 * threads one at a time. Thread-safe.
 */
interface SessionThreads {
    /** The clock and the threads of the machine. */
    SessionThreads OF_MACHINE =
            new SessionThreads() {
                @Override
                public long nanoTime() {
                    return System.nanoTime();
                }

                @Override
                public void sleep(long nanos) throws InterruptedException {
                    TimeUnit.NANOSECONDS.sleep(nanos);
                }

                @Override
                public Condition condition(ReentrantLock lock) {
                    return lock.newCondition();
                }

                @Override
                public Thread unstarted(String name, Runnable work) {
                    return Thread.ofVirtual().name(name).unstarted(work);
                }

                @Override
                public RpcClient connect(Connector connector, Duration retry)
                        throws RpcException, InterruptedException {
                    return ReconnectingRpcClient.connect(connector, retry);
                }
            };

    /** Returns the time in nanoseconds of any origin. */
    long nanoTime();

    /** Waits for a time; not at all if it is not positive. */
    void sleep(long nanos) throws InterruptedException;

    /** Returns a new condition of a lock. */
    Condition condition(ReentrantLock lock);

    /** Returns a new thread, which the caller starts. */
    Thread unstarted(String name, Runnable work);

    /** Returns a client that reconnects, after it has connected for the first time. */
    RpcClient connect(Connector connector, Duration retry)
            throws RpcException, InterruptedException;
}
