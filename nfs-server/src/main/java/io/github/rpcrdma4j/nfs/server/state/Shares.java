package io.github.rpcrdma4j.nfs.server.state;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * How much hosts and clients may take of what all share. A host may have a quarter of what the
 * other hosts leave, and a client half of what the other clients of its host leave. So one host
 * never takes all, and many clients of one host, behind a gateway, still find much.
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
        STATES
    }

    /** A host may have this part of what the others leave. */
    private static final int HOST_PART = 4;

    /** A client may have this part of what the others of its host leave. */
    private static final int CLIENT_PART = 2;

    /** A host with less than this part of all has little. */
    private static final int LITTLE_PART = 16;

    /** So many clients a host may have, however many the others have, as long as there is room. */
    private static final int CLIENTS_MIN = 64;

    /** How many clients make room in one event, so that no event takes long. */
    private static final int REMOVALS_MAX = 4;

    private final StateLimits limits;
    private final Map<Host, HostUse> hosts = new HashMap<>();
    private final long[] used = new long[Kind.values().length];

    Shares(StateLimits limits) {
        this.limits = limits;
    }

    /** Counts a new client of a host. */
    HostUse join(Host host) {
        var use = hosts.computeIfAbsent(host, HostUse::new);
        use.clients++;
        return use;
    }

    /** Forgets a client that has nothing any more. */
    void leave(Client client) {
        if (--client.host.clients == 0) {
            hosts.remove(client.host.host);
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
        };
    }

    /** Counts what a client takes, or gives back. */
    void count(Kind kind, Client client, long change) {
        used[kind.ordinal()] += change;
        client.host.count(kind, change);
        client.count(kind, change);
    }

    /** Returns the share of a host in something of which the others have so many. */
    static long share(long limit, long others, long least) {
        return Math.max(least, (limit - others) / HOST_PART);
    }

    /** Returns how much a host may have. */
    private long share(Kind kind, HostUse host) {
        long others = used[kind.ordinal()] - host.used(kind);
        return share(limit(kind), others, kind == Kind.CLIENTS ? CLIENTS_MIN : 0);
    }

    /** Returns how much more a host may take. */
    long room(Kind kind, HostUse host) {
        long free = limit(kind) - used[kind.ordinal()];
        return Math.max(0, Math.min(free, share(kind, host) - host.used(kind)));
    }

    /** Returns how much a client may have. */
    long share(Kind kind, Client client) {
        var host = client.host;
        long others = host.used(kind) - client.used(kind);
        return Math.max(0, share(kind, host) - others) / CLIENT_PART;
    }

    /** Returns how much more a client may take. */
    long room(Kind kind, Client client) {
        long room = share(kind, client) - client.used(kind);
        return Math.max(0, Math.min(room(kind, client.host), room));
    }

    /**
     * Makes room for a client. Clients whose leases have expired have to go if there is none.
     *
     * @return whether there is room
     */
    boolean makeRoom(Kind kind, Client client, long wanted, Clients clients, long now) {
        for (int i = 0; i < REMOVALS_MAX; i++) {
            long room = kind == Kind.CLIENTS ? room(kind, client.host) : room(kind, client);
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
        var own = client.host.expired.stream().filter(each -> each != client).findFirst();
        if (own.isPresent()) {
            return own;
        }
        boolean hasLittle = client.host.used(kind) <= limit(kind) / LITTLE_PART;
        return hasLittle
                ? clients.longestExpired(now).filter(each -> each != client)
                : Optional.empty();
    }
}
