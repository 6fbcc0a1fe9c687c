package io.github.rpcrdma4j.rpcrdma.v2.requester;

import io.github.rpcrdma4j.rpcrdma.v2.wire.OptionLimits;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The fetched replies whose done notice a requester has not sent yet. Notices travel with calls if
 * possible. If no call is sent for a while, they travel in a message of their own (RPR-4.1.3-1,
 * RPR-5.2.3-3).
 *
 * <p>One message can invalidate one handle. It is the first handle of the oldest reply, and only if
 * both sides have said that they support this (RPR-4.1.4-1, RPR-4.1.4-2, RPR-4.1.4-3). Not
 * thread-safe.
 */
final class PendingDoneNotices {
    /**
     * The done notices of one message.
     *
     * @param xids the XIDs of the replies; at least one
     * @param invalidated the handle that a Send With Invalidate names; empty for a plain Send
     */
    record Notice(List<Integer> xids, OptionalInt invalidated) {
        Notice {
            xids = List.copyOf(xids);
        }
    }

    private record PendingNotice(int xid, int handle, long since) {}

    private final boolean canInvalidate;
    private final boolean acceptsNoticesWithCalls;
    private final long delayNanos;
    private final ArrayDeque<PendingNotice> pending = new ArrayDeque<>();

    /**
     * @param canInvalidate whether both sides support remote invalidation
     * @param acceptsNoticesWithCalls whether the responder accepts notices with calls
     * @param delayNanos how long a notice waits for a call, in nanoseconds
     */
    PendingDoneNotices(boolean canInvalidate, boolean acceptsNoticesWithCalls, long delayNanos) {
        this.canInvalidate = canInvalidate;
        this.acceptsNoticesWithCalls = acceptsNoticesWithCalls;
        this.delayNanos = delayNanos;
    }

    /**
     * Adds a reply that was fetched, or will not be.
     *
     * @param handle the first handle of its chunk
     */
    void add(int xid, int handle, long now) {
        pending.addLast(new PendingNotice(xid, handle, now));
    }

    /** Returns the notices to send with a call. */
    Optional<Notice> withCall() {
        return acceptsNoticesWithCalls ? take() : Optional.empty();
    }

    /** Returns whether notices have to be sent now although no call was sent. */
    boolean isDue(long now) {
        return !pending.isEmpty()
                && (!acceptsNoticesWithCalls || now - pending.getFirst().since() >= delayNanos);
    }

    /** Returns the notices to send although none is due, because no call follows. */
    Optional<Notice> withoutCall() {
        return take();
    }

    /** Returns whether there is no notice to send. */
    boolean isEmpty() {
        return pending.isEmpty();
    }

    /** Returns the nanoseconds until a notice is due. */
    long nanosUntilDue(long now) {
        return pending.isEmpty()
                ? Long.MAX_VALUE
                : acceptsNoticesWithCalls ? delayNanos - (now - pending.getFirst().since()) : 0;
    }

    private Optional<Notice> take() {
        if (pending.isEmpty()) {
            return Optional.empty();
        }
        var invalidated =
                canInvalidate ? OptionalInt.of(pending.getFirst().handle()) : OptionalInt.empty();
        var xids = new ArrayList<Integer>();
        while (!pending.isEmpty() && xids.size() < OptionLimits.DONE_XIDS_MAX) {
            xids.add(pending.removeFirst().xid());
        }
        return Optional.of(new Notice(xids, invalidated));
    }
}
