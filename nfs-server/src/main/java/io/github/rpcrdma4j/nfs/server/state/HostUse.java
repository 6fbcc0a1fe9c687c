package io.github.rpcrdma4j.nfs.server.state;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.SequencedSet;

/** What the clients of one host take of the state. */
final class HostUse {
    final Host host;

    /** The clients without a session so far, the oldest first. */
    final SequencedSet<Client> unconfirmed = new LinkedHashSet<>();

    /** The clients that are kept by courtesy, the one that has expired first at the start. */
    final SequencedSet<Client> expired = new LinkedHashSet<>();

    /** The clients of all kinds. */
    int clients;

    private final long[] used = new long[Shares.Kind.values().length];

    HostUse(Host host) {
        this.host = host;
    }

    long used(Shares.Kind kind) {
        return used[kind.ordinal()];
    }

    boolean hasAnything() {
        return Arrays.stream(used).anyMatch(each -> each != 0);
    }

    void count(Shares.Kind kind, long change) {
        used[kind.ordinal()] += change;
    }
}
