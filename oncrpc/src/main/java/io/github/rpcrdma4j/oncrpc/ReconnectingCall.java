package io.github.rpcrdma4j.oncrpc;

import java.time.Duration;
import java.util.OptionalLong;

/**
 * A call until its outcome, over any number of connections. The client sends it again once if its
 * connection was lost, and further times within the retry time. It does not repeat a call that the
 * transport refused (RFC 8267-3.1-2, 8267-3.1-3, 8267-3.1-4, 8267-4.1-1). Pure.
 */
class ReconnectingCall {
    final RpcCall call;

    /** The bound on each attempt. */
    private final Duration timeout;

    private final long retryNanos;

    /** When the call has to end; empty if only the attempts are bounded. */
    private final OptionalLong deadline;

    private boolean repeated;
    private long retryDeadline;
    private RpcException reason;

    /** Creates a call of which only each attempt is bounded. */
    ReconnectingCall(RpcCall call, Duration timeout, long retryNanos) {
        this(call, timeout, retryNanos, OptionalLong.empty());
    }

    /**
     * @param timeout the bound on each attempt
     * @param retryNanos how long the call is sent again after its first failure
     * @param deadline when the call has to end, by {@link System#nanoTime}
     */
    ReconnectingCall(RpcCall call, Duration timeout, long retryNanos, OptionalLong deadline) {
        this.call = call;
        this.timeout = timeout;
        this.retryNanos = retryNanos;
        this.deadline = deadline;
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
            retryDeadline = now + Math.min(retryNanos, left(now));
        }
        repeated = true;
        reason = why;
        return once && left(now) > 0 || now - retryDeadline < 0;
    }

    /** Returns how long the call may still take, in nanoseconds; 0 or less if it has to end. */
    final long left(long now) {
        return deadline.isPresent() ? deadline.getAsLong() - now : Long.MAX_VALUE;
    }

    /** Returns the bound on an attempt that begins now. */
    final Duration timeout(long now) {
        return deadline.isEmpty() ? timeout : least(timeout, Duration.ofNanos(left(now)));
    }

    private static Duration least(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other.isNegative() ? Duration.ZERO : other;
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
