package io.github.rpcrdma4j.testing;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * The one wait of tests for what another thread or process does: it looks now and then, and is
 * parked in between. A test waits for events of the product where there are any.
 */
public final class Eventually {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final long LOOK_NANOS = 200_000;

    private Eventually() {}

    /**
     * What is waited for.
     *
     * @param <E> what a look may throw, which ends the wait
     */
    public interface Condition<E extends Exception> {
        boolean holds() throws E;
    }

    /**
     * A try that may have no result yet.
     *
     * @param <R> the result
     * @param <E> what it may throw, which ends the wait
     */
    public interface Attempt<R, E extends Exception> {
        Optional<R> result() throws E;
    }

    /**
     * Waits until an attempt has a result, and returns it.
     *
     * @throws AssertionError as {@link #await} does
     */
    public static <R, E extends Exception> R value(Attempt<R, E> attempt) throws E {
        var found = new AtomicReference<R>();
        Condition<E> isFound =
                () -> {
                    attempt.result().ifPresent(found::set);
                    return found.get() != null;
                };
        await(isFound);
        return found.get();
    }

    /** Waits until a condition holds, for half a minute at most, as the other method does. */
    public static <E extends Exception> void await(Condition<E> condition) throws E {
        await(PATIENCE, condition);
    }

    /**
     * Waits until a condition holds.
     *
     * @throws AssertionError if it does not hold in time, or the thread is interrupted before, as
     *     the timeout of a test does; it stays interrupted
     */
    public static <E extends Exception> void await(Duration most, Condition<E> condition) throws E {
        long end = System.nanoTime() + most.toNanos();
        while (!condition.holds()) {
            if (Thread.currentThread().isInterrupted()) {
                throw new AssertionError("interrupted before the condition held");
            }
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("the condition does not hold after " + most);
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }
}
