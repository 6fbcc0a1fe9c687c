package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.table.OldestByPlace;
import io.github.rpcrdma4j.oncrpc.share.Host;
import java.util.HashMap;
import java.util.Map;

/** Counts what the clients of one host take of the state. */
final class HostCounts {
    final Host host;

    /** The clients without a session so far. */
    final OldestByPlace<Client> unconfirmed = byPlace();

    /** The clients that are kept by courtesy. */
    final OldestByPlace<Client> expired = byPlace();

    /** What the places of the host take, by their names. */
    final Map<String, PlaceCounts> places = new HashMap<>();

    private final long[] used = new long[Shares.Kind.values().length];

    private static OldestByPlace<Client> byPlace() {
        return new OldestByPlace<>(each -> each.place, each -> each.renewed);
    }

    HostCounts(Host host) {
        this.host = host;
    }

    long used(Shares.Kind kind) {
        return used[kind.ordinal()];
    }

    void count(Shares.Kind kind, long change) {
        used[kind.ordinal()] += change;
    }
}
