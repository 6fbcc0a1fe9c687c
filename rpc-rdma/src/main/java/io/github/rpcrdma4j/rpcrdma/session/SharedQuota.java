package io.github.rpcrdma4j.rpcrdma.session;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What all clients of a server hold together, and who waits until there is less. Thread-safe; takes
 * no lock unless a call waits.
 */
final class SharedQuota {
    /** So many are told when something was given back: each tries for itself. */
    private static final int TOLD = 8;

    private final long max;
    private final AtomicLong held = new AtomicLong();

    /** Guarded by itself. */
    private final Set<Runnable> waiting = new LinkedHashSet<>();

    /** Whether any do; written with the lock. */
    private volatile boolean pressed;

    /**
     * @param max in bytes
     */
    SharedQuota(long max) {
        this.max = max;
    }

    /** The most that is held, in bytes. */
    long max() {
        return max;
    }

    /** What is held, in bytes. */
    long held() {
        return held.get();
    }

    /** Whether so many are free at this moment. */
    boolean hasRoom(long bytes) {
        return bytes <= max - held.get();
    }

    /** Takes bytes if there are as many. */
    boolean take(long bytes) {
        if (bytes == 0) {
            return true;
        }
        while (true) {
            long before = held.get();
            if (bytes > max - before) {
                return false;
            }
            if (held.compareAndSet(before, before + bytes)) {
                return true;
            }
        }
    }

    /** Counts bytes that are there already. */
    void hold(long bytes) {
        held.addAndGet(bytes);
    }

    /** Gives bytes back, and tells some who wait. */
    void give(long bytes) {
        if (bytes > 0) {
            held.addAndGet(-bytes);
            tell(TOLD);
        }
    }

    /**
     * Registers a call that is told when there may be room. The call then tries once more, as
     * something may have been given back in between.
     *
     * @param resume called once, by any thread
     */
    void register(Runnable resume) {
        synchronized (waiting) {
            waiting.add(resume);
            pressed = true;
        }
    }

    /** Takes a call off those that wait. */
    void forget(Runnable resume) {
        if (!pressed) {
            return;
        }
        synchronized (waiting) {
            waiting.remove(resume);
            pressed = !waiting.isEmpty();
        }
    }

    /** Whether a call waits. */
    boolean isPressed() {
        return pressed;
    }

    /** Has all try again. */
    void tellAll() {
        tell(Integer.MAX_VALUE);
    }

    private void tell(int most) {
        if (!pressed) {
            return;
        }
        List<Runnable> told;
        synchronized (waiting) {
            told = waiting.stream().limit(most).toList();
            told.forEach(waiting::remove);
            pressed = !waiting.isEmpty();
        }
        told.forEach(Runnable::run);
    }
}
