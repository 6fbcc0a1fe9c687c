package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.CallbackPath;
import io.github.rpcrdma4j.nfs.state.event.ClientName;
import io.github.rpcrdma4j.nfs.state.event.ClientRecord;
import io.github.rpcrdma4j.nfs.state.event.CreatedSession;
import io.github.rpcrdma4j.nfs.state.event.Principal;
import io.github.rpcrdma4j.nfs.state.event.Protection;
import io.github.rpcrdma4j.nfs.state.event.Sender;
import io.github.rpcrdma4j.nfs.state.event.SentOwner;
import io.github.rpcrdma4j.nfs.state.event.Urgency;
import io.github.rpcrdma4j.nfs.state.table.ClientPlaces;
import io.github.rpcrdma4j.nfs.state.table.Indices;
import io.github.rpcrdma4j.nfs.state.table.StatusFlags;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.SessionId;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.SequencedSet;

/**
 * A client from one of its starts to the next: its verifier tells them apart.
 *
 * <p>Tests: {@code ExchangeIdTest}, {@code LeasesTest}.
 */
final class Client {
    final long id;

    /** Names the client in stateids ({@link Indices}). */
    final int index;

    final ClientOwner owner;
    final ClientName name;
    final Principal principal;
    final Protection protection;

    /** Whether it has sessions: it is of minor version 1 or later. */
    final boolean hasSessions;

    /** Whether it is a host that locks by NLM. It has no lease. */
    boolean isHost;

    /** Where it came from when it asked for its client ID: whose share it uses. */
    final HostCounts host;

    /** Likewise the place, which tells it apart from other hosts. */
    final String place;

    /** What it counts for in its host. */
    final PlaceCounts placeUse;

    private final long[] used = new long[Shares.Kind.values().length];
    final Map<SessionId, Session> sessions = new LinkedHashMap<>();

    /** The newest name of the implementation. */
    String implementation = "";

    boolean isConfirmed;

    /** Orders the confirmed clients ({@link CalledClients}). */
    long confirmation;

    /** Whether the client was removed. A COMPOUND in progress may still refer to it. */
    boolean isRemoved;

    /** The sequence of the last CREATE_SESSION, and its results; null before the first. */
    int sequence;

    CreatedSession created;

    /** When the lease was renewed last. */
    long renewed;

    /** Whether the lease was renewed because COMPOUNDs were in progress, and by no call since. */
    boolean isExtended;

    /** The number of COMPOUNDs in progress. They extend the lease once. */
    int running;

    /** The storage change that wrote the record of this client; 0 if it has none. */
    long recordNumber;

    /** The last storage change that could not write the record; 0 if there is none. */
    long failedRecord;

    /** Whether a part of a failed change may have left a record on storage. */
    boolean mayHaveRecord;

    /** Whether its record says that it reclaims nothing, unless another one has replaced it. */
    boolean hasRevokedRecord;

    boolean reclaimComplete;

    /** What the last SETCLIENTID_CONFIRM has sent, or the first one has to send. */
    long verifier;

    /** What SETCLIENTID_CONFIRM has to send for new callback information; 0 if there is none. */
    long pendingVerifier;

    /** In minor version 0: where it is called back; null if it cannot be. */
    CallbackPath path;

    /** What replaces the path when new callback information is confirmed. */
    CallbackPath pendingPath;

    /** Whether it has answered the last call of the server. */
    boolean answersCalls;

    /** Whether it has not answered the last call of the server. */
    boolean missedCall;

    /** Whether the server has tried to call it. */
    boolean wasTried;

    /** When it last tried that. */
    long tried;

    /** How many calls of the server of each urgency wait for a slot. */
    private final int[] waitingCalls = new int[Urgency.values().length];

    /** What the stateids of the client stand for, by number; lost state until it is freed. */
    final Map<Integer, State> states = new HashMap<>();

    /** Its asynchronous copies, by number. */
    final Map<Integer, Copy> copies = new HashMap<>();

    /** From where it is used. */
    final ClientPlaces places;

    /**
     * Whether it has come from another address than the client that it stands in for ({@link
     * Recovery}).
     */
    boolean standsIn;

    /** In minor version 0. */
    final ClientOwners owners = new ClientOwners(this);

    /** The number of states that are not lost. */
    int held;

    private int lostByExpiry;
    private int lostByAdministrator;
    private int lostDelegations;
    private int lastNumber;

    /** The number of locked ranges. */
    int ranges;

    /** The locks that it waits for, in the order of its first requests. */
    final SequencedSet<Waiter> waiters = new LinkedHashSet<>();

    Client(
            long id,
            int index,
            boolean hasSessions,
            ClientOwner owner,
            ClientName name,
            Sender maker,
            Protection protection,
            PlaceCounts placeUse,
            long now) {
        this.id = id;
        this.index = index;
        this.hasSessions = hasSessions;
        this.owner = owner;
        this.name = name;
        this.principal = maker.principal();
        this.places = new ClientPlaces(maker.place());
        this.protection = protection;
        this.host = placeUse.host;
        this.place = placeUse.place.name();
        this.placeUse = placeUse;
        this.renewed = now;
    }

    long used(Shares.Kind kind) {
        return used[kind.ordinal()];
    }

    /** Counts what the client takes: only {@link Shares#count} does so. */
    void count(Shares.Kind kind, long change) {
        used[kind.ordinal()] += change;
    }

    /** Returns whether it is of minor version 0, where owners have their sequences. */
    boolean hasOwners() {
        return !hasSessions && !isHost;
    }

    /**
     * Returns whether a sender is of the client. Users of one host have principals of their own, so
     * these prove nothing, except the one that made the client: it makes its address known.
     */
    boolean isUsedBy(Sender sender) {
        if (places.contain(sender.place())) {
            return true;
        }
        boolean isProven = !sender.principal().isClaimed() && sender.principal().equals(principal);
        if (isProven) {
            places.add(sender.place());
        }
        return isProven;
    }

    /** Returns whether it is the client of a sender that has its verifier. */
    boolean isNamedBy(ClientOwner sent, Sender sender) {
        return hasSent(sent, sender) && (isNamedAt(sender.place()) || isUsedBy(sender));
    }

    /** Returns whether it is the client of a sender at a place that has all that it sends. */
    boolean isNamedAt(String place) {
        return places.contain(place) || hasOwners() && places.isHeard(place);
    }

    /** Returns whether a client of this name and principal has this verifier. */
    boolean hasSent(ClientOwner sent, Sender sender) {
        return owner.equals(sent) && principal.equals(sender.principal());
    }

    /** Returns whether the client has opens, locks or delegations. */
    boolean hasState() {
        return held > 0;
    }

    /** Returns whether state was taken from the client. It keeps the stateids until it knows. */
    boolean hasLost() {
        return states.size() > held;
    }

    /** Returns whether any of its sessions has a connection. */
    boolean isConnected() {
        return sessions.values().stream()
                .anyMatch(each -> !each.connections.isEmpty() || !each.back.connections.isEmpty());
    }

    /** Returns whether the server can call it back now. */
    boolean hasBackChannel() {
        return sessions.values().stream().anyMatch(each -> each.back.isUp());
    }

    /** Returns how many calls of the server it takes at a time. */
    int backSlots() {
        return sessions.values().stream()
                .filter(each -> each.back.isUp())
                .mapToInt(each -> each.back.slots())
                .sum();
    }

    /** Returns whether the server can call it back now to recall a delegation. */
    boolean canBeRecalled() {
        return path != null
                || sessions.values().stream()
                        .anyMatch(each -> each.back.isUp() && each.back.carriesRecalls());
    }

    /** Returns whether the server can try to call it. */
    boolean canBeCalled() {
        return path != null || hasBackChannel();
    }

    /** Counts calls of the server that wait for a slot. */
    void countWaiting(Urgency urgency, int change) {
        waitingCalls[urgency.ordinal()] += change;
    }

    /** Returns whether free slots are for more urgent calls, which wait for one. */
    boolean keepsSlotsFrom(Urgency urgency) {
        for (int each = 0; each < urgency.ordinal(); each++) {
            if (waitingCalls[each] > 0) {
                return true;
            }
        }
        return false;
    }

    /** Notes that it answers calls of the server, or that it does not. */
    void answers(boolean isSo) {
        answersCalls = isSo;
        missedCall = !isSo;
    }

    /** Notes that nothing is known about a new path. */
    void callOn(CallbackPath newPath) {
        path = newPath;
        answersCalls = false;
        missedCall = false;
        wasTried = false;
    }

    /** Returns whether a client of minor version 0 does not learn that a delegation is recalled. */
    boolean isOutOfReach() {
        return used(Shares.Kind.DELEGATIONS) > 0 && (path == null || missedCall);
    }

    /** Returns whether it needs a record of this start of the server before it opens a file. */
    boolean needsRecordOfThisStart() {
        // With a session, that of an earlier start does until it has reclaimed all.
        return reclaimComplete || !hasSessions;
    }

    /** Returns a number for a new state or copy. */
    int freeNumber() {
        do {
            lastNumber++;
        } while (states.containsKey(lastNumber) || copies.containsKey(lastNumber));
        return lastNumber;
    }

    /** Returns whether a number is that of a state, or of an open that an owner closed last. */
    boolean knows(int number) {
        return states.containsKey(number) || owners.holding(number) != null;
    }

    /** Counts a state that was taken from the client, or that the client has freed. */
    void countLost(Nfs4Status cause, int change) {
        if (cause == Nfs4Status.ADMIN_REVOKED) {
            lostByAdministrator += change;
        } else if (cause == Nfs4Status.DELEG_REVOKED) {
            lostDelegations += change;
        } else {
            lostByExpiry += change;
        }
    }

    /** Returns the bits of {@code sr_status_flags} for state that was taken from the client. */
    int revokedFlags() {
        int flags = lostByAdministrator > 0 ? StatusFlags.ADMIN_STATE_REVOKED : 0;
        if (lostDelegations > 0) {
            flags |= StatusFlags.RECALLABLE_STATE_REVOKED;
        }
        if (lostByExpiry > 0) {
            flags |=
                    held > 0
                            ? StatusFlags.EXPIRED_SOME_STATE_REVOKED
                            : StatusFlags.EXPIRED_ALL_STATE_REVOKED;
        }
        return flags;
    }

    /** Returns what the client has sent of itself. */
    SentOwner sent() {
        return new SentOwner(owner, principal);
    }

    /** Returns this client, as news for the operator name it. */
    Action.Subject subject() {
        return new Action.Subject(id, owner.name(), host.host, place);
    }

    ClientRecord record() {
        return new ClientRecord(owner.name(), principal, name.place(), owner.verifier());
    }
}
