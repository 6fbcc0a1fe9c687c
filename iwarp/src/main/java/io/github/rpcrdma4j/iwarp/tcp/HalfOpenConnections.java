package io.github.rpcrdma4j.iwarp.tcp;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;

/**
 * The half-open connections of each client, in order of arrival. If there are too many, the oldest
 * connection of the client with the most is removed. So no client displaces the connections of
 * others, and the removed one had the most time. Owned by the thread in {@code accept}.
 */
final class HalfOpenConnections {
    private final int max;
    private final int perClientMax;
    private final Map<Object, LinkedHashSet<HalfOpenConnection>> clients = new HashMap<>();
    private int count;

    /**
     * Makes an empty collection with two limits.
     *
     * @param max the most connections of all clients together
     * @param perClientMax the most connections of one client
     */
    HalfOpenConnections(int max, int perClientMax) {
        this.max = max;
        this.perClientMax = perClientMax;
    }

    /**
     * Adds the newest connection.
     *
     * @return the connection that was removed to make room; null if none was
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

    /**
     * Returns the connections of the client with the most; among equals, of the client whose first
     * connection is oldest.
     */
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

    /** Removes a connection that is no longer half-open. */
    void remove(HalfOpenConnection one) {
        var same = clients.get(one.client());
        if (same != null && same.remove(one)) {
            count--;
            if (same.isEmpty()) {
                clients.remove(one.client());
            }
        }
    }

    /** Returns how many there are. */
    int count() {
        return count;
    }
}
