package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.Sender;
import io.github.rpcrdma4j.nfs.state.limit.StateLimits;
import io.github.rpcrdma4j.oncrpc.ClientAddress;
import io.github.rpcrdma4j.oncrpc.share.Host;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * How much hosts and clients may take of what all share. A host may have a quarter of what the
 * other hosts leave, and a client half of what the other clients of its host leave. So one host
 * never takes all, and many clients of one host, behind a gateway, still find much. If the host is
 * a network, a place in it may have three quarters of what the other places leave, and a client
 * half of what the other clients of its place leave.
 *
 * <p>A client that is kept by courtesy makes room: for its own host always; for other hosts while
 * they have little.
 */
final class Shares {
    /** What is shared. */
    enum Kind {
        /** Confirmed clients. */
        CLIENTS,
        /** Bytes of sessions with all the replies that they may keep. */
        SESSIONS,
        /** Bytes of opens and lock owners. */
        STATES,
        /** Files with a descriptor for locks; one client counts for each of them. */
        LOCKED_FILES,
        /** Locked ranges, and those that the kernel is asked for. */
        RANGES,
        /** Remembered requests that wait for a lock. */
        WAITERS,
        /** Records in writing or in removal. */
        RECORDS,
        /** Delegations. */
        DELEGATIONS,
        /** Asynchronous copies. */
        COPIES
    }

    /** A client may have this part of what the others of its host or place leave. */
    private static final int CLIENT_PART = 2;

    /** A host with less than this part of all has little. */
    private static final int LITTLE_PART = 16;

    /** So many clients a host may have, however many the others have, as long as there is room. */
    private static final int CLIENTS_MIN = 64;

    /** Likewise of each kind that locks need: two clients can lock something. */
    private static final int LOCKS_MIN = 4;

    /** How many clients make room in one event, so that no event takes long. */
    private static final int REMOVALS_MAX = 4;

    private final StateLimits limits;
    private final Map<Host, HostCounts> hosts = new HashMap<>();
    private final long[] used = new long[Kind.values().length];

    Shares(StateLimits limits) {
        this.limits = limits;
    }

    /** Counts a new client of a place in a host. */
    PlaceCounts join(Sender sender) {
        var host = hosts.computeIfAbsent(sender.host(), HostCounts::new);
        var place =
                host.places.computeIfAbsent(sender.place(), name -> new PlaceCounts(host, name));
        place.clients++;
        return place;
    }

    /** Forgets a client that has nothing any more. */
    void leave(Client client) {
        client.placeUse.clients--;
        forgetIfUnused(client.placeUse);
    }

    /** A client may have left while the kernel owes an answer: its host still has the use. */
    private void forgetIfUnused(PlaceCounts place) {
        if (!place.isUsed()) {
            place.host.places.remove(place.place.name(), place);
            if (place.host.places.isEmpty()) {
                hosts.remove(place.host.host, place.host);
            }
        }
    }

    /** Returns the number of hosts. */
    int hosts() {
        return hosts.size();
    }

    private long limit(Kind kind) {
        return switch (kind) {
            case CLIENTS -> limits.clients();
            case SESSIONS -> limits.sessionBytes();
            case STATES -> limits.stateBytes();
            case LOCKED_FILES -> limits.locks().files();
            case RANGES -> limits.locks().ranges();
            case WAITERS -> limits.locks().waiters();
            case RECORDS -> Records.CHANGES_MAX;
            case DELEGATIONS -> limits.delegations();
            case COPIES -> Copies.COPIES_MAX;
        };
    }

    private static long least(Kind kind) {
        return switch (kind) {
            case CLIENTS -> CLIENTS_MIN;
            case SESSIONS, STATES, DELEGATIONS -> 0;
            case LOCKED_FILES, RANGES, WAITERS -> LOCKS_MIN;
            case RECORDS, COPIES -> 1;
        };
    }

    /** Counts what a client takes, or gives back. */
    void count(Kind kind, Client client, long change) {
        used[kind.ordinal()] += change;
        client.host.count(kind, change);
        client.placeUse.count(kind, change);
        client.count(kind, change);
        if (change < 0) {
            forgetIfUnused(client.placeUse);
        }
    }

    /** Returns the share of a client, of that of its host. */
    private static long shareOfClient(long ofHost, long others) {
        return (Math.max(0, ofHost - others) + CLIENT_PART - 1) / CLIENT_PART;
    }

    /**
     * Returns how much more of what there is at one file a client may have.
     *
     * @param all how much is taken
     * @param ofHost those of its host
     * @param own those of the client
     */
    static long roomInFile(long limit, long all, long ofHost, long own) {
        long share = ClientAddress.share(limit, all - ofHost, LOCKS_MIN);
        long room = Math.min(share - ofHost, shareOfClient(share, ofHost - own) - own);
        return Math.max(0, Math.min(limit - all, room));
    }

    /** Returns whether a host with so much has little. */
    static boolean isLittle(long used, long limit) {
        return used <= limit / LITTLE_PART;
    }

    /** Returns how much a host may have. */
    long share(Kind kind, HostCounts host) {
        long others = used[kind.ordinal()] - host.used(kind);
        return ClientAddress.share(limit(kind), others, least(kind));
    }

    /** Returns how much more a host may take. */
    long room(Kind kind, HostCounts host) {
        long free = limit(kind) - used[kind.ordinal()];
        return Math.max(0, Math.min(free, share(kind, host) - host.used(kind)));
    }

    /** Returns how much a place may have. */
    private long share(Kind kind, PlaceCounts place) {
        long others = place.host.used(kind) - place.used(kind);
        return place.place.share(share(kind, place.host), others);
    }

    /** Returns how much more a place may take. */
    long room(Kind kind, PlaceCounts place) {
        long room = room(kind, place.host);
        return place.place.isInNetwork()
                ? Math.max(0, Math.min(room, share(kind, place) - place.used(kind)))
                : room;
    }

    /** Returns how much a client may have. */
    long share(Kind kind, Client client) {
        boolean isNetwork = client.placeUse.place.isInNetwork();
        long all = isNetwork ? client.placeUse.used(kind) : client.host.used(kind);
        return shareOfClient(share(kind, client.placeUse), all - client.used(kind));
    }

    /** Returns how much more a client may take. */
    long room(Kind kind, Client client) {
        long room = share(kind, client) - client.used(kind);
        return Math.max(0, Math.min(room(kind, client.placeUse), room));
    }

    /**
     * Makes room for a client. Clients whose leases have expired have to go if there is none.
     *
     * @return whether there is room
     */
    boolean makeRoom(Kind kind, Client client, long wanted, Clients clients, long now) {
        for (int i = 0; i < REMOVALS_MAX; i++) {
            long room = kind == Kind.CLIENTS ? room(kind, client.placeUse) : room(kind, client);
            if (room >= wanted) {
                return true;
            }
            var victim = victim(kind, client, clients, now);
            if (victim.isEmpty()) {
                return false;
            }
            clients.remove(victim.get(), now);
        }
        return false;
    }

    /** Returns a client that makes room for another one; never for itself, which is back. */
    private Optional<Client> victim(Kind kind, Client client, Clients clients, long now) {
        var own =
                client.host
                        .expired
                        .inOrder()
                        .filter(each -> each != client && each.used(kind) > 0)
                        .findFirst();
        if (own.isPresent()) {
            return own;
        }
        return isLittle(client.host.used(kind), limit(kind))
                ? clients.longestExpired(kind, now).filter(each -> each != client)
                : Optional.empty();
    }
}
