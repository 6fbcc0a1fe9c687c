package io.github.rpcrdma4j.nfs.directories.linux;

import io.github.rpcrdma4j.nfs.store.Origin;
import io.github.rpcrdma4j.oncrpc.share.CallerHost;
import io.github.rpcrdma4j.oncrpc.share.HostPermits;
import io.github.rpcrdma4j.oncrpc.share.HostPlace;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;

/**
 * The descriptors of a store that wait to be closed, and the threads that close them. Hosts share
 * how many may wait: one that has its share opens no more, and all others go on. The threads are
 * not those of operations, and serve hosts in turn, so no operation waits for what they do.
 *
 * <p>Its {@link DataFiles} guards all but the threads.
 */
final class Closings {
    /** Of this part of all descriptors, a host leaves idle ones open while so many of it wait. */
    private static final int IDLE_PART = 8;

    /** What is done before a descriptor is closed. */
    enum Kind {
        /** Its data is forced to storage, which takes as long as the disk does. */
        FORCED,
        /** Nothing. */
        CLEAN
    }

    /** Descriptors that wait for each other. */
    record Turn(HostPlace place, Kind kind) {}

    /** How many descriptors wait for a turn. */
    private static final class Waiting {
        int shared;

        /** Those that are more than the share: they were open before it was used up. */
        int beyond;

        int all() {
            return shared + beyond;
        }
    }

    private final FileThreads threads;
    private final int max;
    private final Map<Kind, HostPermits> permits = new EnumMap<>(Kind.class);
    private final Map<Turn, Waiting> waiting = new HashMap<>();

    /**
     * @param threads close descriptors, and do nothing else; closed with this
     * @param max the most descriptors of each kind that may wait, besides one for each host
     */
    Closings(FileThreads threads, int max) {
        this.threads = threads;
        this.max = max;
        for (var kind : Kind.values()) {
            permits.put(kind, new HostPermits(max, max));
        }
    }

    /** Returns whose share a call uses. */
    static HostPlace place(Origin origin) {
        return origin.client() == null
                ? new HostPlace(null, origin.place())
                : new HostPlace(new CallerHost(origin.client()), origin.place());
    }

    /**
     * Returns whether one more descriptor may be opened.
     *
     * @param writable whether it may have data to be forced
     */
    boolean hasRoom(HostPlace place, boolean writable) {
        return hasRoom(new Turn(place, Kind.CLEAN))
                && (!writable || hasRoom(new Turn(place, Kind.FORCED)));
    }

    private boolean hasRoom(Turn turn) {
        var those = waiting.get(turn);
        return (those == null || those.beyond == 0) && permits.get(turn.kind).isFree(turn.place);
    }

    /** Returns whether a descriptor may wait that could as well stay open. */
    boolean hasRoomForIdle(Turn turn) {
        var those = waiting.get(turn);
        return those == null || those.all() < max / IDLE_PART;
    }

    /** Counts one more descriptor, which is closed even if its host has no share left. */
    void add(Turn turn) {
        var those = waiting.computeIfAbsent(turn, _ -> new Waiting());
        if (permits.get(turn.kind).take(turn.place)) {
            those.shared++;
        } else {
            those.beyond++;
        }
    }

    /** Counts one less. */
    void remove(Turn turn) {
        var those = waiting.get(turn);
        if (those.beyond > 0) {
            those.beyond--;
        } else {
            those.shared--;
            permits.get(turn.kind).giveBack(turn.place);
        }
        if (those.all() == 0) {
            waiting.remove(turn);
        }
    }

    /** Queues the closing of a descriptor. */
    void later(Turn turn, FileThreads.Operation<Void> closing) {
        threads.later(turn, closing);
    }

    /** Waits for the closings in progress, up to a limit in case they hang. */
    void close() {
        threads.close();
    }
}
