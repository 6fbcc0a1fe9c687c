package io.github.rpcrdma4j.rpcrdma.session;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * The lock of a connection, which a polling thread takes only if it is free. While another thread
 * holds the lock, perhaps to write a megabyte, the polling thread submits its work here and goes on
 * with other connections. The holder runs the submitted work, in order, before it releases the
 * lock.
 */
@SuppressWarnings("serial") // Locks are serializable; this one is never written.
final class ConnectionLock extends ReentrantLock {
    /**
     * The most items of submitted work that one thread runs in a release. Another thread then goes
     * on.
     */
    private static final int WORK_MAX = 16;

    /** How long {@link #pause} waits. */
    private static final long PAUSE_NANOS = Duration.ofMillis(1).toNanos();

    private final transient Threads threads;
    private final transient Queue<Runnable> submitted = new ConcurrentLinkedQueue<>();
    private final transient Executor elsewhere;
    private final transient Consumer<Throwable> internalErrors;

    /** The actions before each release. Guarded by this lock. */
    private final transient List<Runnable> releaseActions = new ArrayList<>(2);

    /**
     * Whether another thread is about to take the lock and run the submitted work. No other thread
     * runs it then.
     */
    private volatile boolean handedOver;

    /**
     * @param threads the source of clock and threads
     * @param elsewhere runs work on a thread that may wait
     * @param internalErrors handles an unexpected exception of work with the lock, while the lock
     *     is held; it reports the exception, closes the connection, and must not throw
     */
    ConnectionLock(Threads threads, Executor elsewhere, Consumer<Throwable> internalErrors) {
        this.threads = threads;
        this.elsewhere = elsewhere;
        this.internalErrors = internalErrors;
    }

    /**
     * Adds an action that runs before each release of the lock, on the holding thread, after the
     * actions added earlier.
     */
    void beforeRelease(Runnable work) {
        lock();
        try {
            releaseActions.add(work);
        } finally {
            unlock();
        }
    }

    /** Returns the source of clock and threads. */
    Threads threads() {
        return threads;
    }

    /** Returns the time in nanoseconds of any origin. */
    long nanoTime() {
        return threads.nanoTime();
    }

    /**
     * Releases the lock, parks this thread and takes the lock again. The thread does not park if
     * the release ran submitted work or a release action failed, because that may be what it waits
     * for.
     *
     * @throws InterruptedException if the thread is interrupted; it holds the lock in this case,
     *     too
     */
    void park(long nanos) throws InterruptedException {
        parkUninterruptibly(nanos);
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    /** Releases the lock for a moment, so that another thread can use it. */
    void pause() {
        parkUninterruptibly(PAUSE_NANOS);
    }

    private void parkUninterruptibly(long nanos) {
        boolean didWork = release();
        try {
            if (!didWork) {
                threads.park(this, nanos);
            }
        } finally {
            lock();
        }
    }

    /**
     * Takes the lock if no thread holds it and no work is submitted.
     *
     * @return whether this thread took the lock
     */
    boolean tryLockUnused() {
        return submitted.isEmpty() && tryLock();
    }

    /**
     * Submits work to be run with the lock held. If the lock is free, this thread runs it. It never
     * waits for the lock.
     */
    void submit(Runnable work) {
        submitted.add(work);
        // The holder may have checked for submitted work before this was added.
        if (!handedOver && tryLock()) {
            unlock();
        }
    }

    /** Takes the lock and runs work. An unexpected exception closes the connection. */
    void locked(Runnable work) {
        lock();
        try {
            run(work);
        } finally {
            unlock();
        }
    }

    /** Reports an internal error, which closes the connection. The lock is held. */
    void internalError(Throwable error) {
        assertHeld();
        internalErrors.accept(error);
    }

    /** Submits work to be run with the lock held, on a thread that may wait. */
    void submitElsewhere(Runnable work) {
        submitted.add(work);
        handOver();
        if (!handedOver && tryLock()) {
            unlock();
        }
    }

    private void handOver() {
        handedOver = true;
        try {
            elsewhere.execute(
                    () -> {
                        lock();
                        handedOver = false;
                        unlock();
                    });
        } catch (RuntimeException | Error none) {
            // The server is stopping and has no such thread, so this thread runs the work.
            handedOver = false;
        }
    }

    /**
     * Asserts that this thread holds the lock.
     *
     * @throws AssertionError if it does not, which is a bug
     */
    void assertHeld() {
        if (!isHeldByCurrentThread()) {
            throw new AssertionError("the lock of a connection is not held");
        }
    }

    @Override
    public void unlock() {
        release();
    }

    /**
     * Runs the submitted work and the release actions, and releases the lock.
     *
     * @return whether submitted work ran, or a release action failed
     */
    boolean release() {
        if (getHoldCount() != 1) {
            super.unlock();
            return false;
        }
        int done = 0;
        do {
            try {
                done += runSubmitted(Math.max(1, WORK_MAX - done));
                done += runReleaseActions();
            } finally {
                super.unlock();
            }
            if (done >= WORK_MAX && !handedOver && !submitted.isEmpty()) {
                handOver();
            }
            // The next holder runs the work that was submitted just now.
        } while (!handedOver && !submitted.isEmpty() && tryLock());
        return done > 0;
    }

    /**
     * Runs the release actions and returns how many failed. A failure ends the calls that this
     * thread may be about to wait for.
     */
    private int runReleaseActions() {
        int failed = 0;
        for (int i = 0; i < releaseActions.size(); i++) {
            failed += run(releaseActions.get(i)) ? 0 : 1;
        }
        return failed;
    }

    /** Runs work and returns whether it succeeded. */
    private boolean run(Runnable work) {
        try {
            work.run();
            return true;
        } catch (RuntimeException | Error error) {
            internalError(error);
            return false;
        }
    }

    /** Runs submitted work and returns how many items ran. */
    private int runSubmitted(int most) {
        int done = 0;
        while (done < most && !handedOver) {
            var work = submitted.poll();
            if (work == null) {
                break;
            }
            run(work);
            done++;
        }
        return done;
    }
}
