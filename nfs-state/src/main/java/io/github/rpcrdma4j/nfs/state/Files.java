package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.DelegateCall;
import io.github.rpcrdma4j.nfs.state.event.DelegationKind;
import io.github.rpcrdma4j.nfs.state.event.FileKey;
import io.github.rpcrdma4j.nfs.state.event.OpenCall;
import io.github.rpcrdma4j.nfs.state.range.ByteRange;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The table of the files that clients have open, with the stateids of each. All changes of opens
 * and lock owners pass here, so that files, clients and counts agree.
 *
 * <p>Tests: {@code OpensTest}, {@code RevocationEventsTest}.
 */
final class Files {
    private final Journal journal;
    private final FileLocks fileLocks;
    private final PendingLocks pendingLocks;
    private final Shares shares;
    private final Map<FileKey, OpenFile> byKey = new HashMap<>();

    /** How many opens of version 4 the files have. */
    private int opens;

    /** What is done when a delegation has ended. Set once. */
    private Consumer<Delegation> delegationEnd = _ -> {};

    /** The stores that are not served any more, while calls may still have files of them. */
    private final Set<Object> goneStores = new HashSet<>();

    Files(Journal journal, FileLocks fileLocks, PendingLocks pendingLocks, Shares shares) {
        this.journal = journal;
        this.shares = shares;
        this.fileLocks = fileLocks;
        this.pendingLocks = pendingLocks;
    }

    /** Sets what is done when a delegation has ended in any way. */
    void onDelegationEnd(Consumer<Delegation> action) {
        delegationEnd = action;
    }

    /** Returns a file with opens, or null. */
    OpenFile find(FileKey key) {
        return byKey.get(key);
    }

    /** Returns the open of an owner at a file, or null. */
    Open find(FileKey key, StateOwner owner) {
        var file = byKey.get(key);
        return file == null ? null : file.opens.get(owner);
    }

    /** Lets no file of a store be opened, until the store is forgotten. */
    void refuse(Object store) {
        goneStores.add(store);
    }

    /** Forgets a store, whose files no call has any more. */
    void forget(Object store) {
        goneStores.remove(store);
    }

    /** Returns whether a file is not served any more, so that it must not be opened. */
    boolean isGone(FileKey key) {
        return goneStores.contains(key.store());
    }

    Open add(Client client, OpenCall call) {
        var file = byKey.computeIfAbsent(call.file(), OpenFile::new);
        var open = new Open(client, file, client.freeNumber(), call.owner());
        open.add(call.access(), call.deny());
        file.count(open, 1);
        file.opens.put(new StateOwner(client.id, call.owner()), open);
        opens += weight(open);
        register(open);
        return open;
    }

    /** A host of version 3 has locks, and an open only to have them. */
    private static int weight(Open open) {
        return open.client.isHost ? 0 : 1;
    }

    private void register(State state) {
        state.client.states.put(state.number, state);
        state.client.held++;
        state.client.owners.add(state);
        shares.count(Shares.Kind.STATES, state.client, state.bytes);
    }

    void widen(Open open, OpenCall call) {
        open.file.count(open, -1);
        open.add(call.access(), call.deny());
        open.file.count(open, 1);
        open.change();
    }

    /** Takes back what the last OPEN of an open has added. */
    void takeBack(Open open) {
        open.file.count(open, -1);
        open.takeBack();
        open.file.count(open, 1);
    }

    /** Returns false if the owner has not opened the file so. */
    boolean narrow(Open open, int access, int deny) {
        open.file.count(open, -1);
        boolean isNarrowed = open.narrow(access, deny);
        open.file.count(open, 1);
        return isNarrowed;
    }

    Locker addLocker(Open open, OpaqueName name) {
        var client = open.client;
        var locker = new Locker(open, client.freeNumber(), new StateOwner(client.id, name));
        open.lockers.put(name, locker);
        open.file.lockers.merge(locker.owner, 1, Integer::sum);
        register(locker);
        return locker;
    }

    Delegation addDelegation(Open open, DelegationKind kind, DelegateCall call) {
        var client = open.client;
        var delegation = new Delegation(open, client.freeNumber(), kind, call);
        open.file.delegations.put(client, delegation);
        shares.count(Shares.Kind.DELEGATIONS, client, 1);
        register(delegation);
        return delegation;
    }

    /** Ends a delegation. */
    void end(Delegation delegation) {
        takeOut(delegation);
        drop(delegation);
    }

    /** Ends an open with its lock owners. */
    void close(Open open, long now) {
        for (var each : List.copyOf(open.lockers.values())) {
            takeOut(each);
            drop(each);
        }
        takeOut(open);
        drop(open);
        pendingLocks.tellFreed(now);
    }

    /** Ends a lock owner. Its locks go, unless another open has the same owner. */
    void free(Locker locker, long now) {
        takeOut(locker);
        drop(locker);
        pendingLocks.tellFreed(now);
    }

    /** Forgets a state that was lost or taken out. */
    void drop(State state) {
        state.client.states.remove(state.number);
        state.client.owners.remove(state);
        shares.count(Shares.Kind.STATES, state.client, -state.bytes);
        if (state.isLost()) {
            state.client.countLost(state.lost, -1);
        } else {
            state.client.held--;
        }
    }

    /** Ends the interest in the locks that an open does not have yet, for now. */
    void postponeLocks(State state) {
        if (state instanceof Open open && !open.isLost()) {
            fileLocks.postpone(open);
        }
    }

    /**
     * Takes what a state holds from its file. Lock owners go before their opens, and those that
     * wait are told at the end.
     */
    void takeOut(State state) {
        var file = state.file;
        switch (state) {
            case Open open -> {
                file.count(open, -1);
                if (file.opens.remove(new StateOwner(open.client.id, open.owner)) != null) {
                    opens -= weight(open);
                }
                fileLocks.abandon(open);
                if (file.opens.isEmpty()) {
                    pendingLocks.forget(file);
                    journal.add(new Action.CloseFile(file.key));
                    forgetIfUnused(file);
                }
            }
            case Delegation delegation -> {
                file.delegations.remove(delegation.client, delegation);
                file.recalledDelegations -= delegation.isRecalled() ? 1 : 0;
                shares.count(Shares.Kind.DELEGATIONS, delegation.client, -1);
                delegationEnd.accept(delegation);
                endKernelLeaseIfUnused(file);
                forgetIfUnused(file);
            }
            case Locker locker -> {
                locker.open().lockers.remove(locker.owner.name());
                boolean isLast = file.lockers.merge(locker.owner, -1, Files::sumOrNone) == null;
                if (isLast) {
                    fileLocks.unlock(locker.client, file, locker.owner, ByteRange.ALL);
                }
            }
        }
    }

    /** The kernel lease of a file ends with its last delegation. */
    void endKernelLeaseIfUnused(OpenFile file) {
        if (file.delegations.isEmpty() && file.delegationAsks == 0) {
            journal.add(new Action.EndKernelLease(file.key));
        }
    }

    /** Forgets a file that clients do not use, unless the kernel still owes an answer about it. */
    void forgetIfUnused(OpenFile file) {
        boolean isUsed = !file.opens.isEmpty() || !file.delegations.isEmpty();
        if (!isUsed && file.questions.isEmpty() && file.delegationAsks == 0) {
            byKey.remove(file.key, file);
        }
    }

    private static Integer sumOrNone(int count, int change) {
        return count + change == 0 ? null : count + change;
    }

    int opens() {
        return opens;
    }

    Iterable<OpenFile> all() {
        return byKey.values();
    }
}
