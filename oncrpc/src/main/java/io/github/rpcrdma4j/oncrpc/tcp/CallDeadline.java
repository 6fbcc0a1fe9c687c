package io.github.rpcrdma4j.oncrpc.tcp;

import io.github.rpcrdma4j.oncrpc.Timeouts;
import java.time.Duration;

/**
 * When a call is late.
 *
 * @param timeout how long it may take
 * @param at the time, of the clock that the connection uses, in nanoseconds
 */
record CallDeadline(Duration timeout, long at) {
    /** Returns the deadline of a call that begins now. */
    static CallDeadline of(Duration timeout, long now) {
        return new CallDeadline(timeout, now + Timeouts.nanosOfCall(timeout));
    }

    /** Returns how many nanoseconds are left; not positive if none are. */
    long left(long now) {
        return at - now;
    }
}
