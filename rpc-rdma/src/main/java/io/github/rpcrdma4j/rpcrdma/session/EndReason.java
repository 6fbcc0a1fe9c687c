package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.memory.BudgetExhaustedException;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import io.github.rpcrdma4j.verbs.NoResourceException;

/** The reason for the end of a connection whose work threw an exception. */
final class EndReason {
    private static final String NO_MEMORY = "there is no memory for the work of this connection: ";

    private EndReason() {}

    /** Returns the reason in words: a lack of memory, or an internal error. */
    static String of(Throwable failure) {
        return isLackOfMemory(failure)
                ? NO_MEMORY + failure.getMessage()
                : "internal error: " + failure;
    }

    private static boolean isLackOfMemory(Throwable failure) {
        return failure instanceof BudgetExhaustedException
                || failure instanceof NoResourceException;
    }

    /**
     * Logs the failure. A lack of memory is a warning, because it is no error of this program.
     *
     * @param what what the log says about an internal error
     */
    static void log(FailureLog log, String what, Throwable failure) {
        if (isLackOfMemory(failure)) {
            log.warn("a connection was closed for lack of memory", failure.getMessage());
        } else {
            log.report(what, failure);
        }
    }
}
