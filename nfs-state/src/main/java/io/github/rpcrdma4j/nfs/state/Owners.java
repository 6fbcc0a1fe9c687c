package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.FileKey;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.state.event.OwnerCall;
import io.github.rpcrdma4j.nfs.state.event.OwnerReply;
import io.github.rpcrdma4j.nfs.state.event.Principal;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;

/**
 * Keeps the operations of each open owner and lock owner of minor version 0 in their order, and
 * carries out OPEN_CONFIRM and RELEASE_LOCKOWNER (RFC 7530, Sections 9.1.7 to 9.1.11, 16.18 and
 * 16.37).
 */
final class Owners implements Clients.Departure {
    /** How many owners one event looks at, so that no event takes long. */
    private static final int MOVES_MAX = 64;

    private final long leaseNanos;
    private final Journal journal;
    private final StateIds ids;
    private final Files files;
    private final Evictions evictions;
    private final Shares shares;

    /** All owners, the one whose last operation ended first at the start. */
    private final SequencedSet<Owner> all = new LinkedHashSet<>();

    Owners(
            long leaseNanos,
            Journal journal,
            StateIds ids,
            Files files,
            Evictions evictions,
            Shares shares) {
        this.leaseNanos = leaseNanos;
        this.journal = journal;
        this.ids = ids;
        this.files = files;
        this.evictions = evictions;
        this.shares = shares;
    }

    /** Begins an operation: OK, BAD_SEQID, BAD_STATEID, NOSPC or DELAY. */
    Outcome<OwnerTurn> begin(ClientUse use, OwnerCall call, long now) {
        if (use.presence() != Nfs4Status.OK) {
            return journal.refused(use.presence());
        }
        if (!(use instanceof LeaseUse own)) {
            throw new IllegalArgumentException("owners of later minor versions have no turns");
        }
        var client = own.client();
        return switch (call) {
            case OwnerCall.Opening opening -> open(own, opening, now);
            case OwnerCall.Holding(var id, int sequence) ->
                    next(holding(client, id), sequence, own.principal(), null);
            case OwnerCall.NewLock lock ->
                    next(holding(client, lock.open()), lock.openSequence(), own.principal(), lock);
        };
    }

    private Owner holding(Client client, StateId id) {
        return client.owners.holding(ids.number(id, client));
    }

    private Outcome<OwnerTurn> open(LeaseUse use, OwnerCall.Opening call, long now) {
        var client = use.client();
        var owner = client.owners.find(call.owner(), false);
        if (owner != null && !owner.isConfirmed && !isLast(owner, call.sequence())) {
            // The client has not confirmed it, so this is not the order that it knows.
            if (owner.turn != null) {
                return journal.refused(Nfs4Status.DELAY);
            }
            forget(owner, now);
            owner = null;
        }
        var full = makeRoom(client, owner, now);
        if (owner == null) {
            if (full != Nfs4Status.OK) {
                return journal.refused(full);
            }
            owner = put(new Owner(client, call.owner(), false, now));
            owner.isConfirmed = call.isConfirmed();
            owner.sequence = call.sequence() - 1;
        }
        return next(owner, call.sequence(), use.principal(), null);
    }

    private static boolean isLast(Owner owner, int sequence) {
        return owner.reply != null && owner.sequence == sequence;
    }

    private Outcome<OwnerTurn> next(
            Owner owner, int sequence, Principal caller, OwnerCall.NewLock lock) {
        if (owner == null) {
            return journal.refused(Nfs4Status.BAD_STATEID);
        }
        if (owner.turn != null) {
            // The call in progress may be this one. The client counts on after either reply.
            boolean isSame = owner.turn.sequence == sequence;
            return journal.refused(isSame ? Nfs4Status.DELAY : Nfs4Status.BAD_SEQID);
        }
        if (isLast(owner, sequence)) {
            // It may open a file that another user has no way to (RFC 8881, Section 2.10.6.1.3.1,
            // says the same of sessions).
            return owner.caller.equals(caller)
                    ? journal.ok(new OwnerTurn.Repeated(owner.reply))
                    : journal.refused(Nfs4Status.BAD_SEQID);
        }
        if (sequence != owner.sequence + 1 || lock != null && !isNext(owner.client, lock)) {
            return journal.refused(Nfs4Status.BAD_SEQID);
        }
        owner.turn = new OwnerTurn.Next(owner, sequence, caller, lock);
        return journal.ok(owner.turn);
    }

    /** Returns whether a lock owner may lock by an open as a new one. */
    private static boolean isNext(Client client, OwnerCall.NewLock lock) {
        var owner = client.owners.find(lock.owner(), true);
        return owner == null || owner.states.isEmpty() || lock.lockSequence() == owner.sequence + 1;
    }

    /**
     * Ends an operation.
     *
     * @param reply what answers a repetition
     */
    void end(OwnerTurn.Next turn, Nfs4Status status, OwnerReply reply, long now) {
        if (turn.isEnded) {
            throw new IllegalStateException("this operation has ended");
        }
        turn.isEnded = true;
        var owner = turn.owner;
        owner.turn = null;
        if (!all.contains(owner)) {
            return;
        }
        use(owner, now);
        if (isCounted(status)) {
            advance(owner, turn.sequence, reply, turn.caller);
            var lock = turn.lock;
            var locker = lock == null ? null : owner.client.owners.find(lock.owner(), true);
            if (locker != null) {
                use(locker, now);
                advance(locker, lock.lockSequence(), reply, turn.caller);
            }
        } else if (owner.reply == null && owner.states.isEmpty()) {
            forget(owner, now);
        }
    }

    private static void advance(Owner owner, int sequence, OwnerReply reply, Principal caller) {
        owner.sequence = sequence;
        owner.reply = reply;
        owner.caller = caller;
    }

    /** Returns whether a client counts an operation with a status (RFC 7530, Section 9.1.7). */
    private static boolean isCounted(Nfs4Status status) {
        return switch (status) {
            case STALE_CLIENTID, STALE_STATEID, BAD_STATEID, BAD_SEQID -> false;
            case BADXDR, RESOURCE, NOFILEHANDLE, MOVED -> false;
            default -> true;
        };
    }

    /** OPEN_CONFIRM: OK, or an error of the stateid. */
    Outcome<StateId> confirm(ClientUse use, FileKey file, StateId id) {
        var found = ids.findUnconfirmed(use.client(), id, file);
        if (!found.isOk()) {
            return journal.refused(found.status());
        }
        var open = (Open) found.state();
        use.client().owners.find(open.owner, false).isConfirmed = true;
        open.isUnconfirmed = false;
        open.change();
        return journal.ok(ids.of(open));
    }

    /** RELEASE_LOCKOWNER: OK or LOCKS_HELD. An owner that is not known has nothing to release. */
    Outcome<Void> release(ClientUse use, OpaqueName name, long now) {
        var client = use.client();
        var owner = client.owners.find(name, true);
        if (owner == null) {
            return journal.ok(null);
        }
        if (owner.lockedFiles > 0) {
            return journal.refused(Nfs4Status.LOCKS_HELD);
        }
        if (owner.turn != null) {
            return journal.refused(Nfs4Status.DELAY);
        }
        forget(owner, now);
        return journal.ok(null);
    }

    /** A lock owner is about to get a lock. */
    void locked(Client client, OpaqueName name, long now) {
        if (client.hasOwners() && client.owners.find(name, true) == null) {
            put(new Owner(client, name, true, now));
        }
    }

    /**
     * Makes room for an open and its owner, for which others that have nothing are forgotten.
     *
     * @param kept null for a new owner
     * @return OK, NOSPC or DELAY
     */
    private Nfs4Status makeRoom(Client client, Owner kept, long now) {
        while (true) {
            var full = evictions.forOwned(client, now);
            var idle = full == Nfs4Status.OK ? null : client.owners.idle(kept);
            if (idle == null) {
                return full;
            }
            forget(idle, now);
        }
    }

    private Owner put(Owner owner) {
        owner.client.owners.put(owner);
        all.add(owner);
        shares.count(Shares.Kind.STATES, owner.client, owner.bytes());
        return owner;
    }

    private void use(Owner owner, long now) {
        owner.used = now;
        all.remove(owner);
        all.add(owner);
    }

    /** Forgets an owner. What it has opened and not confirmed is closed; it has no locks. */
    private void forget(Owner owner, long now) {
        for (var each : List.copyOf(owner.states)) {
            switch (each) {
                case Open open -> files.close(open, now);
                case Locker locker -> files.free(locker, now);
                case Delegation _ -> throw new IllegalStateException("it has no owner");
            }
        }
        remove(owner);
    }

    private void remove(Owner owner) {
        owner.client.owners.remove(owner);
        all.remove(owner);
        shares.count(Shares.Kind.STATES, owner.client, -owner.bytes());
    }

    /** Forgets owners that have had nothing for a lease, and those that were not confirmed. */
    void expire(long now) {
        for (int moves = 0; moves < MOVES_MAX; moves++) {
            if (all.isEmpty() || now - all.getFirst().used <= leaseNanos) {
                return;
            }
            var owner = all.getFirst();
            boolean isKept = owner.isConfirmed && !owner.states.isEmpty() || owner.turn != null;
            if (isKept) {
                use(owner, now);
            } else {
                forget(owner, now);
            }
        }
    }

    @Override
    public void clientLeaves(Client client, long now) {
        client.owners.all().forEach(this::remove);
    }
}
