package io.github.rpcrdma4j.rpcrdma.v2.requester;

import io.github.rpcrdma4j.rpcrdma.v2.wire.OptionLimits;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The replies that a requester has fetched and not told of yet. Calls that go anyhow tell by
 * preference; if none goes for a while, a message of its own does (RPR-4.1.3-1, RPR-5.2.3-3).
 *
 * <p>One message can invalidate one handle: the first of the oldest reply, and only if both sides
 * have said that they can (RPR-4.1.4-1, RPR-4.1.4-2, RPR-4.1.4-3). Not thread-safe.
 */
final class PendingDoneNotices {
    /**
     * What a message tells.
     *
     * @param xids one at least
     * @param invalidated the handle that a Send With Invalidate names; empty for a plain Send
     */
    record Notice(List<Integer> xids, OptionalInt invalidated) {
        Notice {
            xids = List.copyOf(xids);
        }
    }

    private record Fetched(int xid, int handle, long since) {}

    private final boolean canInvalidate;
    private final boolean canRide;
    private final long delayNanos;
    private final ArrayDeque<Fetched> fetched = new ArrayDeque<>();

    /**
     * @param canInvalidate whether both sides can do that from afar
     * @param canRide whether the responder takes them with calls
     * @param delayNanos how long one waits for a call to go with
     */
    PendingDoneNotices(boolean canInvalidate, boolean canRide, long delayNanos) {
        this.canInvalidate = canInvalidate;
        this.canRide = canRide;
        this.delayNanos = delayNanos;
    }

    /**
     * A reply was fetched, or will not be.
     *
     * @param handle the first of its chunk
     */
    void add(int xid, int handle, long now) {
        fetched.addLast(new Fetched(xid, handle, now));
    }

    /** What a call takes along that is about to be sent. */
    Optional<Notice> withCall() {
        return canRide ? take() : Optional.empty();
    }

    /** What has to be told in a message of its own. */
    Optional<Notice> due(long now) {
        boolean isDue =
                !fetched.isEmpty() && (!canRide || now - fetched.getFirst().since() >= delayNanos);
        return isDue ? take() : Optional.empty();
    }

    /** What is told because no call goes out now. */
    Optional<Notice> idle() {
        return take();
    }

    /** Whether there is something to be told. */
    boolean isEmpty() {
        return fetched.isEmpty();
    }

    /** How long it is until something is due, in nanoseconds. */
    long left(long now) {
        return fetched.isEmpty()
                ? Long.MAX_VALUE
                : canRide ? delayNanos - (now - fetched.getFirst().since()) : 0;
    }

    private Optional<Notice> take() {
        if (fetched.isEmpty()) {
            return Optional.empty();
        }
        var invalidated =
                canInvalidate ? OptionalInt.of(fetched.getFirst().handle()) : OptionalInt.empty();
        var xids = new ArrayList<Integer>();
        while (!fetched.isEmpty() && xids.size() < OptionLimits.COMPLETIONS_MAX) {
            xids.add(fetched.removeFirst().xid());
        }
        return Optional.of(new Notice(xids, invalidated));
    }
}
