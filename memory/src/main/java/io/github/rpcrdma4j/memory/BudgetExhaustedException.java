package io.github.rpcrdma4j.memory;

/**
 * No native memory is left in a {@link MemoryBudget}. What was asked for was not taken, and nothing
 * else was changed: the operation that needed the memory fails alone, and may be tried again later.
 */
public final class BudgetExhaustedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** Has no stack trace: it is thrown often, and quickly, where memory is short. */
    BudgetExhaustedException(String message, Throwable cause) {
        super(message, cause, false, false);
    }
}
