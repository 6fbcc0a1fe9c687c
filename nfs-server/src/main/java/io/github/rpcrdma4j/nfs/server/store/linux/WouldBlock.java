package io.github.rpcrdma4j.nfs.server.store.linux;

/**
 * An operation cannot go on without waiting, or without a caller's identity: it starts again on a
 * thread that may wait. Until it throws this an operation has changed nothing.
 */
final class WouldBlock extends RuntimeException {
    private static final long serialVersionUID = 1L;
    static final WouldBlock NOW = new WouldBlock();

    private WouldBlock() {
        super("on to a thread that may wait", null, false, false);
    }
}
