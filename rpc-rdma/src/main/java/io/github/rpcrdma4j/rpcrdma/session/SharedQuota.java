package io.github.rpcrdma4j.rpcrdma.session;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory that all clients of a server hold together, and the calls that wait for it.
 * Thread-safe. It takes no lock unless a call waits.
 */
final class SharedQuota {
    /** How many waiting calls are resumed when memory is returned. Each tries again by itself. */
    private static final int RESUMED_MAX = 8;

    private final long max;
    private final AtomicLong held = new AtomicLong();

    /** The callbacks of waiting calls. Guarded by itself. */
    private final Set<Runnable> waiting = new LinkedHashSet<>();

    /** Whether calls wait. Written with the lock of {@link #waiting}. */
    private volatile boolean pressed;

    /**
     * @param max the limit in bytes
     */
    SharedQuota(long max) {
        this.max = max;
    }

    /** Returns the limit in bytes. */
    long max() {
        return max;
    }

    /** Returns how many bytes are held. */
    long held() {
        return held.get();
    }

    /** Returns whether this many bytes are free now. */
    boolean hasRoom(long bytes) {
        return bytes <= max - held.get();
    }

    /** Takes bytes, if enough are free. */
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

    /** Counts bytes that are in use already, even beyond the limit. */
    void hold(long bytes) {
        held.addAndGet(bytes);
    }

    /** Gives back bytes, and resumes some waiting calls. */
    void give(long bytes) {
        if (bytes > 0) {
            held.addAndGet(-bytes);
            resume(RESUMED_MAX);
        }
    }

    /**
     * Registers a call that is resumed when there may be room. The call must then try once more,
     * because bytes may have been returned in between.
     *
     * @param resume the callback, called once by any thread
     */
    void register(Runnable resume) {
        synchronized (waiting) {
            waiting.add(resume);
            pressed = true;
        }
    }

    /** Removes a waiting call. */
    void forget(Runnable resume) {
        if (!pressed) {
            return;
        }
        synchronized (waiting) {
            waiting.remove(resume);
            pressed = !waiting.isEmpty();
        }
    }

    /** Returns whether a call waits. */
    boolean isPressed() {
        return pressed;
    }

    /** Resumes all waiting calls. */
    void resumeAll() {
        resume(Integer.MAX_VALUE);
    }

    private void resume(int most) {
        if (!pressed) {
            return;
        }
        List<Runnable> resumed;
        synchronized (waiting) {
            resumed = waiting.stream().limit(most).toList();
            resumed.forEach(waiting::remove);
            pressed = !waiting.isEmpty();
        }
        resumed.forEach(Runnable::run);
    }
}
