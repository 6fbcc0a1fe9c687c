package io.github.rpcrdma4j.nfs.server.store;

/**
 * Reports that an operation on a file failed. It has no stack trace, because it is a regular
 * outcome.
 */
public final class StoreException extends Exception {
    private static final long serialVersionUID = 1L;
    private final Failure failure;

    public StoreException(Failure failure) {
        super(failure.name(), null, false, false);
        this.failure = failure;
    }

    /**
     * @param message a text for the operator of the server
     */
    public StoreException(Failure failure, String message) {
        super(message, null, false, false);
        this.failure = failure;
    }

    public Failure failure() {
        return failure;
    }
}
