package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.FileKey;
import io.github.rpcrdma4j.nfs.state.event.KernelAnswer;
import io.github.rpcrdma4j.nfs.state.event.LockCall;
import io.github.rpcrdma4j.nfs.state.event.LockOutcome;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.state.range.ByteRange;
import io.github.rpcrdma4j.nfs.state.range.LockMode;
import io.github.rpcrdma4j.nfs.state.range.RangeLock;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import io.github.rpcrdma4j.oncrpc.share.HostPlace;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Carries out LOCK, LOCKT, LOCKU, FREE_STATEID and TEST_STATEID (RFC 8881, Sections 18.10 to 18.12,
 * 18.38 and 18.48).
 */
final class Locks {
    private final Evictions evictions;
    private final Journal journal;
    private final Recovery recovery;
    private final Records records;
    private final StateIds ids;
    private final Files files;
    private final FileLocks fileLocks;
    private final PendingLocks pendingLocks;
    private final Clients clients;
    private final Revocations revocations;
    private final Owners owners;

    Locks(
            Evictions evictions,
            Journal journal,
            Recovery recovery,
            Records records,
            StateIds ids,
            Files files,
            FileLocks fileLocks,
            PendingLocks pendingLocks,
            Clients clients,
            Revocations revocations,
            Owners owners) {
        this.evictions = evictions;
        this.journal = journal;
        this.recovery = recovery;
        this.records = records;
        this.ids = ids;
        this.files = files;
        this.fileLocks = fileLocks;
        this.pendingLocks = pendingLocks;
        this.clients = clients;
        this.revocations = revocations;
        this.owners = owners;
    }

    Outcome<LockOutcome> lock(ClientUse use, LockCall call, long now) {
        var range = ByteRange.of(call.offset(), call.length());
        if (range.isEmpty()) {
            return journal.refused(Nfs4Status.INVAL);
        }
        var client = use.client();
        var found =
                switch (call.from()) {
                    case LockCall.NewOwner from -> {
                        var open = ids.find(client, from.open(), call.file());
                        yield open.orNot(open.state() instanceof Open);
                    }
                    case LockCall.OfHost _ ->
                            throw new IllegalArgumentException("a host has no stateids");
                    case LockCall.KnownOwner from -> {
                        var locker = ids.find(client, from.lock(), call.file());
                        yield locker.orNot(locker.state() instanceof Locker);
                    }
                };
        if (!found.isOk()) {
            return journal.refused(found.status());
        }
        var open = found.state() instanceof Locker locker ? locker.open() : (Open) found.state();
        boolean isAllowed = call.type() == LockMode.READ ? open.mayRead() : open.mayWrite();
        if (!isAllowed) {
            return journal.refused(Nfs4Status.OPENMODE);
        }
        var may = recovery.may(client, call.isReclaim());
        if (may != Nfs4Status.OK) {
            return journal.refused(may);
        }
        if (client.needsRecordOfThisStart()) {
            // One that has lost its locks with its lease may have none.
            var without = records.<LockOutcome>require(use);
            if (without.isPresent()) {
                return without.get();
            }
        }
        var name =
                switch (call.from()) {
                    case LockCall.NewOwner from -> from.owner();
                    case LockCall.KnownOwner _, LockCall.OfHost _ ->
                            ((Locker) found.state()).owner.name();
                };
        var wanted = new RangeLock<>(new StateOwner(client.id, name), call.type(), range.get());
        return lock(open, call, wanted, now);
    }

    /** Asks for a lock by an open, whose access does not matter any more. */
    Outcome<LockOutcome> lock(Open open, LockCall call, RangeLock<StateOwner> wanted, long now) {
        var client = open.client;
        var file = open.file;
        boolean isNew = !open.lockers.containsKey(wanted.owner().name());
        boolean hasRoom =
                fileLocks.mayAsk(client, file)
                        && (!isNew || evictions.forOwned(client, now) == Nfs4Status.OK)
                        && evictions.forLock(client, file, now);
        if (!hasRoom) {
            return journal.refused(client.isHost ? Nfs4Status.NOSPC : Nfs4Status.DELAY);
        }
        var conflict = conflict(file, wanted, now);
        if (conflict == null) {
            conflict = asked(file, wanted, now);
            if (conflict != null && call.isReclaim()) {
                // That one may come to nothing, and a refusal would lose the lock for good.
                return journal.refused(Nfs4Status.DELAY);
            }
        }
        if (conflict == null && !call.isReclaim()) {
            var turn = pendingLocks.inTheWayOf(file, wanted, now);
            conflict = turn == null ? null : turn.wanted;
        }
        if (conflict != null) {
            return denied(open, call, wanted, conflict, now);
        }
        long number = fileLocks.ask(open, wanted, call);
        return journal.ok(new LockOutcome.Asked(number));
    }

    private Outcome<LockOutcome> denied(
            Open open,
            LockCall call,
            RangeLock<StateOwner> wanted,
            RangeLock<StateOwner> conflict,
            long now) {
        if (call.isReclaim()) {
            return journal.refused(Nfs4Status.RECLAIM_CONFLICT);
        }
        if (call.isWaiting()) {
            boolean isAwaited = pendingLocks.await(open, call, wanted, now);
            if (open.client.isHost) {
                return isAwaited
                        ? journal.end(Nfs4Status.DENIED, new LockOutcome.Awaited())
                        : journal.refused(Nfs4Status.NOSPC);
            }
        }
        return journal.end(Nfs4Status.DENIED, new LockOutcome.Denied(conflict));
    }

    /** The kernel has answered: the lock is granted, unless it is not wanted any more. */
    Answered answer(long number, KernelAnswer answer, long now) {
        var ask = fileLocks.answered(number);
        return new Answered(ask, answer(ask, answer, now));
    }

    /** What LOCK is owed, and the question that it was about. */
    record Answered(KernelQuestion ask, Outcome<LockOutcome> outcome) {}

    private Outcome<LockOutcome> answer(KernelQuestion ask, KernelAnswer answer, long now) {
        var open = ask.open;
        boolean isLocked = answer instanceof KernelAnswer.Locked;
        if (ask.isLive && isLocked) {
            if (ask.call.isOffered()) {
                fileLocks.hold(ask, now);
                return journal.granted(new LockOutcome.Held(), open.client);
            }
            var id = ids.of(grant(ask, now));
            return journal.granted(new LockOutcome.Granted(id), open.client);
        }
        fileLocks.takeBack(ask, isLocked, now);
        files.forgetIfUnused(open.file);
        if (!ask.isLive) {
            // A host has no stateid that could be bad. If it still wants the lock, it asks again.
            boolean mayAsk = open.client.isHost || ask.isPostponed;
            var gone = mayAsk ? Nfs4Status.DELAY : Nfs4Status.BAD_STATEID;
            return journal.refused(open.isLost() ? open.lost : gone);
        }
        return switch (answer) {
            case KernelAnswer.Conflict(var lock) -> metLocally(ask, lock, now);
            case KernelAnswer.Failed(var status) -> journal.refused(status);
            case KernelAnswer.Locked() -> throw new IllegalStateException("the lock was granted");
        };
    }

    /** A host that waits has its turn at once: no event tells when a local process unlocks. */
    private Outcome<LockOutcome> metLocally(
            KernelQuestion ask, RangeLock<StateOwner> lock, long now) {
        var outcome = denied(ask.open, ask.call, ask.wanted, lock, now);
        if (outcome.value() instanceof LockOutcome.Awaited) {
            pendingLocks.wake(ask.open.file, ask.wanted.range(), now);
            return journal.followed(outcome);
        }
        return outcome;
    }

    private Locker grant(KernelQuestion ask, long now) {
        var locker = locker(ask, now);
        fileLocks.grant(ask, locker.owner, now);
        return locker;
    }

    private Locker locker(KernelQuestion ask, long now) {
        var name = ask.wanted.owner().name();
        var locker = ask.open.lockers.get(name);
        if (locker == null) {
            owners.locked(ask.open.client, name, now);
            locker = files.addLocker(ask.open, name);
        } else {
            locker.change();
        }
        if (ask.call.isReclaim()) {
            recovery.reclaimed(ask.open.client, now);
        }
        return locker;
    }

    /**
     * The client does not learn that a lock was granted, and repeats its call with the stateid that
     * it knows.
     */
    Outcome<Void> takeBack(ClientUse use, FileKey file, StateId granted) {
        var found = ids.find(use.client(), granted, file);
        if (found.isOk() && found.state() instanceof Locker locker) {
            locker.changeBack();
        }
        return journal.ok(null);
    }

    /** The caller of LOCK does not wait for the answer. */
    Outcome<Boolean> abandon(long number, long now) {
        return journal.ok(fileLocks.abandon(number, now));
    }

    /** The kernel has come to a part of a file of which it may hold too much. */
    Outcome<Void> continueReduction(FileKey key) {
        var file = files.find(key);
        if (file != null) {
            fileLocks.continueReduction(file);
        }
        return journal.ok(null);
    }

    /** Returns a lock of a client that is in the way, or null. Expired clients give way. */
    private RangeLock<StateOwner> conflict(OpenFile file, RangeLock<StateOwner> wanted, long now) {
        while (true) {
            var conflict =
                    file.locks.conflict(wanted.owner(), wanted.type(), wanted.range()).orElse(null);
            if (conflict == null) {
                return null;
            }
            var holder = clients.find(conflict.owner().clientId(), now);
            if (!revocations.isExpired(holder, now)) {
                return conflict;
            }
            revocations.takeLocks(holder, now);
        }
    }

    /**
     * Returns a lock in the way that the kernel was asked for, or null. Expired clients give way.
     */
    private RangeLock<StateOwner> asked(OpenFile file, RangeLock<StateOwner> wanted, long now) {
        while (true) {
            var ask = file.questions.inTheWayOf(wanted);
            if (ask == null || !revocations.isExpired(ask.open.client, now)) {
                return ask == null ? null : ask.wanted;
            }
            revocations.revoke(ask.open.client, Nfs4Status.EXPIRED, now);
        }
    }

    /**
     * Tests for a lock. The owner is one of the client of the session, not the one that the call
     * names.
     */
    Outcome<LockOutcome> test(
            ClientUse use,
            FileKey key,
            LockMode type,
            long offset,
            long length,
            OpaqueName owner,
            long now) {
        var range = ByteRange.of(offset, length);
        if (range.isEmpty()) {
            return journal.refused(Nfs4Status.INVAL);
        }
        var wanted = new RangeLock<>(new StateOwner(use.clientId(), owner), type, range.get());
        return test(key, wanted, use.where(), now);
    }

    /**
     * Tests for a lock.
     *
     * @param from who asks
     */
    Outcome<LockOutcome> test(FileKey key, RangeLock<StateOwner> wanted, HostPlace from, long now) {
        if (recovery.isGrace()) {
            return journal.refused(Nfs4Status.GRACE);
        }
        var file = files.find(key);
        var conflict = file == null ? null : conflict(file, wanted, now);
        if (file != null && conflict == null) {
            conflict = asked(file, wanted, now);
        }
        return conflict == null
                ? journal.afterRemovals(new LockOutcome.Free(), from)
                : journal.end(Nfs4Status.DENIED, new LockOutcome.Denied(conflict));
    }

    Outcome<StateId> unlock(
            ClientUse use, FileKey file, StateId id, long offset, long length, long now) {
        var range = ByteRange.of(offset, length);
        if (range.isEmpty()) {
            return journal.refused(Nfs4Status.INVAL);
        }
        var found = ids.find(use.client(), id, file);
        if (found.isOk() && !(found.state() instanceof Locker)) {
            return journal.refused(Nfs4Status.BAD_STATEID);
        }
        if (!found.isOk()) {
            return journal.refused(found.status());
        }
        var locker = (Locker) found.state();
        if (!unlock(locker, range.get(), now)) {
            return journal.refused(Nfs4Status.LOCK_RANGE);
        }
        locker.change();
        return journal.ok(ids.of(locker));
    }

    /** Unlocks a range. Returns false if there is no room for the parts that are left. */
    boolean unlock(Locker locker, ByteRange range, long now) {
        if (!fileLocks.mayUnlock(locker.client, locker.file, locker.owner, range)) {
            return false;
        }
        fileLocks.unlock(locker.client, locker.file, locker.owner, range);
        pendingLocks.tellFreed(now);
        return true;
    }

    /** Returns what is held for a host until it is told; null if it has it, or has lost it. */
    KernelQuestion held(long number) {
        return fileLocks.held(number);
    }

    /** A host has taken what was held for it, in place of what it had before. */
    void take(KernelQuestion held, long now) {
        grant(held, now);
        var earlier = heldFor(held.open, held.wanted.owner(), held.wanted.range());
        for (var each : earlier) {
            if (each.number < held.number) {
                settle(each, held.wanted.range(), now);
            }
        }
        pendingLocks.tellFreed(now);
    }

    /**
     * An owner of a host has locked or unlocked a range by itself, so it knows what it has there.
     */
    void settle(Open open, StateOwner owner, ByteRange range, long now) {
        for (var each : heldFor(open, owner, range)) {
            settle(each, range, now);
        }
        pendingLocks.tellFreed(now);
    }

    private static List<KernelQuestion> heldFor(Open open, StateOwner owner, ByteRange range) {
        return open.file.questions.of(open).stream()
                .filter(each -> each.isHeld && each.wanted.owner().equals(owner))
                .filter(each -> each.overlaps(range))
                .toList();
    }

    /**
     * If the owner may have been told of the rest, it was: it may cancel another wait for that, and
     * no server could tell the two apart.
     */
    private void settle(KernelQuestion held, ByteRange range, long now) {
        if (held(held.number) == null) {
            // A later one has settled it just now.
            return;
        }
        fileLocks.settle(held, range);
        boolean isLeft = !held.parts().isEmpty();
        if (isLeft && (held.mayBeTaken() || held.parts().size() > KernelQuestion.PARTS_MAX)) {
            take(held, now);
        }
    }

    /**
     * A host does not want some locks that it has not been told of, if it ever has.
     *
     * @return whether there were any
     */
    boolean giveUp(Open open, Predicate<KernelQuestion> which, long now) {
        boolean isAny = fileLocks.abandon(open, which);
        pendingLocks.tellFreed(now);
        return isAny;
    }

    /** One that waits does so no longer. */
    void cancel(Waiter waiter, long now) {
        pendingLocks.cancel(waiter, now);
    }

    /** Frees what a host has locked in other starts than some, of one file. */
    void freeOthers(Open open, Set<Integer> starts, long now) {
        for (var locker : List.copyOf(open.lockers.values())) {
            for (var each : open.file.locks.of(locker.owner, ByteRange.ALL)) {
                if (!starts.contains(each.tag())) {
                    fileLocks.unlock(open.client, open.file, locker.owner, each.lock().range());
                }
            }
            if (!open.file.locks.isOwner(locker.owner)) {
                files.free(locker, now);
            }
        }
        pendingLocks.tellFreed(now);
    }

    /** Frees a lost stateid, or a lock owner without locks. */
    Outcome<Void> free(ClientUse use, StateId id, long now) {
        var found = ids.find(use.client(), id);
        if (found.state() == null) {
            return journal.refused(found.status());
        }
        switch (found.state()) {
            case State lost when lost.isLost() -> files.drop(lost);
            case Locker locker when !locker.file.locks.isOwner(locker.owner) ->
                    files.free(locker, now);
            case Locker _, Open _, Delegation _ -> {
                return journal.refused(Nfs4Status.LOCKS_HELD);
            }
        }
        return journal.ok(null);
    }
}
