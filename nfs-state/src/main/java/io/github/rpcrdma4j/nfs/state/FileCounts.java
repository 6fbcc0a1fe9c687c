package io.github.rpcrdma4j.nfs.state;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** Counts how much of one kind, such as opens or locks, the clients have at one file. */
final class FileCounts {
    /** By client, and by host; never 0. */
    private final Map<Client, Integer> clients = new LinkedHashMap<>();

    private final Map<HostCounts, Integer> hosts = new HashMap<>();
    private int all;

    void count(Client client, int change) {
        clients.merge(client, change, FileCounts::sumOrNone);
        hosts.merge(client.host, change, FileCounts::sumOrNone);
        all += change;
    }

    private static Integer sumOrNone(int one, int other) {
        return one + other == 0 ? null : one + other;
    }

    /** Returns the clients that have some, the one that had some first at the start. */
    Set<Client> clients() {
        return clients.keySet();
    }

    int of(HostCounts host) {
        return hosts.getOrDefault(host, 0);
    }

    /**
     * Returns how much more a client may have.
     *
     * @param limit how much there is for all
     */
    long room(int limit, Client client) {
        int own = clients.getOrDefault(client, 0);
        return Shares.roomInFile(limit, all, of(client.host), own);
    }
}
