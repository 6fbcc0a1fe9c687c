package io.github.rpcrdma4j.oncrpc;

/**
 * Whether a call that has failed is made again: once if its connection was lost, and for as long as
 * a retry is wanted. What the transport refused is not tried again (RFC 8267-3.1-2, 8267-3.1-3,
 * 8267-3.1-4, 8267-4.1-1). One call's; pure.
 */
final class Tries {
    private final long retryNanos;
    private boolean repeated;
    private long giveUp;

    Tries(long retryNanos) {
        this.retryNanos = retryNanos;
    }

    /**
     * The call has failed.
     *
     * @param now by {@link System#nanoTime}
     * @return whether it is to be made again
     */
    boolean again(RpcException reason, long now) {
        boolean lost = reason instanceof RpcException.ConnectionLost;
        if (!lost && !(reason instanceof RpcException.TimedOut)) {
            return false;
        }
        boolean once = lost && !repeated;
        if (!repeated) {
            // From the loss on: a deadline may be longer than all the retries.
            giveUp = now + retryNanos;
        }
        repeated = true;
        return once || now - giveUp < 0;
    }

    /** When to stop trying to reconnect for it, by {@link System#nanoTime}. */
    long giveUp() {
        return giveUp;
    }
}
