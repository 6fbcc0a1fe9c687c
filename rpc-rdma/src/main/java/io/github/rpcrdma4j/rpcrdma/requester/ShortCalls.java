package io.github.rpcrdma4j.rpcrdma.requester;

import io.github.rpcrdma4j.memory.SegmentPool;
import java.util.ArrayDeque;

/**
 * Calls that are used again and again, each with memory of its own for its message: a steady stream
 * of short calls makes no garbage. It keeps as many as were in progress at a time, up to a limit.
 * Thread-safe.
 */
public final class ShortCalls {
    private final SegmentPool pool;
    private final int spareMax;

    /** Guarded by itself. */
    private final ArrayDeque<ShortCall> spare = new ArrayDeque<>();

    private boolean closed;

    /**
     * @param spareMax the most calls to keep
     */
    public ShortCalls(SegmentPool pool, int spareMax) {
        this.pool = pool;
        this.spareMax = spareMax;
    }

    /** A call to encode a message for; its message is empty. */
    public ShortCall take() {
        synchronized (spare) {
            if (!spare.isEmpty()) {
                return spare.removeLast();
            }
        }
        return new ShortCall(this, pool);
    }

    /** A call for which nobody has a use any more. */
    public void giveBack(ShortCall call) {
        synchronized (spare) {
            if (!closed && spare.size() < spareMax && call.isSmall()) {
                spare.addLast(call);
                return;
            }
        }
        call.dispose();
    }

    /** Gives back the memory of all that are not in use, and from now on of all others. */
    public void close() {
        synchronized (spare) {
            closed = true;
            spare.forEach(ShortCall::dispose);
            spare.clear();
        }
    }
}
