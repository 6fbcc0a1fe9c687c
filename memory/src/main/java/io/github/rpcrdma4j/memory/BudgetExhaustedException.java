package io.github.rpcrdma4j.memory;

/**
 * Reports that a {@link MemoryBudget} has no native memory left for a request. The request took no
 * memory and changed nothing: only the operation that needed the memory fails. Its caller may try
 * it again later.
 */
public final class BudgetExhaustedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** Creates an exception without a stack trace: it must be cheap, since it can be frequent. */
    BudgetExhaustedException(String message, Throwable cause) {
        super(message, cause, false, false);
    }

    /** Returns such an exception with more words for the user at the end of its message. */
    public BudgetExhaustedException with(String words) {
        return new BudgetExhaustedException(getMessage() + words, getCause());
    }
}
