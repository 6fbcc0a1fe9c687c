package io.github.rpcrdma4j.oncrpc;

import java.time.Duration;

/**
 * A call until it has an outcome, over as many connections as it takes. It is sent again once if
 * its connection was lost, and for as long as a retry is wanted. What the transport refused is not
 * tried again (RFC 8267-3.1-2, 8267-3.1-3, 8267-3.1-4, 8267-4.1-1). Pure.
 */
class ReconnectingCall {
    final RpcCall call;

    /** The bound on each time that the call is sent. */
    final Duration timeout;

    private final long retryNanos;
    private boolean repeated;
    private long giveUp;
    private RpcException reason;

    ReconnectingCall(RpcCall call, Duration timeout, long retryNanos) {
        this.call = call;
        this.timeout = timeout;
        this.retryNanos = retryNanos;
    }

    /**
     * The call has failed.
     *
     * @param now by {@link System#nanoTime}
     * @return whether it is to be sent again
     */
    final boolean again(RpcException why, long now) {
        boolean lost = why instanceof RpcException.ConnectionLost;
        if (!lost && !(why instanceof RpcException.TimedOut)) {
            return false;
        }
        boolean once = lost && !repeated;
        if (!repeated) {
            // From the loss on: a deadline may be longer than all the retries.
            giveUp = now + retryNanos;
        }
        repeated = true;
        reason = why;
        return once || now - giveUp < 0;
    }

    /** When to stop trying to reconnect for it, by {@link System#nanoTime}. */
    final long giveUp() {
        return giveUp;
    }

    /** Why it is sent again. */
    final RpcException reason() {
        return reason;
    }
}
