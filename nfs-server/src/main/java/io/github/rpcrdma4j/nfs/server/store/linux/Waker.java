package io.github.rpcrdma4j.nfs.server.store.linux;

import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * Wakes virtual threads for threads that must not: one that is woken may need a carrier, and a
 * carrier inherits identity, capabilities and umask of the thread that starts it. Thread-safe.
 */
final class Waker {
    /** One for the process. A thread without a foreign identity must ask for it first. */
    static final Waker SHARED = new Waker();

    private final LinkedTransferQueue<Thread> due = new LinkedTransferQueue<>();

    private Waker() {
        Thread.ofPlatform().daemon().name("nfs-files-wake").start(this::wakeAll);
    }

    /** Wakes a thread soon. */
    void wake(Thread waiter) {
        due.add(waiter);
    }

    private void wakeAll() {
        while (true) {
            try {
                LockSupport.unpark(due.take());
            } catch (InterruptedException | OutOfMemoryError _) {
                // The rest has to be woken all the same.
            }
        }
    }
}
