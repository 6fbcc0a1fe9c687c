package io.github.rpcrdma4j.rpcrdma;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The lock of a connection, for which a thread that polls never waits. While another thread has it,
 * and perhaps writes a megabyte, the thread that polls leaves here what it has to do with it, and
 * goes on to other connections. The thread that has the lock does that before it lets go.
 */
@SuppressWarnings("serial") // Locks are serializable; this one is never written.
final class ConnectionLock extends ReentrantLock {
    /** In the order in which it is to be done. */
    private final Queue<Runnable> left = new ConcurrentLinkedQueue<>();

    /**
     * Takes the lock if no thread has it and nothing is left to do with it.
     *
     * @return whether this thread has the lock now
     */
    boolean tryLockUnused() {
        return left.isEmpty() && tryLock();
    }

    /**
     * Has work done with the lock, after all that was left before. Does not wait for the lock; does
     * the work on this thread if the lock is free.
     *
     * @param work throws nothing
     */
    void leave(Runnable work) {
        left.add(work);
        // The thread that had the lock may have looked before it was added.
        if (tryLock()) {
            unlock();
        }
    }

    /**
     * Has work done with the lock on another thread, after all that was left before.
     *
     * @param work throws nothing
     * @param elsewhere runs something on a thread that may wait
     */
    void leave(Runnable work, Executor elsewhere) {
        left.add(work);
        elsewhere.execute(
                () -> {
                    lock();
                    unlock();
                });
    }

    /** Does what was left meanwhile, and lets go. */
    @Override
    public void unlock() {
        if (getHoldCount() != 1) {
            super.unlock();
            return;
        }
        do {
            try {
                for (var work = left.poll(); work != null; work = left.poll()) {
                    work.run();
                }
            } finally {
                super.unlock();
            }
            // What was left just now is done by the thread that takes the lock next.
        } while (!left.isEmpty() && tryLock());
    }
}
