package io.github.rpcrdma4j.oncrpc.tcp;

import io.github.rpcrdma4j.oncrpc.spi.CallThreads;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;

/** The platform threads that each read one connection of a server. Thread-safe. */
final class ReadingThreads implements AutoCloseable {
    private final Set<Thread> running = ConcurrentHashMap.newKeySet();
    private boolean isStopped;

    /**
     * Starts a thread.
     *
     * @throws RejectedExecutionException if the server is stopping
     */
    synchronized void start(Runnable reading) {
        if (isStopped) {
            throw new RejectedExecutionException("the server is stopping");
        }
        var thread =
                Thread.ofPlatform().daemon().name("rpc-tcp-serve").unstarted(() -> run(reading));
        running.add(thread);
        boolean isStarted = false;
        try {
            thread.start();
            isStarted = true;
        } finally {
            if (!isStarted) {
                running.remove(thread);
            }
        }
    }

    private void run(Runnable reading) {
        try {
            reading.run();
        } finally {
            running.remove(Thread.currentThread());
        }
    }

    /** Interrupts the threads, and starts no others. */
    synchronized void stop() {
        isStopped = true;
        running.forEach(Thread::interrupt);
    }

    /** Waits until the threads have ended. */
    @Override
    public void close() {
        List.copyOf(running).forEach(CallThreads::awaitEnd);
    }
}
