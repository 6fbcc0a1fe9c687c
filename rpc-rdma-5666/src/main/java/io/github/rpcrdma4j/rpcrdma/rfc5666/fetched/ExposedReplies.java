package io.github.rpcrdma4j.rpcrdma.rfc5666.fetched;

import io.github.rpcrdma4j.rpcrdma.rfc5666.options.LateFetch;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The replies of one connection that its requester has yet to fetch, by XID (RPR-5.4.3-1).
 *
 * <pre>
 *               fetched, expired, lost: Release
 *    waiting -----------------------------------> gone
 *      ^ |
 *      '-' called again: the same reply once more
 * </pre>
 *
 * An XID without a waiting reply is ignored (RPR-4.1.3-3). A requester that never says that it is
 * done costs the responder only a bounded number of replies, of bytes and of time (RPR-X-6). Times
 * are nanoseconds of any origin. Not thread-safe.
 *
 * <p>Tests: {@code ExposedReplyMemoryTest}.
 */
public final class ExposedReplies {
    /**
     * The limits of what may wait.
     *
     * @param replies the most replies that wait
     * @param bytes the number of waiting bytes at which no further reply is exposed; the last reply
     *     may exceed it
     * @param holdNanos how long a reply waits, in nanoseconds
     * @param lateness what happens to a reply that is not fetched in time
     */
    public record Bounds(int replies, long bytes, long holdNanos, LateFetch lateness) {}

    /** An action that the caller has to carry out. */
    public sealed interface Action {
        /** Invalidate all handles of the reply (RPR-4.1.4-4), and give its memory back. */
        record Release(int xid) implements Action {}

        /** Close the connection. */
        record Close(String why) implements Action {}
    }

    /** A waiting reply. Its time is empty until {@link #expire} first sees the reply. */
    private record WaitingReply(List<Integer> handles, long bytes, OptionalLong since) {
        public WaitingReply at(OptionalLong time) {
            return new WaitingReply(handles, bytes, time);
        }
    }

    private final Bounds bounds;
    private final Map<Integer, WaitingReply> waiting = new LinkedHashMap<>();
    private long bytes;

    public ExposedReplies(Bounds bounds) {
        this.bounds = bounds;
    }

    /**
     * Returns the number of waiting replies. One receive is posted for each, for its done notice.
     */
    public int count() {
        return waiting.size();
    }

    /** Returns the number of bytes of the waiting replies. */
    public long bytes() {
        return bytes;
    }

    /** Returns whether one more reply of any size may be exposed. */
    public boolean hasRoom() {
        return waiting.size() < bounds.replies() && bytes < bounds.bytes();
    }

    /** Returns whether the reply to the call with that XID waits. */
    public boolean waits(int xid) {
        return waiting.containsKey(xid);
    }

    /**
     * Adds a reply that is about to be sent, whose memory is registered for reading.
     *
     * @param handles the handles of its segments; at least one (RPR-4.1-1)
     * @param length its length in bytes
     * @throws AssertionError if there is no room for the reply, or a reply with its XID waits
     */
    public void expose(int xid, List<Integer> handles, long length) {
        if (!hasRoom() || waits(xid)) {
            throw new AssertionError("there is no room for this reply, or its XID waits");
        }
        waiting.put(xid, new WaitingReply(List.copyOf(handles), length, OptionalLong.empty()));
        bytes += length;
    }

    /**
     * Removes replies that the requester has finished with. It says so in a message of its own or
     * in a call (RPR-4.1.4-6).
     *
     * @param invalidated the handle that this message has invalidated. It must belong to one of
     *     these replies: the requester may invalidate no other (RPR-4.1.4-5).
     */
    public List<Action> fetched(List<Integer> xids, OptionalInt invalidated) {
        boolean isOurs =
                invalidated.isEmpty()
                        || xids.stream()
                                .anyMatch(
                                        xid ->
                                                waiting.containsKey(xid)
                                                        && waiting.get(xid)
                                                                .handles()
                                                                .contains(invalidated.getAsInt()));
        if (!isOurs) {
            return List.of(
                    new Action.Close(
                            "the peer invalidated a handle that does not belong to its done"
                                    + " notice"));
        }
        var actions = new ArrayList<Action>();
        for (int xid : xids) {
            if (waiting.containsKey(xid)) {
                actions.add(release(xid));
            }
        }
        return actions;
    }

    private Action.Release release(int xid) {
        bytes -= waiting.remove(xid).bytes();
        return new Action.Release(xid);
    }

    /**
     * Restarts the time of a waiting reply when its call arrives again. The requester has not
     * received that reply, so it is sent once more with the same chunk (RPR-X-2).
     *
     * @return whether a reply to that call waits
     */
    public boolean called(int xid) {
        return waiting.computeIfPresent(xid, (_, again) -> again.at(OptionalLong.empty())) != null;
    }

    /**
     * Handles replies that have waited for too long (RPR-4.1.3-5). The time of a reply counts from
     * the first call of this method that sees it.
     *
     * @param timeoutDivisor the divisor of the time, above 1 if others wait for memory
     */
    public List<Action> expire(long now, int timeoutDivisor) {
        waiting.replaceAll(
                (_, each) -> each.since().isEmpty() ? each.at(OptionalLong.of(now)) : each);
        var late =
                waiting.entrySet().stream()
                        .filter(entry -> isLate(entry.getValue(), now, timeoutDivisor))
                        .map(Map.Entry::getKey)
                        .toList();
        if (late.isEmpty()) {
            return List.of();
        }
        return switch (bounds.lateness()) {
            case INVALIDATES -> late.stream().<Action>map(this::release).toList();
            case CLOSES -> List.of(new Action.Close("a reply was not fetched in time"));
        };
    }

    private boolean isLate(WaitingReply reply, long now, int timeoutDivisor) {
        return now - reply.since().orElseThrow() >= bounds.holdNanos() / timeoutDivisor;
    }

    /** Releases all replies after the connection or the device is lost (RPR-X-4). */
    public List<Action> lost() {
        return List.copyOf(waiting.keySet()).stream().<Action>map(this::release).toList();
    }
}
