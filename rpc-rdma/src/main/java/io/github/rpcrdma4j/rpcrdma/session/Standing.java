package io.github.rpcrdma4j.rpcrdma.session;

import java.util.Comparator;

/** A connection with a copy of its sort keys, which change while connections are sorted. */
record Standing(ServedConnection connection, int siblings, long bytes, long idleSince) {
    static final Comparator<Standing> MOST_CONNECTIONS =
            Comparator.comparingInt(Standing::siblings).reversed();
    static final Comparator<Standing> MOST_BYTES =
            Comparator.comparingLong(Standing::bytes).reversed();
    static final Comparator<Standing> LONGEST_IDLE =
            (one, other) -> Long.signum(one.idleSince - other.idleSince);

    /** Loads this class, which is needed when there may be no descriptor to load it with. */
    static void preload() {}

    static Standing of(ServedConnection connection) {
        var peerQuota = connection.peerQuota();
        return new Standing(
                connection, peerQuota.connections(), peerQuota.bytes(), connection.idleSince());
    }
}
