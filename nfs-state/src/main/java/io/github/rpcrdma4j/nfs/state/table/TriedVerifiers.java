package io.github.rpcrdma4j.nfs.state.table;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.Sender;
import io.github.rpcrdma4j.oncrpc.share.Host;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.SequencedMap;
import java.util.Set;

/**
 * Which verifiers each place has sent with the name of a client at another address, without being
 * that client. Two machines with one name do so with a verifier each; who guesses sends many.
 *
 * <pre>
 *   (none) --a verifier--> some --more than 16 within an hour--> too many
 *     ^---- an hour ---------/-- an hour since the last verifier ----/
 * </pre>
 *
 * <p>All places of a host have one more count, with a larger limit: who has a network of IPv6 has
 * many addresses. Beyond it, all its places that are remembered count as those with too many. A
 * place that has tried nothing never does, so no neighbor takes anything from it.
 *
 * <p>A place that has no clients any more is remembered, too. A host makes room for its own places
 * when it has many, and the host that has tried nothing for the longest time for those of others.
 */
public final class TriedVerifiers {
    /** So many verifiers a place may try. */
    public static final int MAX = 16;

    /** So many all places of a host may try. */
    public static final int HOST_MAX = 4 * MAX;

    /** How many places are remembered. */
    public static final int PLACES_MAX = 4096;

    /** Likewise of one host. */
    public static final int PLACES_OF_HOST_MAX = PLACES_MAX / 16;

    private static final long KEPT_NANOS = 3600 * 1_000_000_000L;

    /** How many verifiers were tried. */
    private static final class Count {
        private final int max;
        private int tried;

        /** When the first one came, or the last one if there were too many. */
        private long since;

        Count(int max, long now) {
            this.max = max;
            this.since = now;
        }

        /** Returns whether it is the first one too many. */
        public boolean add(long now) {
            boolean isFirst = tried == max;
            tried = Math.min(tried, max) + 1;
            if (areTooMany()) {
                since = now;
            }
            return isFirst;
        }

        public boolean areTooMany() {
            return tried > max;
        }

        boolean areOver(long now) {
            return now - since > KEPT_NANOS;
        }
    }

    /** What a place has tried. */
    private static final class Tries {
        private final Set<Long> verifiers = new LinkedHashSet<>();
        private final Count count;

        Tries(long now) {
            count = new Count(MAX, now);
        }
    }

    /** What the places of a host have tried. */
    private static final class HostTries {
        /** The one that has tried nothing for the longest time first. */
        private final SequencedMap<String, Tries> places = new LinkedHashMap<>();

        private Count count;
        private long last;

        HostTries(long now) {
            count = new Count(HOST_MAX, now);
        }
    }

    /** Likewise. */
    private final SequencedMap<Host, HostTries> hosts = new LinkedHashMap<>();

    private int places;

    /**
     * Notes a verifier.
     *
     * @return who has tried too many from this one on
     */
    public Set<Action.Triers> add(Sender sender, long verifier, long now) {
        var host = hosts.computeIfAbsent(sender.host(), _ -> new HostTries(now));
        hosts.putLast(sender.host(), host);
        host.last = now;
        var tries = host.places.get(sender.place());
        if (tries == null || tries.count.areOver(now)) {
            places += tries == null ? 1 : 0;
            tries = new Tries(now);
        }
        host.places.putLast(sender.place(), tries);
        makeRoom(host, now);
        if (tries.count.areTooMany()) {
            tries.count.add(now);
            return Set.of();
        }
        return tries.verifiers.add(verifier) ? count(tries, host, now) : Set.of();
    }

    private static Set<Action.Triers> count(Tries tries, HostTries host, long now) {
        if (host.count.areOver(now)) {
            host.count = new Count(HOST_MAX, now);
        }
        var excess = EnumSet.noneOf(Action.Triers.class);
        if (tries.count.add(now)) {
            excess.add(Action.Triers.PLACE);
        }
        if (host.count.add(now)) {
            excess.add(Action.Triers.HOST);
        }
        return excess;
    }

    private void makeRoom(HostTries asking, long now) {
        if (asking.places.size() > PLACES_OF_HOST_MAX) {
            asking.places.pollFirstEntry();
            places--;
        }
        var eldest = hosts.firstEntry().getValue();
        if (now - eldest.last > KEPT_NANOS) {
            places -= eldest.places.size();
            eldest.places.clear();
        } else if (places > PLACES_MAX) {
            eldest.places.pollFirstEntry();
            places--;
        }
        if (eldest.places.isEmpty()) {
            hosts.pollFirstEntry();
        }
    }

    /** Returns whether a sender is believed no verifier of a client at another address. */
    public boolean areTooMany(Sender sender, long now) {
        var host = hosts.get(sender.host());
        var tries = host == null ? null : host.places.get(sender.place());
        if (tries == null || tries.count.areOver(now)) {
            return false;
        }
        return tries.count.areTooMany() || host.count.areTooMany() && !host.count.areOver(now);
    }

    /** Returns how many places are remembered. */
    public int places() {
        return places;
    }
}
