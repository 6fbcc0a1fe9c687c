package io.github.rpcrdma4j.rpcrdma.pull;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * The replies of one connection that wait at the responder to be fetched, found by their XIDs
 * (RPR-5.4.3-1).
 *
 * <pre>
 *               fetched, expired, lost: Release
 *    waiting -----------------------------------> gone
 *      ^ |
 *      '-' called again: Resend
 * </pre>
 *
 * What an XID says that does not wait means nothing (RPR-4.1.3-3). A requester that never says that
 * it is done costs a number of replies, octets and time (RPR-X-6). Times are nanoseconds of any
 * origin. Not thread-safe.
 */
public final class ExposedReplies {
    /** What becomes of a reply that is not fetched in time. */
    public enum Lateness {
        /** Its memory is invalidated; a late Read then ends the connection (RPR-4.1.3-5). */
        INVALIDATES,
        CLOSES
    }

    /**
     * How much may wait.
     *
     * @param octets of all replies together
     * @param holdNanos how long one waits
     */
    public record Bounds(int replies, long octets, long holdNanos, Lateness lateness) {}

    /** What is to be done. */
    public sealed interface Action {
        /**
         * Invalidate these handles, which nobody has invalidated yet (RPR-4.1.4-4), and give the
         * memory of the reply back.
         */
        record Release(int xid, List<Integer> handles) implements Action {
            public Release {
                handles = List.copyOf(handles);
            }
        }

        /** Send the same reply once more, with the same chunk (RPR-X-2). */
        record Resend(int xid) implements Action {}

        /** Close the connection. */
        record Close(String why) implements Action {}
    }

    private record Waiting(List<Integer> handles, long octets, long since) {}

    private final Bounds bounds;
    private final Map<Integer, Waiting> waiting = new LinkedHashMap<>();
    private long octets;

    public ExposedReplies(Bounds bounds) {
        this.bounds = bounds;
    }

    /** How many wait; so many receives stand posted for what will tell that they are fetched. */
    public int count() {
        return waiting.size();
    }

    /** Octets that wait. */
    public long octets() {
        return octets;
    }

    /**
     * A reply is about to be sent whose memory is registered for reading (RPR-4.1.1-3, RPR-7-1).
     *
     * @param handles of its segments; one at least (RPR-4.1-1)
     * @return false if there is no room for it, or one with its XID waits: nothing is sent then
     */
    public boolean expose(int xid, List<Integer> handles, long length, long now) {
        if (waiting.size() >= bounds.replies()
                || length > bounds.octets() - octets
                || waiting.containsKey(xid)) {
            return false;
        }
        waiting.put(xid, new Waiting(List.copyOf(handles), length, now));
        octets += length;
        return true;
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
                actions.add(release(xid, invalidated));
            }
        }
        return actions;
    }

    private Action.Release release(int xid, OptionalInt invalidated) {
        var gone = waiting.remove(xid);
        octets -= gone.octets();
        return new Action.Release(
                xid,
                gone.handles().stream()
                        .filter(handle -> invalidated.isEmpty() || handle != invalidated.getAsInt())
                        .toList());
    }

    /** A call came; if it is one whose reply waits, the requester has not got that. */
    public List<Action> called(int xid, long now) {
        var again = waiting.get(xid);
        if (again == null) {
            return List.of();
        }
        waiting.put(xid, new Waiting(again.handles(), again.octets(), now));
        return List.of(new Action.Resend(xid));
    }

    /** Looks for replies that have waited for too long. */
    public List<Action> expire(long now) {
        var late =
                waiting.entrySet().stream()
                        .filter(entry -> now - entry.getValue().since() >= bounds.holdNanos())
                        .map(Map.Entry::getKey)
                        .toList();
        if (late.isEmpty()) {
            return List.of();
        }
        return switch (bounds.lateness()) {
            case INVALIDATES ->
                    late.stream().<Action>map(xid -> release(xid, OptionalInt.empty())).toList();
            case CLOSES -> List.of(new Action.Close("a reply was not fetched in time"));
        };
    }

    /** The connection, or the device, is gone (RPR-X-4). */
    public List<Action> lost() {
        return List.copyOf(waiting.keySet()).stream()
                .<Action>map(xid -> release(xid, OptionalInt.empty()))
                .toList();
    }
}
