package io.github.rpcrdma4j.oncrpc;

import java.time.Duration;

/**
 * A call until its outcome, over any number of connections. The client sends it again once if its
 * connection was lost, and further times within the retry time. It does not repeat a call that the
 * transport refused (RFC 8267-3.1-2, 8267-3.1-3, 8267-3.1-4, 8267-4.1-1). Pure.
 */
class ReconnectingCall {
    final RpcCall call;

    /** The bound on each attempt. */
    final Duration timeout;

    private final long retryNanos;
    private boolean repeated;
    private long retryDeadline;
    private RpcException reason;

    ReconnectingCall(RpcCall call, Duration timeout, long retryNanos) {
        this.call = call;
        this.timeout = timeout;
        this.retryNanos = retryNanos;
    }

    /**
     * Decides whether a failed call is sent again.
     *
     * @param now by {@link System#nanoTime}
     * @return whether the client sends the call again
     */
    final boolean shouldRetry(RpcException why, long now) {
        boolean lost = why instanceof RpcException.ConnectionLost;
        if (!lost && !(why instanceof RpcException.TimedOut)) {
            return false;
        }
        boolean once = lost && !repeated;
        if (!repeated) {
            // The retry time begins at the first failure, because one attempt may take longer than
            // it.
            retryDeadline = now + retryNanos;
        }
        repeated = true;
        reason = why;
        return once || now - retryDeadline < 0;
    }

    /** Returns when the client stops reconnecting for this call, by {@link System#nanoTime}. */
    final long retryDeadline() {
        return retryDeadline;
    }

    /** Returns the failure after which the call is sent again. */
    final RpcException reason() {
        return reason;
    }
}
