package io.github.rpcrdma4j.nfs.server.driver;

import io.github.rpcrdma4j.oncrpc.share.HostPermits;
import io.github.rpcrdma4j.oncrpc.share.HostPlace;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;

/**
 * Gives a bounded number of threads to work that hosts have caused, such as calls to them: hosts
 * and their places share the threads, and none gets all. Thread-safe.
 */
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

    /** The permit of one thread, which alone uses it. */
    public final class Permit {
        private final HostPlace place;
        private boolean isHeld;

        private Permit(HostPlace place) {
            this.place = place;
        }

        /**
         * Takes the permit, if it was given back.
         *
         * @return false if too many threads work for the host
         */
        public boolean take() {
            synchronized (permits) {
                isHeld = isHeld || permits.take(place);
                return isHeld;
            }
        }

        /** Gives the permit back, for as long as the thread does nothing. */
        public void giveBack() {
            synchronized (permits) {
                if (isHeld) {
                    isHeld = false;
                    permits.giveBack(place);
                }
            }
        }
    }

    /** Starts work for a host, as {@link #start(HostPlace, Consumer)} does. */
    public boolean start(HostPlace place, Runnable work) {
        return start(place, _ -> work.run());
    }

    /**
     * Starts work for a host. Does not wait.
     *
     * @param work gets its permit, which ends with it
     * @return false if too many threads work for it; then this one is left out
     * @throws Error if there is no memory for a thread
     */
    public boolean start(HostPlace place, Consumer<Permit> work) {
        var permit = new Permit(place);
        if (!permit.take()) {
            return false;
        }
        boolean isStarted = false;
        try {
            threads.newThread(failures.guarded(failure, () -> run(permit, work))).start();
            isStarted = true;
        } finally {
            if (!isStarted) {
                permit.giveBack();
            }
        }
        return true;
    }

    private static void run(Permit permit, Consumer<Permit> work) {
        try {
            work.accept(permit);
        } finally {
            permit.giveBack();
        }
    }
}
