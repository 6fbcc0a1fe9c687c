package io.github.rpcrdma4j.nfs.server.store;

/** An operation on a file was not carried out. It has no stack trace: it is an answer. */
public final class StoreException extends Exception {
    private static final long serialVersionUID = 1L;
    private final Failure failure;

    public StoreException(Failure failure) {
        super(failure.name(), null, false, false);
        this.failure = failure;
    }

    /**
     * @param message for the operator of the server
     */
    public StoreException(Failure failure, String message) {
        super(message, null, false, false);
        this.failure = failure;
    }

    public Failure failure() {
        return failure;
    }
}
