package io.github.rpcrdma4j.verbs;

/**
 * Reports that an adapter or the system has no room for a registration, a window or a queue. The
 * message is one line for a user. Nothing was changed, and the caller may try it again later.
 */
public final class NoResourceException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message one line for a user: what there is no room for, and why
     */
    public NoResourceException(String message) {
        super(message);
    }
}
