package io.github.rpcrdma4j.memory;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Repeats what fails for lack of memory, until others have returned enough. The wait is bounded,
 * because the memory may be of peers that have stalled. Thread-safe.
 */
public final class AwaitedMemory {
    /** How long to wait. By then, servers have closed stalled connections. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(40);

    private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private AwaitedMemory() {}

    /**
     * An action that needs memory. While it waits to run again, it should hold none.
     *
     * @param <T> its result
     * @param <X> what it throws for other reasons
     */
    public interface Action<T, X extends Exception> {
        /**
         * Runs once.
         *
         * @throws BudgetExhaustedException if there is no memory; then it may run again
         */
        T run() throws X, InterruptedException;
    }

    /**
     * Runs an action until there is memory for it, for 40 seconds.
     *
     * @param isOver returns true when there is no more need to wait
     * @return the result of the action
     * @throws BudgetExhaustedException if there was no memory in time, or the wait is over
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public static <T, X extends Exception> T await(Action<T, X> action, BooleanSupplier isOver)
            throws X, InterruptedException {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (true) {
            try {
                return action.run();
            } catch (BudgetExhaustedException none) {
                if (System.nanoTime() - deadline >= 0 || isOver.getAsBoolean()) {
                    throw none;
                }
            }
            LockSupport.parkNanos(TURN_NANOS);
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
    }
}
