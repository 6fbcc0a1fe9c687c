package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.oncrpc.share.HostPlace;
import java.util.Arrays;

/** What the clients of one place take of what their host may have. */
final class PlaceCounts {
    final HostCounts host;
    final HostPlace place;

    /** The clients of all kinds. */
    int clients;

    private final long[] used = new long[Shares.Kind.values().length];

    PlaceCounts(HostCounts host, String name) {
        this.host = host;
        this.place = new HostPlace(host.host, name);
    }

    long used(Shares.Kind kind) {
        return used[kind.ordinal()];
    }

    boolean isUsed() {
        return clients > 0 || Arrays.stream(used).anyMatch(each -> each != 0);
    }

    void count(Shares.Kind kind, long change) {
        used[kind.ordinal()] += change;
    }
}
