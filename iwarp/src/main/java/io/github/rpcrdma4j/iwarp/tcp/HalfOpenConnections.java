package io.github.rpcrdma4j.iwarp.tcp;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;

/**
 * The half-open connections, each client's in the order in which they came. When there are too
 * many, the oldest goes: it has had more time than any other. It is one of the client that has the
 * most, so that no client drives out those of others. Owned by the thread in {@code accept}.
 */
final class HalfOpenConnections {
    private final int max;
    private final int perClientMax;
    private final Map<Object, LinkedHashSet<HalfOpenConnection>> clients = new HashMap<>();
    private int count;

    /**
     * @param max of all clients
     * @param perClientMax of one
     */
    HalfOpenConnections(int max, int perClientMax) {
        this.max = max;
        this.perClientMax = perClientMax;
    }

    /**
     * Adds the newest.
     *
     * @return which had to go for it, and is no longer here; null if none had to
     */
    HalfOpenConnection add(HalfOpenConnection newest) {
        var same = clients.get(newest.client());
        HalfOpenConnection gone = null;
        if (same != null && same.size() >= perClientMax) {
            gone = same.getFirst();
        } else if (count >= max) {
            gone = largest().getFirst();
        }
        if (gone != null) {
            remove(gone);
        }
        clients.computeIfAbsent(newest.client(), _ -> new LinkedHashSet<>()).add(newest);
        count++;
        return gone;
    }

    /** Of clients with equally many, the one whose first came first. */
    private LinkedHashSet<HalfOpenConnection> largest() {
        LinkedHashSet<HalfOpenConnection> found = null;
        for (var each : clients.values()) {
            if (found == null
                    || each.size() > found.size()
                    || each.size() == found.size()
                            && each.getFirst().isOlderThan(found.getFirst())) {
                found = each;
            }
        }
        return found;
    }

    /** It is not half-open any more. */
    void remove(HalfOpenConnection one) {
        var same = clients.get(one.client());
        if (same != null && same.remove(one)) {
            count--;
            if (same.isEmpty()) {
                clients.remove(one.client());
            }
        }
    }

    /** How many there are. */
    int count() {
        return count;
    }
}
