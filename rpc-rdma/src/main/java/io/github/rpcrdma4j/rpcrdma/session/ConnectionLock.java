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
 * The lock of a connection, which a thread that polls takes only if it is free. While another
 * thread has it, and perhaps writes a megabyte, the thread that polls leaves here what it has to do
 * with it, and goes on to other connections. The thread that has the lock does that before it lets
 * go. What is left is done in the order in which it was left.
 */
@SuppressWarnings("serial") // Locks are serializable; this one is never written.
final class ConnectionLock extends ReentrantLock {
    /** One thread does so much that was left by others; then another thread goes on. */
    private static final int WORK_MAX = 16;

    /** A thread that has to wait for another looks again after this time. */
    private static final long PAUSE_NANOS = Duration.ofMillis(1).toNanos();

    private final transient Threads threads;
    private final transient Queue<Runnable> left = new ConcurrentLinkedQueue<>();
    private final transient Executor elsewhere;
    private final transient Consumer<Throwable> mistakes;

    /** Guarded by this. */
    private final transient List<Runnable> last = new ArrayList<>(2);

    /** Another thread is about to take the lock and to do what was left: this one does not. */
    private volatile boolean handedOver;

    /**
     * @param threads whose clock and threads are used
     * @param elsewhere runs something on a thread that may wait
     * @param mistakes told, with the lock held, what work with the lock threw that should not:
     *     reports it and ends the connection; throws nothing
     */
    ConnectionLock(Threads threads, Executor elsewhere, Consumer<Throwable> mistakes) {
        this.threads = threads;
        this.elsewhere = elsewhere;
        this.mistakes = mistakes;
    }

    /**
     * Has something done each time before the lock is let go, by the thread that has it, behind
     * what was asked for before.
     */
    void beforeRelease(Runnable work) {
        lock();
        try {
            last.add(work);
        } finally {
            unlock();
        }
    }

    /** Whose clock and threads are used. */
    Threads threads() {
        return threads;
    }

    /** The time in nanoseconds, of any origin. */
    long nanoTime() {
        return threads.nanoTime();
    }

    /**
     * Releases the lock, parks this thread and takes the lock again. This thread does not park if
     * it did work that another had left, or failed to do what comes before a release: that may have
     * been what it waits for.
     *
     * @throws InterruptedException if the thread is interrupted; it has the lock nevertheless
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
     * Takes the lock if no thread has it and nothing is left to do with it.
     *
     * @return whether this thread has the lock now
     */
    boolean tryLockUnused() {
        return left.isEmpty() && tryLock();
    }

    /** Has work done with the lock: on this thread if the lock is free. Does not wait for it. */
    void leave(Runnable work) {
        left.add(work);
        // The thread that had the lock may have looked before it was added.
        if (!handedOver && tryLock()) {
            unlock();
        }
    }

    /** Takes the lock and does work; a mistake of ours costs the connection. */
    void locked(Runnable work) {
        lock();
        try {
            run(work);
        } finally {
            unlock();
        }
    }

    /** Tells a mistake of ours, which costs the connection; the lock is held. */
    void mistaken(Throwable mistake) {
        assertHeld();
        mistakes.accept(mistake);
    }

    /** Has work done with the lock on a thread that may wait. */
    void leaveElsewhere(Runnable work) {
        left.add(work);
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
            // There is no such thread, as the server stops: it is done here.
            handedOver = false;
        }
    }

    /**
     * Makes sure that this thread has the lock.
     *
     * @throws AssertionError if it has not, which is a mistake of ours
     */
    void assertHeld() {
        if (!isHeldByCurrentThread()) {
            throw new AssertionError("the lock of a connection is not held");
        }
    }

    /** Does what was left meanwhile, and lets go. */
    @Override
    public void unlock() {
        release();
    }

    /**
     * Does what was left meanwhile, and lets go.
     *
     * @return whether there was anything, or what comes before a release has failed
     */
    boolean release() {
        if (getHoldCount() != 1) {
            super.unlock();
            return false;
        }
        int done = 0;
        do {
            try {
                done += doLeft(Math.max(1, WORK_MAX - done));
                done += doLast();
            } finally {
                super.unlock();
            }
            if (done >= WORK_MAX && !handedOver && !left.isEmpty()) {
                handOver();
            }
            // What was left just now is done by the thread that takes the lock next.
        } while (!handedOver && !left.isEmpty() && tryLock());
        return done > 0;
    }

    /** Returns how much failed, which ends what this thread may be about to wait for. */
    private int doLast() {
        int failed = 0;
        for (int i = 0; i < last.size(); i++) {
            failed += run(last.get(i)) ? 0 : 1;
        }
        return failed;
    }

    /** Returns false if it failed. */
    private boolean run(Runnable work) {
        try {
            work.run();
            return true;
        } catch (RuntimeException | Error mistake) {
            mistaken(mistake);
            return false;
        }
    }

    /** Returns how much was done. */
    private int doLeft(int most) {
        int done = 0;
        while (done < most && !handedOver) {
            var work = left.poll();
            if (work == null) {
                break;
            }
            run(work);
            done++;
        }
        return done;
    }
}
