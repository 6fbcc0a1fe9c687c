package io.github.rpcrdma4j.verbs.software;

import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/**
 * Memory that a provider touches between {@link #enter} and {@link #exit}, so that its end can
 * promise that nothing arrives afterwards (RFC 5040-8.1-1). Thread-safe.
 */
public abstract sealed class Guarded permits SoftwareRegion, SoftwareWindow {
    private static final int SHUT = Integer.MIN_VALUE;
    private static final AtomicIntegerFieldUpdater<Guarded> USERS =
            AtomicIntegerFieldUpdater.newUpdater(Guarded.class, "users");

    /** How many threads are inside; {@link #SHUT} is added in the end. */
    private volatile int users;

    Guarded() {}

    /**
     * Claims the memory for a short copy. Every {@code true} is paired with {@link #exit}.
     *
     * @return false if its end has come: then the memory must not be touched
     */
    public final boolean enter() {
        if (USERS.incrementAndGet(this) > 0) {
            return true;
        }
        USERS.decrementAndGet(this);
        return false;
    }

    /** The copy is done. */
    public final void exit() {
        USERS.decrementAndGet(this);
    }

    final boolean isOpen() {
        return users >= 0;
    }

    /** Lets no one in any more; returns whether this call did it. */
    final boolean shut() {
        return USERS.getAndUpdate(this, count -> count >= 0 ? count + SHUT : count) >= 0;
    }

    /** Copies are short and never block, so the last one is waited for, not signalled. */
    final void awaitLeft() {
        while (users != SHUT) {
            Thread.onSpinWait();
        }
    }
}
