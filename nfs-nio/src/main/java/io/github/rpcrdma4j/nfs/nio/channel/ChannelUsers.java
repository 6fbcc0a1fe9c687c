package io.github.rpcrdma4j.nfs.nio.channel;

import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;

/**
 * The threads that use a channel. Who closes the channel interrupts their calls, and waits until
 * they have ended. Thread-safe.
 *
 * <p>Tests: {@code ChannelContract}.
 */
final class ChannelUsers {
    /** Guarded by this object, like the field below. */
    private final List<Thread> inside = new ArrayList<>();

    private boolean hasEnded;

    /**
     * Begins a use by this thread.
     *
     * @throws ClosedChannelException if the uses have ended
     */
    synchronized void enter() throws ClosedChannelException {
        if (hasEnded) {
            throw new ClosedChannelException();
        }
        inside.add(Thread.currentThread());
    }

    /**
     * Ends a use by this thread. An interrupt by {@link #end} does not outlive it.
     *
     * @return whether the uses have ended
     */
    synchronized boolean leave() {
        inside.remove(Thread.currentThread());
        notifyAll();
        if (hasEnded) {
            Thread.interrupted();
        }
        return hasEnded;
    }

    /** Ends all uses: interrupts the threads of those that go on, and waits for them. */
    void end() {
        boolean wasInterrupted = false;
        synchronized (this) {
            hasEnded = true;
            inside.forEach(Thread::interrupt);
            while (!inside.isEmpty()) {
                try {
                    wait();
                } catch (InterruptedException _) {
                    wasInterrupted = true;
                }
            }
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
