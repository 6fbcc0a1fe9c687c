package io.github.rpcrdma4j.verbs.software;

import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/**
 * Memory that a provider accesses only between {@link #acquire} and {@link #release}. So its end
 * can guarantee that no bytes are placed afterwards (RFC 5040-8.1-1). Thread-safe.
 */
public abstract sealed class Guarded permits SoftwareRegion, SoftwareWindow {
    private static final int ENDED = Integer.MIN_VALUE;
    private static final AtomicIntegerFieldUpdater<Guarded> USERS =
            AtomicIntegerFieldUpdater.newUpdater(Guarded.class, "users");

    /** The number of threads between acquire and release, plus {@link #ENDED} after the end. */
    private volatile int users;

    Guarded() {}

    /**
     * Claims the memory for a short copy. The caller must call {@link #release} after each {@code
     * true}.
     *
     * @return false if the memory has ended and must not be accessed
     */
    public final boolean acquire() {
        if (USERS.incrementAndGet(this) > 0) {
            return true;
        }
        USERS.decrementAndGet(this);
        return false;
    }

    /** Releases the memory after the copy. */
    public final void release() {
        USERS.decrementAndGet(this);
    }

    final boolean isOpen() {
        return users >= 0;
    }

    /**
     * Rejects all later calls of {@link #acquire}. Returns whether this call was the first to do
     * so.
     */
    final boolean markEnded() {
        return USERS.getAndUpdate(this, count -> count >= 0 ? count + ENDED : count) >= 0;
    }

    /**
     * Waits until all threads have released the memory. It spins, because copies are short and
     * never block.
     */
    final void awaitReleased() {
        while (users != ENDED) {
            Thread.onSpinWait();
        }
    }
}
