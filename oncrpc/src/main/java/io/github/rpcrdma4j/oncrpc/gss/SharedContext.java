package io.github.rpcrdma4j.oncrpc.gss;

/**
 * A context that calls use and its owner retires: its keys are forgotten when both is over.
 * Thread-safe.
 */
final class SharedContext {
    private final GssContext context;
    private int users;
    private boolean retired;

    SharedContext(GssContext context) {
        this.context = context;
    }

    GssContext context() {
        return context;
    }

    /** Keeps the keys until {@link #leave}. */
    synchronized void enter() {
        users++;
    }

    synchronized void leave() {
        users--;
        closeIfOver();
    }

    /** No call enters any more; retiring twice is harmless. */
    synchronized void retire() {
        retired = true;
        closeIfOver();
    }

    private void closeIfOver() {
        if (retired && users == 0) {
            context.close();
        }
    }
}
