package io.github.rpcrdma4j.nfs.server.state;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.SequencedMap;
import java.util.Set;

/**
 * Which verifiers each host has sent with the name of a client at another address, without being
 * that client. Two machines with one name do so with a verifier each; who guesses sends many.
 *
 * <pre>
 *   (none) --a verifier--> some --more than 16 within an hour--> too many
 *     ^---- an hour ---------/-- an hour since the last verifier ----/
 * </pre>
 *
 * <p>A host that has no clients any more is remembered, too.
 */
final class TriedVerifiers {
    /** So many verifiers a host may try. */
    static final int MAX = 16;

    private static final long KEPT_NANOS = 3600 * 1_000_000_000L;

    /** How many hosts are remembered. */
    private static final int HOSTS_MAX = 4096;

    private static final class Tries {
        private final Set<Long> verifiers = new LinkedHashSet<>();

        /** When the first one came, or the last one if there were too many. */
        private long since;

        boolean areTooMany() {
            return verifiers.size() > MAX;
        }

        boolean areOver(long now) {
            return now - since > KEPT_NANOS;
        }
    }

    /** In the order of their times. */
    private final SequencedMap<Host, Tries> hosts = new LinkedHashMap<>();

    /**
     * Notes a verifier.
     *
     * @return whether it is the first one too many
     */
    boolean add(Host host, long verifier, long now) {
        var tries = hosts.get(host);
        if (tries == null || tries.areOver(now)) {
            hosts.remove(host);
            tries = new Tries();
            tries.since = now;
            hosts.put(host, tries);
        }
        boolean wereTooMany = tries.areTooMany();
        if (!wereTooMany) {
            tries.verifiers.add(verifier);
        }
        if (tries.areTooMany()) {
            tries.since = now;
            hosts.putLast(host, tries);
        }
        if (hosts.size() > HOSTS_MAX || hosts.firstEntry().getValue().areOver(now)) {
            hosts.pollFirstEntry();
        }
        return tries.areTooMany() && !wereTooMany;
    }

    boolean areTooMany(Host host, long now) {
        var tries = hosts.get(host);
        return tries != null && tries.areTooMany() && !tries.areOver(now);
    }
}
