package io.github.rpcrdma4j.rpcrdma.fetched;

import io.github.rpcrdma4j.rpcrdma.fetched.options.LateFetch;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The replies of one connection that wait at the responder to be fetched, found by their XIDs
 * (RPR-5.4.3-1).
 *
 * <pre>
 *               fetched, expired, lost: Release
 *    waiting -----------------------------------> gone
 *      ^ |
 *      '-' called again: the same reply once more
 * </pre>
 *
 * What an XID says that does not wait means nothing (RPR-4.1.3-3). A requester that never says that
 * it is done costs a number of replies, bytes and time (RPR-X-6). Times are nanoseconds of any
 * origin. Not thread-safe.
 */
public final class ExposedReplies {
    /**
     * How much may wait.
     *
     * @param bytes from which on nothing more is exposed; so one reply more is held
     * @param holdNanos how long one waits
     * @param lateness what becomes of one that is not fetched in time
     */
    public record Bounds(int replies, long bytes, long holdNanos, LateFetch lateness) {}

    /** What is to be done. */
    public sealed interface Action {
        /** Invalidate all handles of the reply (RPR-4.1.4-4), and give its memory back. */
        record Release(int xid) implements Action {}

        /** Close the connection. */
        record Close(String why) implements Action {}
    }

    /** Since when is not known before it is looked at. */
    private record Waiting(List<Integer> handles, long bytes, OptionalLong since) {
        public Waiting at(OptionalLong time) {
            return new Waiting(handles, bytes, time);
        }
    }

    private final Bounds bounds;
    private final Map<Integer, Waiting> waiting = new LinkedHashMap<>();
    private long bytes;

    public ExposedReplies(Bounds bounds) {
        this.bounds = bounds;
    }

    /** How many wait; so many receives stand posted for what will tell that they are fetched. */
    public int count() {
        return waiting.size();
    }

    /** Bytes that wait. */
    public long bytes() {
        return bytes;
    }

    /** Whether one more may be exposed, of whatever size. */
    public boolean hasRoom() {
        return waiting.size() < bounds.replies() && bytes < bounds.bytes();
    }

    /** Whether the reply to that call waits. */
    public boolean waits(int xid) {
        return waiting.containsKey(xid);
    }

    /**
     * A reply is about to be sent whose memory is registered for reading.
     *
     * @param handles of its segments; one at least (RPR-4.1-1)
     * @throws AssertionError if there is no room for it, or one with its XID waits
     */
    public void expose(int xid, List<Integer> handles, long length) {
        if (!hasRoom() || waits(xid)) {
            throw new AssertionError("a reply is exposed for which there is no room");
        }
        waiting.put(xid, new Waiting(List.copyOf(handles), length, OptionalLong.empty()));
        bytes += length;
    }

    /**
     * The requester says that it is done with these, in a message of its own or in a call
     * (RPR-4.1.4-6).
     *
     * @param invalidated the handle that this message has invalidated; of one of these replies, or
     *     it is not for the requester to invalidate (RPR-4.1.4-5)
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
            return List.of(new Action.Close("a handle was invalidated that is in use"));
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
     * Whether a call that came is one whose reply waits: the requester has not got that, and the
     * same reply is sent once more, with the same chunk (RPR-X-2).
     */
    public boolean called(int xid) {
        return waiting.computeIfPresent(xid, (_, again) -> again.at(OptionalLong.empty())) != null;
    }

    /**
     * Looks for replies that have waited for too long (RPR-4.1.3-5): the time counts from the first
     * look.
     */
    public List<Action> expire(long now) {
        waiting.replaceAll(
                (_, each) -> each.since().isEmpty() ? each.at(OptionalLong.of(now)) : each);
        var late =
                waiting.entrySet().stream()
                        .filter(entry -> isLate(entry.getValue(), now))
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

    private boolean isLate(Waiting reply, long now) {
        return now - reply.since().orElseThrow() >= bounds.holdNanos();
    }

    /** The connection, or the device, is gone (RPR-X-4). */
    public List<Action> lost() {
        return List.copyOf(waiting.keySet()).stream().<Action>map(this::release).toList();
    }
}
