package io.github.rpcrdma4j.nfs.directories.linux;

/**
 * Signals that an operation needs to wait or needs a caller's identity. The operation then runs
 * again on a thread that may wait. It must not have changed anything before it throws this.
 */
final class WouldBlock extends RuntimeException {
    private static final long serialVersionUID = 1L;
    static final WouldBlock NOW = new WouldBlock();

    private WouldBlock() {
        super("on to a thread that may wait", null, false, false);
    }
}
