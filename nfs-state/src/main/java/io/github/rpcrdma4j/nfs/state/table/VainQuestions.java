package io.github.rpcrdma4j.nfs.state.table;

import io.github.rpcrdma4j.oncrpc.share.HostPlace;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/**
 * Remembers since when clients of a place have asked in vain for the attributes of a delegated
 * file, because the server could not ask the client that has the delegation. Each place has a time
 * of its own: an answer to one does not help another one that waits. Those beyond the first {@value
 * #PLACES_MAX} have one time together, which no answer ends, and which those that follow them have
 * too: else many places could keep one out that asks seldom.
 *
 * <pre>
 *   (none) --in vain--> waits --in vain--> waits
 *      ^----- answered, or 30 seconds -----/
 * </pre>
 */
public final class VainQuestions {
    /** A place that has not asked for so long does not wait any more. Clients ask again sooner. */
    private static final long FORGOTTEN_NANOS = 30_000_000_000L;

    /** How many places have times of their own. */
    static final int PLACES_MAX = 64;

    private record Times(long first, long last) {}

    /** In the order of the last questions. */
    private final SequencedMap<HostPlace, Times> places = new LinkedHashMap<>();

    /** The times of all other places; null if none has asked. */
    private Times others;

    /** A place has asked in vain. Returns for how long it has done so, in nanoseconds. */
    public long add(HostPlace place, long now) {
        forgetOld(now);
        var before = places.remove(place);
        if (before == null && places.size() == PLACES_MAX) {
            others = asked(others, now);
            return now - others.first;
        }
        var times = asked(before == null ? others : before, now);
        places.put(place, times);
        return now - times.first;
    }

    private static Times asked(Times before, long now) {
        return new Times(isOver(before, now) ? now : before.first, now);
    }

    private static boolean isOver(Times times, long now) {
        return times == null || now - times.last > FORGOTTEN_NANOS;
    }

    private void forgetOld(long now) {
        while (!places.isEmpty() && isOver(places.firstEntry().getValue(), now)) {
            places.pollFirstEntry();
        }
    }

    /** The client was asked for a place. */
    public void end(HostPlace place) {
        places.remove(place);
    }
}
