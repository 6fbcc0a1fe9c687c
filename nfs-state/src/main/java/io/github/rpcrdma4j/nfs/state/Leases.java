package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.limit.StateLimits;
import io.github.rpcrdma4j.oncrpc.ClientAddress;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.SequencedSet;

/**
 * The leases of all clients. A confirmed client whose lease has expired is kept for as long as it
 * holds state that no other client needs. Its locks end with its lease ({@link Revocations}). A
 * COMPOUND in progress extends a lease to two.
 *
 * <pre>
 *   unconfirmed --confirm--> active --lease time--> expired --courtesy time--> (removed)
 *        |                     ^   \                   |
 *    lease time                 `---\---- renew -------'
 *        v                           `-- lease time, without state --> (removed)
 *    (removed)
 * </pre>
 */
final class Leases {
    /** How many hosts one event looks at. */
    private static final int HOSTS_MAX = 4;

    /** How many clients one event moves at most, so that no event takes long. */
    private static final int MOVES_MAX = 64;

    /** So many ranges that are locked take as long as another client. */
    private static final int RANGES_OF_MOVE = 64;

    /** So many clients a host may have of a kind, however many the others have. */
    private static final int WITHOUT_SHARE = 16;

    private final long leaseNanos;
    private final StateLimits limits;

    /** Each in the order of the last renewal, the oldest first. */
    private final SequencedSet<Client> unconfirmed = new LinkedHashSet<>();

    private final SequencedSet<Client> active = new LinkedHashSet<>();
    private final SequencedSet<Client> expired = new LinkedHashSet<>();

    /** Hosts with locks of NLM have no leases; those that have nothing go after the time of one. */
    private final SequencedSet<Client> hosts = new LinkedHashSet<>();

    Leases(long leaseNanos, StateLimits limits) {
        this.leaseNanos = leaseNanos;
        this.limits = limits;
    }

    void addUnconfirmed(Client client) {
        unconfirmed.add(client);
        client.host.unconfirmed.add(client);
    }

    /** Renews the lease of a confirmed client. */
    void renew(Client client, long now) {
        client.isExtended = false;
        renewOnce(client, now);
    }

    private void renewOnce(Client client, long now) {
        client.renewed = now;
        remove(client);
        (client.isHost ? hosts : active).add(client);
    }

    void remove(Client client) {
        unconfirmed.remove(client);
        client.host.unconfirmed.remove(client);
        active.remove(client);
        expired.remove(client);
        hosts.remove(client);
        client.host.expired.remove(client);
    }

    boolean isExpired(Client client, long now) {
        boolean isKept = client.isHost && client.hasState();
        return !isKept && now - client.renewed > leaseNanos + extension(client);
    }

    /**
     * Returns how much longer the lease is because COMPOUNDs of the client are in progress: the
     * client may have no other slot to renew it with. One that hangs extends it once only, because
     * the client may be gone.
     */
    private long extension(Client client) {
        return client.running > 0 && !client.isExtended ? leaseNanos : 0;
    }

    /** Returns a client that has to make room for another unconfirmed one of a host. */
    Optional<Client> surplusUnconfirmed(HostCounts host) {
        int limit = limits.unconfirmedClients();
        int others = unconfirmed.size() - host.unconfirmed.size();
        if (host.unconfirmed.size() >= ClientAddress.share(limit, others, WITHOUT_SHARE)) {
            return Optional.of(host.unconfirmed.surplus());
        }
        return unconfirmed.size() < limit ? Optional.empty() : Optional.of(unconfirmed.getFirst());
    }

    /** Returns the client that has some of a kind and whose lease has expired for longest. */
    Optional<Client> longestExpired(Shares.Kind kind, long now) {
        var longest = expired.stream().filter(each -> each.used(kind) > 0).findFirst();
        if (longest.isPresent() || active.isEmpty()) {
            return longest;
        }
        return Optional.of(active.getFirst())
                .filter(each -> each.used(kind) > 0 && isExpired(each, now));
    }

    /** Lets leases expire. Removes the clients that are not kept. */
    void expire(long now, Clients clients) {
        for (int looks = 0; looks < HOSTS_MAX && !hosts.isEmpty(); looks++) {
            var host = hosts.removeFirst();
            hosts.add(host);
            if (isExpired(host, now)) {
                clients.remove(host, now);
            }
        }
        int moves = 0;
        while (moves < MOVES_MAX) {
            moves++;
            if (!unconfirmed.isEmpty() && isExpired(unconfirmed.getFirst(), now)) {
                clients.remove(unconfirmed.getFirst(), now);
            } else if (!expired.isEmpty() && isKeptNoLonger(expired.getFirst(), now)) {
                clients.remove(expired.getFirst(), now);
            } else if (!active.isEmpty() && now - active.getFirst().renewed > leaseNanos) {
                moves += active.getFirst().ranges / RANGES_OF_MOVE;
                expireActive(active.getFirst(), now, clients);
            } else {
                return;
            }
        }
    }

    private boolean isKeptNoLonger(Client client, long now) {
        return expired.size() > limits.courtesyClients()
                || now - client.renewed > leaseNanos + limits.courtesyNanos();
    }

    private void expireActive(Client client, long now, Clients clients) {
        if (extension(client) > 0) {
            renewOnce(client, client.renewed + leaseNanos);
            client.isExtended = true;
            return;
        }
        if (client.hasState()) {
            active.remove(client);
            expired.add(client);
            client.host.expired.add(client);
            int others = expired.size() - client.host.expired.size();
            if (client.host.expired.size()
                    > ClientAddress.share(limits.courtesyClients(), others, WITHOUT_SHARE)) {
                clients.remove(client.host.expired.surplus(), now);
            }
            clients.leaseExpired(client, now);
            // What it has left.
            clients.noteGone(client, Action.Absence.EXPIRED);
        } else {
            clients.noteGone(client, Action.Absence.EXPIRED);
            clients.remove(client, now);
        }
    }
}
