package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.FileKey;
import io.github.rpcrdma4j.nfs.state.event.OpenCall;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.state.event.StateIdUse;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;

/**
 * Carries out OPEN, OPEN_DOWNGRADE and CLOSE, and checks the stateids of READ, WRITE and SETATTR
 * (RFC 8881, Sections 9 and 18.16 to 18.18).
 */
final class Opens {
    private final Journal journal;
    private final Recovery recovery;
    private final Records records;
    private final StateIds ids;
    private final Files files;
    private final Evictions evictions;
    private final Revocations revocations;
    private final Recalls recalls;

    Opens(
            Journal journal,
            Recovery recovery,
            Records records,
            StateIds ids,
            Files files,
            Evictions evictions,
            Revocations revocations,
            Recalls recalls) {
        this.journal = journal;
        this.recovery = recovery;
        this.records = records;
        this.ids = ids;
        this.files = files;
        this.evictions = evictions;
        this.revocations = revocations;
        this.recalls = recalls;
    }

    /** Returns whether a client may send an OPEN now: OK, GRACE, NO_GRACE or RECLAIM_BAD. */
    Nfs4Status mayOpen(ClientUse use, boolean isReclaim) {
        var presence = use.presence();
        if (presence != Nfs4Status.OK) {
            return presence;
        }
        return recovery.may(use.client(), isReclaim);
    }

    /** Checks what can be checked before a file is found or made. */
    Outcome<Void> prepare(ClientUse use, boolean isReclaim, boolean creates, long now) {
        var may = mayOpen(use, isReclaim);
        if (may != Nfs4Status.OK) {
            return journal.refused(may);
        }
        var client = use.client();
        if (client.needsRecordOfThisStart()) {
            var without = records.<Void>require(use);
            if (without.isPresent()) {
                return without.get();
            }
        }
        var full = creates ? evictions.forState(client, now) : Nfs4Status.OK;
        // A file that is made and not opened would be there when the client tries again.
        return full == Nfs4Status.OK
                ? journal.afterRemovals(null, use.where())
                : journal.refused(full);
    }

    Outcome<StateId> open(ClientUse use, OpenCall call, long now) {
        if (!Open.isValid(call.access(), call.deny())) {
            return journal.refused(Nfs4Status.INVAL);
        }
        var may = mayOpen(use, call.isReclaim());
        if (may != Nfs4Status.OK) {
            return journal.refused(may);
        }
        if (files.isGone(call.file())) {
            return journal.refused(Nfs4Status.STALE);
        }
        var client = use.client();
        if (client.needsRecordOfThisStart()) {
            var without = records.<StateId>require(use);
            if (without.isPresent()) {
                return without.get();
            }
        }
        var owner = new StateOwner(client.id, call.owner());
        if (files.find(call.file(), owner) == null) {
            var full = evictions.forState(client, now);
            if (full != Nfs4Status.OK) {
                return journal.refused(full);
            }
        }
        boolean changes = (call.access() & Open.WRITE) != 0 || (call.deny() & Open.READ) != 0;
        if (recallOthers(call.file(), client, changes, now)) {
            return journal.refused(Nfs4Status.DELAY);
        }
        var file = files.find(call.file());
        var own = files.find(call.file(), owner);
        // In minor version 0 an owner denies itself what it denies others (RFC 7530, Section 9.9).
        var exempt = client.hasSessions ? own : null;
        if (file != null && file.conflicts(call.access(), call.deny(), exempt)) {
            if (!makeWay(file, call.access(), call.deny(), exempt, now)) {
                return journal.refused(
                        call.isReclaim() ? Nfs4Status.RECLAIM_CONFLICT : Nfs4Status.SHARE_DENIED);
            }
        }
        var granted = own == null ? files.add(client, call) : own;
        if (own != null) {
            files.widen(own, call);
        }
        var opener = client.owners.find(call.owner(), false);
        granted.isUnconfirmed = opener != null && !opener.isConfirmed;
        if (call.isReclaim()) {
            recovery.reclaimed(client, now);
        }
        return journal.granted(ids.of(granted), client);
    }

    /**
     * Takes back an OPEN that failed after it was granted. If the owner has opened the file again
     * meanwhile, that OPEN has granted all of it.
     */
    Outcome<Void> takeBack(ClientUse use, FileKey file, StateId granted, long now) {
        var found = ids.findAny(use.client(), granted, file);
        if (found.isOk() && found.state() instanceof Open open) {
            if (open.isFresh()) {
                files.close(open, now);
            } else {
                files.takeBack(open);
            }
        }
        return journal.ok(null);
    }

    Outcome<Void> reclaimComplete(SlotUse use, boolean isOneFileSystem) {
        var client = use.client();
        var presence = use.presence();
        if (presence != Nfs4Status.OK) {
            return journal.refused(presence);
        }
        if (isOneFileSystem) {
            return journal.ok(null);
        }
        if (client.reclaimComplete) {
            return journal.refused(Nfs4Status.COMPLETE_ALREADY);
        }
        // Until now the client has had the record of an earlier start, if any: if grace ends before
        // it is done, others may have what it has not reclaimed, and it could not tell.
        var without = records.<Void>require(use);
        if (without.isPresent()) {
            return without.get();
        }
        client.reclaimComplete = true;
        recovery.complete(client);
        // It grants nothing. What others get back by it waits for the removals that it orders.
        return journal.afterRecord(client);
    }

    /** Recalls what is in the way of a use of a file. Returns whether there is anything. */
    boolean recallOthers(FileKey file, Client own, boolean changes, long now) {
        return recalls.recallOthers(file, own, changes, now);
    }

    /**
     * Takes the state of all clients that are in the way, if their leases have all expired.
     *
     * @param own the open of the owner that asks, or null
     * @return whether no client is in the way any more
     */
    boolean makeWay(OpenFile file, int access, int deny, Open own, long now) {
        if (file.isKeptByOthers(access, deny, own, each -> revocations.isExpired(each, now))) {
            return false;
        }
        file.inTheWay(access, deny, own)
                .forEach(each -> revocations.revoke(each, Nfs4Status.EXPIRED, now));
        return true;
    }

    Outcome<StateId> downgrade(ClientUse use, FileKey file, StateId id, int access, int deny) {
        var found = find(use, id, file);
        if (!found.isOk()) {
            return journal.refused(found.status());
        }
        var open = (Open) found.state();
        if (!Open.isValid(access, deny) || !files.narrow(open, access, deny)) {
            return journal.refused(Nfs4Status.INVAL);
        }
        open.change();
        return journal.ok(ids.of(open));
    }

    /** Closes an open. Locks that are left go with it, as servers may do (Section 18.2.3). */
    Outcome<StateId> close(ClientUse use, FileKey file, StateId id, long now) {
        var found = find(use, id, file);
        if (!found.isOk()) {
            return journal.refused(found.status());
        }
        files.close((Open) found.state(), now);
        return journal.ok(StateId.INVALID);
    }

    private StateIds.Found find(ClientUse use, StateId id, FileKey file) {
        var found = ids.find(use.client(), id, file);
        return found.orNot(found.state() instanceof Open);
    }

    /**
     * Checks the stateid of READ, WRITE or SETATTR. It gives no user any right to the file: an open
     * is of a client, and the user's rights are checked at each use.
     */
    Outcome<Void> check(ClientUse use, FileKey file, StateId id, StateIdUse purpose, long now) {
        if (id.equals(StateId.ANONYMOUS) || id.equals(StateId.READ_BYPASS)) {
            return checkSpecial(use, file, id, purpose, now);
        }
        var found = ids.find(use.client(), id, file);
        if (!found.isOk()) {
            return journal.refused(found.status());
        }
        boolean allows =
                switch (found.state()) {
                    case Open open -> allows(open, purpose);
                    case Locker locker -> allows(locker.open(), purpose);
                    case Delegation delegation -> delegation.allows(purpose);
                };
        return allows ? journal.ok(null) : journal.refused(Nfs4Status.OPENMODE);
    }

    /** A client that writes parts of pages has to read the rest of them (Section 9.1.2). */
    private static boolean allows(Open open, StateIdUse purpose) {
        return purpose == StateIdUse.READ || open.mayWrite();
    }

    private Outcome<Void> checkSpecial(
            ClientUse use, FileKey key, StateId id, StateIdUse purpose, long now) {
        boolean passes = purpose == StateIdUse.READ && id.equals(StateId.READ_BYPASS);
        if (!passes && recovery.isGrace()) {
            return journal.refused(Nfs4Status.GRACE);
        }
        if (recallOthers(key, use.client(), purpose != StateIdUse.READ, now)) {
            return journal.refused(Nfs4Status.DELAY);
        }
        var file = files.find(key);
        int access = purpose == StateIdUse.READ ? Open.READ : Open.WRITE;
        boolean conflicts = !passes && file != null && file.conflicts(access, 0, null);
        if (conflicts && !makeWay(file, access, 0, null, now)) {
            return journal.refused(Nfs4Status.LOCKED);
        }
        return journal.afterRemovals(null, use.where());
    }
}
