package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.OpenFile.Reduction;
import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.LockCall;
import io.github.rpcrdma4j.nfs.state.limit.LockLimits;
import io.github.rpcrdma4j.nfs.state.range.ByteRange;
import io.github.rpcrdma4j.nfs.state.range.LockMode;
import io.github.rpcrdma4j.nfs.state.range.RangeLock;
import io.github.rpcrdma4j.nfs.state.range.RangeLocks;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Changes of the byte-range locks of files: in their tables, and towards the kernel. A lock gets
 * into the table when the kernel has granted it. Until then its {@link KernelQuestion} keeps others
 * away.
 *
 * <p>The kernel makes the changes of one file in the order of the actions. So it holds the union of
 * the table when it has carried out all of them, except in the ranges of live asks: these are left
 * to their answers.
 *
 * <p>Tests: {@code HangingKernelTest}, {@code ManyReadersTest}.
 */
final class FileLocks {
    /** A lock can cut one range in three, so it needs room for so many more. */
    static final int LOCK_RANGES = 2;

    private final LockLimits limits;
    private final Shares shares;
    private final Journal journal;
    private final PendingLocks pendingLocks;
    private final Map<Long, KernelQuestion> questions = new HashMap<>();
    private long lastAsk;

    FileLocks(LockLimits limits, Shares shares, Journal journal, PendingLocks pendingLocks) {
        this.limits = limits;
        this.shares = shares;
        this.journal = journal;
        this.pendingLocks = pendingLocks;
    }

    /** Returns whether a client may ask for one more lock of a file, if there is room for all. */
    boolean mayAsk(Client client, OpenFile file) {
        return client.used(Shares.Kind.RANGES) + LOCK_RANGES <= limits.rangesOfClient()
                && file.questions.room(limits.asksOfFile(), client) > 0
                && room(client, file) >= LOCK_RANGES;
    }

    private long room(Client client, OpenFile file) {
        return file.ranges.room(limits.rangesOfFile(), client);
    }

    /** Returns whether an owner may unlock a part: if that cuts a range in two, this needs room. */
    boolean mayUnlock(Client client, OpenFile file, StateOwner owner, ByteRange range) {
        return !file.locks.isCut(owner, range)
                || client.used(Shares.Kind.RANGES) < limits.rangesOfClient()
                        && shares.room(Shares.Kind.RANGES, client) > 0
                        && room(client, file) > 0;
    }

    /** Asks the kernel for a lock. No client is in its way. Returns the number of the question. */
    long ask(Open open, RangeLock<StateOwner> wanted, LockCall call) {
        var file = open.file;
        var ask = new KernelQuestion(++lastAsk, open, wanted, call);
        questions.put(ask.number, ask);
        file.questions.add(ask);
        count(open.client, file, LOCK_RANGES);
        if (!file.hasDescriptor()) {
            countDescriptor(file, open.client);
        }
        journal.add(new Action.AskLock(ask.number, file.key, wanted.type(), wanted.range()));
        return ask.number;
    }

    /**
     * Returns a question that the kernel has answered now.
     *
     * @throws IllegalStateException if there is no such question
     */
    KernelQuestion answered(long number) {
        var ask = questions.get(number);
        if (ask == null || ask.isHeld) {
            throw new IllegalStateException("question " + number + " was not asked");
        }
        return ask;
    }

    /** Returns what is held for a host; null if it has taken it, or has lost it. */
    KernelQuestion held(long number) {
        var ask = questions.get(number);
        return ask == null || !ask.isHeld ? null : ask;
    }

    /** The kernel has granted what a host has waited for. Others do not get it meanwhile. */
    void hold(KernelQuestion ask, long now) {
        ask.isHeld = true;
        pendingLocks.granted(ask.open.client, ask.open.file, ask.wanted, now);
    }

    private void remove(KernelQuestion ask) {
        if (ask.isHeld && ask.isTelling) {
            journal.add(new Action.AwaitCall(ask.number));
        }
        questions.remove(ask.number);
        ask.open.file.questions.remove(ask);
        count(ask.open.client, ask.open.file, -LOCK_RANGES);
    }

    /**
     * Locks what the kernel has granted.
     *
     * @param owner equal to the one that asked; all its ranges share this object, with its name
     */
    void grant(KernelQuestion ask, StateOwner owner, long now) {
        remove(ask);
        var file = ask.open.file;
        var lock = ask.wanted;
        int before = file.locks.size();
        boolean wasOwner = file.locks.isOwner(owner);
        for (var part : ask.parts()) {
            file.locks.lock(owner, lock.type(), part, ask.call.hostState());
        }
        countFile(ask.open.client, file, owner, wasOwner);
        countRanges(ask.open.client, file, file.locks.size() - before);
        pendingLocks.granted(ask.open.client, file, lock, now);
        if (lock.type() == LockMode.READ) {
            // It may have been a WRITE lock before.
            pendingLocks.wake(file, lock.range(), now);
        }
    }

    /**
     * Has the kernel hold what the table says, after a question that came to nothing.
     *
     * @param isLocked whether the kernel has granted the lock that is not wanted any more
     */
    void takeBack(KernelQuestion ask, boolean isLocked, long now) {
        takeBack(ask, isLocked);
        pendingLocks.wake(ask.open.file, ask.wanted.range(), now);
    }

    private void takeBack(KernelQuestion ask, boolean isLocked) {
        remove(ask);
        var file = ask.open.file;
        if (isLocked && ask.wanted.type() == LockMode.READ) {
            weaken(ask);
        }
        ask.parts().forEach(each -> adapt(file, each));
        closeIfUnused(file);
    }

    /** Has the kernel hold what the table says of a range, except where it is asked for more. */
    private void adapt(OpenFile file, ByteRange range) {
        reduce(file, new Reduction(range, true));
    }

    /**
     * Has the kernel hold no more of a range than the table says, except where it is asked for
     * more. Others may have thousands of READ locks there, so it does so in several events.
     */
    private void reduce(OpenFile file, Reduction wanted) {
        var range = wanted.range();
        int left = limits.partsOfEvent();
        for (var each : file.questions.outside(range)) {
            long end = each.first() - 1;
            if (left > 0) {
                var parts = file.locks.union(each, left);
                left -= parts.size();
                parts.forEach(part -> reduce(file, part, wanted.mayBeWeaker()));
                end = parts.getLast().range().last();
            }
            if (end != each.last()) {
                var rest = new ByteRange(end + 1, range.last());
                file.reductions.add(new Reduction(rest, wanted.mayBeWeaker()));
                if (file.reductions.size() == 1) {
                    journal.add(new Action.ContinueReduction(file.key));
                }
                return;
            }
        }
    }

    private void reduce(OpenFile file, RangeLocks.Part part, boolean mayBeWeaker) {
        if (part.type().isEmpty() || mayBeWeaker) {
            journal.add(new Action.ReduceLock(file.key, part));
        }
    }

    /** The kernel has carried out what one event has said, and gives up more. */
    void continueReduction(OpenFile file) {
        var next = file.reductions.pollFirst();
        if (next != null) {
            boolean isLast = file.reductions.isEmpty();
            reduce(file, next);
            if (!isLast) {
                journal.add(new Action.ContinueReduction(file.key));
            }
        }
    }

    /**
     * The kernel has READ locks in place of WRITE locks of the owner. A local process may have such
     * a lock by now, so that they cannot be WRITE locks again. The owner asked for READ locks.
     */
    private void weaken(KernelQuestion ask) {
        var file = ask.open.file;
        var owner = ask.wanted.owner();
        int before = file.locks.size();
        for (var part : ask.parts()) {
            for (var each : file.locks.of(owner, part)) {
                if (each.lock().type() == LockMode.WRITE) {
                    file.locks.lock(owner, LockMode.READ, each.lock().range(), each.tag());
                }
            }
        }
        countRanges(ask.open.client, file, file.locks.size() - before);
    }

    /**
     * Ends the interest in a lock that the kernel was asked for.
     *
     * @return whether there was no answer yet
     */
    boolean abandon(long number, long now) {
        var ask = questions.get(number);
        if (ask == null || ask.isHeld) {
            return false;
        }
        ask.isLive = false;
        pendingLocks.wake(ask.open.file, ask.wanted.range(), now);
        return true;
    }

    /**
     * Ends the interest in the locks that an open does not have yet: the client has to ask again.
     * The event calls {@link PendingLocks#tellFreed}.
     */
    void postpone(Open open) {
        open.file.questions.of(open).forEach(each -> each.isPostponed = true);
        abandon(open);
    }

    /** Ends the interest in the locks of an open. */
    void abandon(Open open) {
        abandon(open, _ -> true);
    }

    /**
     * Ends the interest in some locks that an open does not have yet. The event calls {@link
     * PendingLocks#tellFreed}.
     *
     * @return whether there were any
     */
    boolean abandon(Open open, Predicate<KernelQuestion> which) {
        var unwanted = open.file.questions.of(open).stream().filter(which).toList();
        for (var each : unwanted) {
            if (each.isHeld) {
                takeBack(each, true);
            } else {
                each.isLive = false;
            }
            pendingLocks.free(open.file);
        }
        return !unwanted.isEmpty();
    }

    /** An owner has locked or unlocked a range by itself: nothing of it is held any more. */
    void settle(KernelQuestion held, ByteRange range) {
        var file = held.open.file;
        var settled = held.cut(range);
        if (held.parts().isEmpty()) {
            remove(held);
        }
        settled.forEach(each -> adapt(file, each));
        closeIfUnused(file);
        pendingLocks.free(file);
    }

    /**
     * Unlocks what an owner has of a range. The event calls {@link PendingLocks#tellFreed} when it
     * has freed all that it frees.
     */
    void unlock(Client client, OpenFile file, StateOwner owner, ByteRange range) {
        int before = file.locks.size();
        boolean wasOwner = file.locks.isOwner(owner);
        var taken = file.locks.unlock(owner, range);
        countFile(client, file, owner, wasOwner);
        countRanges(client, file, file.locks.size() - before);
        for (var each : taken) {
            reduce(file, new Reduction(each, false));
        }
        if (!taken.isEmpty()) {
            closeIfUnused(file);
            pendingLocks.free(file);
        }
    }

    private void closeIfUnused(OpenFile file) {
        if (file.hasDescriptor() && file.locks.isEmpty() && file.questions.isEmpty()) {
            countDescriptor(file, null);
            if (!file.reductions.isEmpty()) {
                file.reductions.clear();
                var nothing = new RangeLocks.Part(ByteRange.ALL, Optional.empty());
                journal.add(new Action.ReduceLock(file.key, nothing));
            }
            journal.add(new Action.CloseLocks(file.key));
        }
    }

    private void countRanges(Client client, OpenFile file, int change) {
        client.ranges += change;
        count(client, file, change);
    }

    /** An owner of minor version 0 may have thousands of files, so they are counted. */
    private static void countFile(Client client, OpenFile file, StateOwner name, boolean wasOwner) {
        var owner = client.owners.find(name.name(), true);
        boolean isOwner = file.locks.isOwner(name);
        if (owner != null && isOwner != wasOwner) {
            owner.lockedFiles += isOwner ? 1 : -1;
        }
    }

    private void count(Client client, OpenFile file, int change) {
        shares.count(Shares.Kind.RANGES, client, change);
        file.ranges.count(client, change);
        var users = file.ranges.clients();
        if (file.descriptorOf == client && !users.contains(client) && !users.isEmpty()) {
            countDescriptor(file, users.iterator().next());
        }
    }

    /** Counts the descriptor of a file for a client from now on; for none if it is null. */
    private void countDescriptor(OpenFile file, Client client) {
        if (file.hasDescriptor()) {
            shares.count(Shares.Kind.LOCKED_FILES, file.descriptorOf, -1);
        }
        file.descriptorOf = client;
        if (client != null) {
            shares.count(Shares.Kind.LOCKED_FILES, client, 1);
        }
    }
}
