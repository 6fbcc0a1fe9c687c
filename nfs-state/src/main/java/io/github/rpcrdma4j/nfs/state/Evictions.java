package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.limit.StateLimits;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;

/**
 * Takes back what idle clients hold, so that a client that has less gets a session, an open or a
 * lock; no client gets more than its share.
 *
 * <p>Tests: {@code SharesTest}.
 */
final class Evictions {
    /** The memory of a session without its slots. */
    static final int SESSION_BYTES = 4096;

    /** The memory of a slot without the reply that it keeps. */
    static final int SLOT_BYTES = 192;

    /** A host gives one session at most this part of what it may still take. */
    private static final int SESSION_PART = 32;

    /** A client whose share is below so many opens waits: the others have left nothing. */
    private static final int SHARE_MIN = 16;

    private final StateLimits limits;

    /** A client with less than this part of its share left has little room. */
    private static final int LITTLE_PART = 8;

    /** A host with less than this part of its share left has little room for sessions. */
    private static final int FEW_PART = 4;

    /** A host with more than this part of its share left has much. */
    private static final int MUCH_PART = 2;

    private final Shares shares;
    private final Clients clients;

    /** The hosts whose clients have found little room since these were taken last. */
    private final SequencedSet<HostCounts> withLittle = new LinkedHashSet<>();

    /** Likewise those that have found no room for more slots. */
    private final SequencedSet<HostCounts> withoutSlots = new LinkedHashSet<>();

    Evictions(StateLimits limits, Shares shares, Clients clients) {
        this.limits = limits;
        this.shares = shares;
        this.clients = clients;
    }

    /** Makes room for a state and for an owner that is new with it: see {@link #forState}. */
    Nfs4Status forOwned(Client client, long now) {
        return forState(
                client,
                StateLimits.STATE_BYTES_MAX + (client.hasOwners() ? Owner.BYTES_MAX : 0),
                now);
    }

    /**
     * Makes room for an open.
     *
     * @return OK; NOSPC if the client has used up its share, and has to close files itself; or
     *     DELAY if others have
     */
    Nfs4Status forState(Client client, long now) {
        return forState(client, StateLimits.STATE_BYTES_MAX, now);
    }

    private Nfs4Status forState(Client client, long wanted, long now) {
        int count = Math.max(client.states.size(), client.owners.size());
        if (count >= limits.opensOfClient()) {
            return Nfs4Status.NOSPC;
        }
        if (shares.makeRoom(Shares.Kind.STATES, client, wanted, clients, now)) {
            return Nfs4Status.OK;
        }
        withLittle.add(client.host);
        // A client waits in vain for room that it takes itself.
        long share = shares.share(Shares.Kind.STATES, client);
        boolean hasUsedIt = client.used(Shares.Kind.STATES) > share - wanted;
        return hasUsedIt && share >= SHARE_MIN * wanted ? Nfs4Status.NOSPC : Nfs4Status.DELAY;
    }

    /** Makes room for a delegation: OK, NOSPC or DELAY. */
    Nfs4Status forDelegation(Client client, long now) {
        var state = forState(client, now);
        if (state != Nfs4Status.OK) {
            return state;
        }
        boolean hasRoom = shares.makeRoom(Shares.Kind.DELEGATIONS, client, 1, clients, now);
        long left = shares.room(Shares.Kind.DELEGATIONS, client) * LITTLE_PART;
        if (left < shares.share(Shares.Kind.DELEGATIONS, client)) {
            withLittle.add(client.host);
        }
        return hasRoom ? Nfs4Status.OK : Nfs4Status.DELAY;
    }

    /**
     * Returns hosts whose clients could use the room that delegations take, and forgets all others.
     */
    List<HostCounts> takeHostsWithLittle(int max) {
        return take(withLittle, max);
    }

    /**
     * Makes room for one more lock of a file.
     *
     * @return whether there is room
     */
    boolean forLock(Client client, OpenFile file, long now) {
        return shares.makeRoom(Shares.Kind.RANGES, client, FileLocks.LOCK_RANGES, clients, now)
                && (file.hasDescriptor()
                        || shares.makeRoom(Shares.Kind.LOCKED_FILES, client, 1, clients, now));
    }

    /**
     * Makes room for a session with one slot at least.
     *
     * @param earlier the incarnation that ends when there is room; null if there is none. The
     *     session may take as much as it has, if both have one host. So no full host gets room by
     *     taking the name of a client elsewhere
     * @param kept the longest reply that a slot keeps, in bytes
     * @return how many slots there is room for; 0 if there is none
     */
    int forSession(Client client, Client earlier, int kept, long now) {
        if (earlier == null || earlier.host != client.host) {
            return forSession(client, 0, kept, now);
        }
        long freed = earlier.used(Shares.Kind.SESSIONS);
        shares.count(Shares.Kind.SESSIONS, earlier, -freed);
        // It is no victim now, because it has nothing.
        int slots = forSession(client, freed, kept, now);
        shares.count(Shares.Kind.SESSIONS, earlier, freed);
        return slots;
    }

    private int forSession(Client client, long freed, int kept, long now) {
        long slot = SLOT_BYTES + (long) kept;
        long least = SESSION_BYTES + slot;
        if (freed < least && !shares.makeRoom(Shares.Kind.SESSIONS, client, least, clients, now)) {
            return 0;
        }
        long part = shares.room(Shares.Kind.SESSIONS, client.host) / SESSION_PART;
        long room = Math.min(shares.room(Shares.Kind.SESSIONS, client), Math.max(least, part));
        room = Math.max(room, freed);
        return (int) Math.min(Integer.MAX_VALUE, (room - SESSION_BYTES) / slot);
    }

    /** Returns how many more slots a session may have, while its host has much room. */
    int forSlots(Session session) {
        long slot = SLOT_BYTES + (long) session.fore.cachedMax();
        long share = shares.share(Shares.Kind.SESSIONS, session.client.host);
        long room = shares.room(Shares.Kind.SESSIONS, session.client.host) - share / MUCH_PART;
        long ofClient = Math.min(room, shares.room(Shares.Kind.SESSIONS, session.client));
        return (int) Math.min(Integer.MAX_VALUE, Math.max(0, ofClient) / slot);
    }

    /** A client has a new session, or has got none. Idle ones make room if its host has little. */
    void noteSession(Client client) {
        long room = shares.room(Shares.Kind.SESSIONS, client.host) * FEW_PART;
        if (room < shares.share(Shares.Kind.SESSIONS, client.host)) {
            withoutSlots.add(client.host);
        }
    }

    /** Returns hosts whose clients could use slots of others, and forgets all others. */
    List<HostCounts> takeHostsWithoutSlots(int max) {
        return take(withoutSlots, max);
    }

    private static List<HostCounts> take(SequencedSet<HostCounts> hosts, int max) {
        var taken = hosts.stream().limit(max).toList();
        hosts.clear();
        return taken;
    }

    /** Counts the memory of a session in (1), or out (-1). */
    void count(Session session, int change) {
        long slot = SLOT_BYTES + (long) session.fore.cachedMax();
        long bytes = SESSION_BYTES + slot * session.slotCount();
        shares.count(Shares.Kind.SESSIONS, session.client, change * bytes);
    }
}
