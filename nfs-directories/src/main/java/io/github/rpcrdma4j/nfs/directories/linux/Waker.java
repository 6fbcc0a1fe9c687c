package io.github.rpcrdma4j.nfs.directories.linux;

import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * Unparks virtual threads on behalf of threads with special credentials. Unparking may start a
 * carrier, which inherits identity, capabilities and umask of the thread that starts it.
 * Thread-safe.
 */
final class Waker {
    /** The only instance. A thread with ordinary credentials must access it first. */
    static final Waker SHARED = new Waker();

    private final LinkedTransferQueue<Thread> due = new LinkedTransferQueue<>();

    private Waker() {
        Thread.ofPlatform().daemon().name("nfs-files-wake").start(this::wakeAll);
    }

    /** Unparks a thread soon. */
    void wake(Thread waiter) {
        due.add(waiter);
    }

    private void wakeAll() {
        while (true) {
            try {
                LockSupport.unpark(due.take());
            } catch (InterruptedException | OutOfMemoryError _) {
                // The remaining threads still need to be unparked.
            }
        }
    }
}
