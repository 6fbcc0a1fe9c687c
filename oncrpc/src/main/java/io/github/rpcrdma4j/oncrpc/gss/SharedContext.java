package io.github.rpcrdma4j.oncrpc.gss;

/**
 * A context that several calls use. Its keys are destroyed when its owner has retired it and no
 * call uses it. Thread-safe.
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

    /** Begins a use of the keys, which lasts until {@link #leave}. */
    synchronized void enter() {
        users++;
    }

    synchronized void leave() {
        users--;
        closeIfUnused();
    }

    /** Retires the context. Afterwards no new call may enter. Retiring twice is harmless. */
    synchronized void retire() {
        retired = true;
        closeIfUnused();
    }

    private void closeIfUnused() {
        if (retired && users == 0) {
            context.close();
        }
    }
}
