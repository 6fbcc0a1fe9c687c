package io.github.rpcrdma4j.nfs.state.table;

import java.util.LinkedHashMap;
import java.util.SequencedMap;

/**
 * Counts how long the clients of each place have let others wait by late answers to calls of the
 * server. They may do so for a short time.
 *
 * <pre>
 *   (none) --late--> some --further ones, too long in all--> too much
 *    | ^--------------/------------ after a time ----------------/ ^
 *    \---------------- one that is late by too much --------------/
 * </pre>
 *
 * <p>A place counts, and not a client, which gets a new name easily. A place that has no clients
 * any more is remembered, too: they could come back at once.
 */
public final class Lateness {
    /** A client is not late within this time, in nanoseconds. */
    private static final long PROMPT_NANOS = 100_000_000L;

    /** How many places are remembered. */
    private static final int PLACES_MAX = 4096;

    private final long maxNanos;
    private final long keptNanos;

    /**
     * The waits for one place.
     *
     * @param since when the first one ended that counts, or the last one if it was too long in all
     */
    private record Late(long nanos, long since) {}

    /** In the order of their times. */
    private final SequencedMap<String, Late> places = new LinkedHashMap<>();

    /**
     * @param maxNanos by how much clients may be late in all
     * @param keptNanos how long that counts
     */
    public Lateness(long maxNanos, long keptNanos) {
        this.maxNanos = maxNanos;
        this.keptNanos = keptNanos;
    }

    /**
     * Another client has waited.
     *
     * @param nanos for how long
     */
    public void add(String place, long nanos, long now) {
        long over = nanos - PROMPT_NANOS;
        if (over > 0) {
            put(place, of(place, now) + over, now);
        }
    }

    /** The clients of a place have been late by too much, however long that was. */
    public void exceed(String place, long now) {
        put(place, Math.max(of(place, now), maxNanos + 1), now);
    }

    private void put(String place, long nanos, long now) {
        var before = places.get(place);
        if (before == null || isOver(before, now) || nanos > maxNanos) {
            places.remove(place);
            places.put(place, new Late(nanos, now));
        } else {
            places.put(place, new Late(nanos, before.since));
        }
        if (places.size() > PLACES_MAX || isOver(places.firstEntry().getValue(), now)) {
            places.pollFirstEntry();
        }
    }

    private boolean isOver(Late late, long now) {
        return now - late.since > keptNanos;
    }

    /** Returns by how much the clients of a place have been late in all, in nanoseconds. */
    public long of(String place, long now) {
        var late = places.get(place);
        return late == null || isOver(late, now) ? 0 : late.nanos;
    }

    public boolean isTooMuch(String place, long now) {
        return of(place, now) > maxNanos;
    }
}
