package io.github.rpcrdma4j.nfs.server.store.linux;

/**
 * An operation cannot go on without waiting, or without a caller's identity: it starts again on a
 * thread that may wait. Until it throws this an operation has changed nothing.
 */
final class MustWait extends RuntimeException {
    private static final long serialVersionUID = 1L;
    static final MustWait NOW = new MustWait();

    private MustWait() {
        super("on to a thread that may wait", null, false, false);
    }
}
