package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.server.state.HostPermits;
import io.github.rpcrdma4j.nfs.server.state.HostPlace;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import java.util.concurrent.ThreadFactory;

/** Threads that work for hosts. The hosts and their places share them. Thread-safe. */
public final class HostThreads {
    private final FailureLog failures;
    private final String failure;
    private final ThreadFactory threads;

    /** Its monitor guards it. */
    private final HostPermits permits;

    /**
     * @param max how many there are, besides one for each host and each place of a network, as
     *     {@link HostPermits} says
     * @param ofHostMax how many work for one host at most
     * @param name of each thread
     * @param failures where it is told if work throws
     * @param failure what has not been done then
     */
    public HostThreads(int max, int ofHostMax, String name, FailureLog failures, String failure) {
        this(max, ofHostMax, Thread.ofVirtual().name(name).factory(), failures, failure);
    }

    /**
     * @param threads makes them
     */
    HostThreads(
            int max, int ofHostMax, ThreadFactory threads, FailureLog failures, String failure) {
        this.permits = new HostPermits(max, ofHostMax);
        this.threads = threads;
        this.failures = failures;
        this.failure = failure;
    }

    /**
     * Starts work for a host. Does not wait.
     *
     * @return false if too many threads work for it; then this one is left out
     * @throws Error if there is no memory for a thread
     */
    public boolean start(HostPlace place, Runnable work) {
        synchronized (permits) {
            if (!permits.take(place)) {
                return false;
            }
        }
        boolean isStarted = false;
        try {
            threads.newThread(failures.guarded(failure, () -> run(place, work))).start();
            isStarted = true;
        } finally {
            if (!isStarted) {
                giveBack(place);
            }
        }
        return true;
    }

    private void run(HostPlace place, Runnable work) {
        try {
            work.run();
        } finally {
            giveBack(place);
        }
    }

    private void giveBack(HostPlace place) {
        synchronized (permits) {
            permits.giveBack(place);
        }
    }
}
