package io.github.rpcrdma4j.nfs.server.state;

import java.util.LinkedHashMap;
import java.util.SequencedMap;

/**
 * Since when hosts have asked in vain for the attributes of a delegated file, because the server
 * could not ask the client that has the delegation. Each host has a time of its own: an answer to
 * one host does not help another one that waits.
 *
 * <pre>
 *   (none) --in vain--> waits --in vain--> waits
 *      ^----- answered, or 30 seconds -----/
 * </pre>
 */
final class VainQuestions {
    /** A host that has not asked for so long does not wait any more. Clients ask again sooner. */
    private static final long FORGOTTEN_NANOS = 30_000_000_000L;

    /** How many hosts are remembered. */
    private static final int HOSTS_MAX = 64;

    private record Times(long first, long last) {}

    /** In the order of the last questions. */
    private final SequencedMap<Host, Times> hosts = new LinkedHashMap<>();

    /** A host has asked in vain. Returns for how long it has done so, in nanoseconds. */
    long add(Host host, long now) {
        var before = hosts.remove(host);
        boolean isFirst = before == null || now - before.last > FORGOTTEN_NANOS;
        long first = isFirst ? now : before.first;
        hosts.put(host, new Times(first, now));
        if (hosts.size() > HOSTS_MAX) {
            hosts.pollFirstEntry();
        }
        return now - first;
    }

    /** The client was asked for a host. */
    void end(Host host) {
        hosts.remove(host);
    }
}
