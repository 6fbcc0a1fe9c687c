package io.github.rpcrdma4j.nfs.server.v2;

import io.github.rpcrdma4j.oncrpc.ClientAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How many names each client may make the server search for its cookies. The number grows back with
 * time. A search begins as long as some are left, however many it takes, so a client that lists any
 * directory while the server restarts is served. Times are nanoseconds of any origin. Thread-safe.
 */
final class SearchQuotas {
    /** The names that a client may have searched at once: a few directories of many names. */
    static final int NAMES_MAX = 1 << 18;

    /** How many of them come back in a second; to search so many takes a hundredth of it. */
    static final int PER_SECOND = 1 << 14;

    /** The most clients that are remembered; the one without a search for longest is forgotten. */
    private static final int CLIENTS_MAX = 4096;

    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final Map<ClientAddress, Quota> clients =
            new LinkedHashMap<>(16, 0.75f, true) {
                @Override
                protected boolean removeEldestEntry(Map.Entry<ClientAddress, Quota> eldest) {
                    return size() > CLIENTS_MAX;
                }
            };

    /** The quota of one client. A search holds its lock, so the client has one at a time. */
    static final class Quota {
        private double left = NAMES_MAX;
        private long since;

        private Quota(long now) {
            since = now;
        }

        /** Returns whether a search may begin. The lock is held. */
        boolean mayBegin(long now) {
            left = Math.min(NAMES_MAX, left + (double) (now - since) / SECOND * PER_SECOND);
            since = now;
            return left > 0;
        }

        /** Counts a name that was searched. The lock is held. */
        void count() {
            left--;
        }
    }

    /** Returns the quota of a client, which is locked for a search. */
    synchronized Quota of(ClientAddress client, long now) {
        return clients.computeIfAbsent(client, _ -> new Quota(now));
    }
}
