package io.github.rpcrdma4j.nfs.server.state;

import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import java.util.HashMap;
import java.util.Map;

/**
 * Changes of the byte-range locks of files: in their tables, and towards the kernel. A lock gets
 * into the table when the kernel has granted it. Until then its {@link Ask} keeps others away.
 *
 * <p>The kernel makes the changes of one file in the order of the actions. So it holds the union of
 * the table when it has carried out all of them, except in the ranges of live asks: these are left
 * to their answers.
 */
final class FileLocks {
    private final LockLimits limits;
    private final Journal journal;
    private final Turns turns;
    private final Map<Long, Ask> asks = new HashMap<>();
    private long lastAsk;
    private int ranges;

    /** The number of files with a descriptor. */
    private int descriptors;

    FileLocks(LockLimits limits, Journal journal, Turns turns) {
        this.limits = limits;
        this.journal = journal;
        this.turns = turns;
    }

    /** Returns whether all clients together use up what there is. */
    boolean isFull() {
        return descriptors >= limits.files() || !fits(ranges, asks.size(), limits.ranges());
    }

    /** Returns whether a client may lock one more range of a file. */
    boolean hasRoom(Client client, OpenFile file) {
        return fits(ranges, asks.size(), limits.ranges())
                && fits(client.ranges, client.asks, limits.rangesOfClient())
                && !isFull(client, file)
                && file.asks.size() < limits.asksOfFile()
                && (file.hasDescriptor
                        || LockLimits.isInShare(client.lockedFiles, descriptors, limits.files()));
    }

    /** Returns whether the ranges of a file leave no room for one more of a client. */
    boolean isFull(Client client, OpenFile file) {
        int own = file.users.getOrDefault(client, 0);
        return !fits(file.locks.size(), file.asks.size(), limits.rangesOfFile())
                || !LockLimits.isInShare(own, file.locks.size(), limits.rangesOfFile());
    }

    private static boolean fits(int ranges, int asks, int limit) {
        // A lock can cut one range in three.
        return ranges + 2 * (asks + 1) <= limit;
    }

    /** Returns whether an owner may unlock a part: if that cuts a range in two, this needs room. */
    boolean mayUnlock(Client client, OpenFile file, StateOwner owner, ByteRange range) {
        return !file.locks.isCut(owner, range)
                || ranges < limits.ranges()
                        && client.ranges < limits.rangesOfClient()
                        && file.locks.size() < limits.rangesOfFile();
    }

    /** Asks the kernel for a lock. No client is in its way. Returns the number of the question. */
    long ask(Open open, RangeLock<StateOwner> wanted, LockCall call) {
        var file = open.file;
        var ask = new Ask(++lastAsk, open, wanted, call);
        asks.put(ask.number, ask);
        file.asks.add(ask);
        open.client.asks++;
        use(open.client, file, 1);
        if (!file.hasDescriptor) {
            file.hasDescriptor = true;
            descriptors++;
        }
        journal.add(new Action.AskLock(ask.number, file.key, wanted.type(), wanted.range()));
        return ask.number;
    }

    /**
     * Removes a question that the kernel has answered.
     *
     * @throws IllegalStateException if there is no such question
     */
    Ask answered(long number) {
        var ask = asks.remove(number);
        if (ask == null) {
            throw new IllegalStateException("question " + number + " was not asked");
        }
        ask.open.file.asks.remove(ask);
        ask.open.client.asks--;
        use(ask.open.client, ask.open.file, -1);
        return ask;
    }

    /**
     * Locks what the kernel has granted.
     *
     * @param owner equal to the one that asked; all its ranges share this object, with its name
     */
    void grant(Ask ask, StateOwner owner, long now) {
        var file = ask.open.file;
        var lock = ask.wanted;
        int before = file.locks.size();
        file.locks.lock(owner, lock.type(), lock.range());
        count(ask.open.client, file, file.locks.size() - before);
        turns.granted(ask.open.client, file, lock, now);
        if (lock.type() == LockMode.READ) {
            // It may have been a WRITE lock before.
            turns.wake(file, lock.range(), now);
        }
    }

    /**
     * Has the kernel hold what the table says, after a question that came to nothing.
     *
     * @param isLocked whether the kernel has granted the lock that is not wanted any more
     */
    void takeBack(Ask ask, boolean isLocked, long now) {
        var file = ask.open.file;
        if (isLocked && ask.wanted.type() == LockMode.READ) {
            weaken(ask);
        }
        for (var each : file.asks.outside(ask.wanted.range())) {
            for (var part : file.locks.union(each)) {
                journal.add(new Action.ReduceLock(file.key, part));
            }
        }
        closeIfUnused(file);
        turns.wake(file, ask.wanted.range(), now);
    }

    /**
     * The kernel has READ locks in place of WRITE locks of the owner. A local process may have such
     * a lock by now, so that they cannot be WRITE locks again. The owner asked for READ locks.
     */
    private void weaken(Ask ask) {
        var file = ask.open.file;
        var owner = ask.wanted.owner();
        int before = file.locks.size();
        for (var each : file.locks.of(owner)) {
            if (each.type() == LockMode.WRITE && each.range().overlaps(ask.wanted.range())) {
                var part = each.range().common(ask.wanted.range());
                file.locks.lock(owner, LockMode.READ, part);
            }
        }
        count(ask.open.client, file, file.locks.size() - before);
    }

    /**
     * Ends the interest in a lock that the kernel was asked for.
     *
     * @return whether there was no answer yet
     */
    boolean abandon(long number, long now) {
        var ask = asks.get(number);
        if (ask != null) {
            ask.isLive = false;
            turns.wake(ask.open.file, ask.wanted.range(), now);
        }
        return ask != null;
    }

    /** Ends the interest in the locks of an open. */
    void abandon(Open open) {
        if (open.file.asks.abandon(open)) {
            turns.free(open.file);
        }
    }

    /**
     * Unlocks what an owner has of a range. The event calls {@link Turns#tellFreed} when it has
     * freed all that it frees.
     */
    void unlock(Client client, OpenFile file, StateOwner owner, ByteRange range) {
        int before = file.locks.size();
        var taken = file.locks.unlock(owner, range);
        count(client, file, file.locks.size() - before);
        for (var each : taken) {
            for (var part : file.asks.outside(each)) {
                giveUp(file, part);
            }
        }
        if (!taken.isEmpty()) {
            closeIfUnused(file);
            turns.free(file);
        }
    }

    /** Gives up what no client has locked. Where others have a READ lock, so does the kernel. */
    private void giveUp(OpenFile file, ByteRange range) {
        for (var part : file.locks.union(range)) {
            if (part.type().isEmpty()) {
                journal.add(new Action.ReduceLock(file.key, part));
            }
        }
    }

    private void closeIfUnused(OpenFile file) {
        if (file.hasDescriptor && file.locks.isEmpty() && file.asks.isEmpty()) {
            file.hasDescriptor = false;
            descriptors--;
            journal.add(new Action.CloseLocks(file.key));
        }
    }

    private void count(Client client, OpenFile file, int change) {
        client.ranges += change;
        ranges += change;
        use(client, file, change);
    }

    private static void use(Client client, OpenFile file, int change) {
        int before = file.users.getOrDefault(client, 0);
        int after = before + change;
        if (after == 0) {
            file.users.remove(client);
        } else {
            file.users.put(client, after);
        }
        client.lockedFiles += Integer.signum(after) - Integer.signum(before);
    }
}
