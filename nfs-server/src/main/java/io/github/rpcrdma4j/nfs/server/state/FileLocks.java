package io.github.rpcrdma4j.nfs.server.state;

import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.SequencedSet;

/**
 * Changes of the byte-range locks of files: in their tables, towards the kernel, and for those who
 * wait. The first one that waits for what is free again is told, and has its turn: for a short time
 * no other owner gets it. So each that waits gets its turn at last.
 */
final class FileLocks {
    /** A client that waits asks again at least this often: Linux after 30 seconds at most. */
    private static final long ASKS_NANOS = 120_000_000_000L;

    /** How many that wait for one file have their turns at a time. */
    private static final int TURNS_MAX = 32;

    private final StateLimits limits;
    private final Journal journal;
    private final ProcessLocks kernel;
    private final SequencedSet<Waiter> turns = new LinkedHashSet<>();

    /** Files whose waiters may get something: an event that frees many locks tells them once. */
    private final SequencedSet<OpenFile> freed = new LinkedHashSet<>();

    private int ranges;

    FileLocks(StateLimits limits, Journal journal, ProcessLocks kernel) {
        this.limits = limits;
        this.journal = journal;
        this.kernel = kernel;
    }

    boolean isFull(Client client) {
        // A lock can cut one range in three.
        return ranges + 2 >= limits.ranges() || client.ranges + 2 >= limits.rangesOfClient();
    }

    /** Returns the lock of a local process that is in the way. */
    Optional<RangeLock<String>> localConflict(FileKey file, LockMode type, ByteRange range) {
        return kernel.conflict(file, type, range);
    }

    /**
     * Locks a range that no client has locked, if the kernel grants it.
     *
     * @return the lock of a local process that is in the way
     */
    Optional<RangeLock<String>> lock(
            Client client, OpenFile file, RangeLock<StateOwner> lock, long now) {
        var local = kernel.lock(file.key, lock.type(), lock.range());
        if (local.isEmpty()) {
            int before = file.locks.size();
            file.locks.lock(lock.owner(), lock.type(), lock.range());
            count(client, file.locks.size() - before);
            forgetGranted(client, file, lock, now);
            if (lock.type() == LockMode.READ) {
                // It may have been a WRITE lock before.
                wake(file, lock.range(), now);
            }
        }
        return local;
    }

    /** The owner has got what it waited for, or a part of it, and does not wait any more. */
    private void forgetGranted(Client client, OpenFile file, RangeLock<StateOwner> lock, long now) {
        for (var each : List.copyOf(client.waiters)) {
            if (each.file == file
                    && each.wanted.owner().equals(lock.owner())
                    && each.wanted.range().overlaps(lock.range())) {
                forget(each);
                if (each.hasTurn) {
                    wake(file, each.wanted.range(), now);
                }
            }
        }
    }

    /**
     * Unlocks what an owner has of a range. The event calls {@link #tellWaiters} when it has freed
     * all that it frees.
     */
    void unlock(Client client, OpenFile file, StateOwner owner, ByteRange range) {
        int before = file.locks.size();
        var taken = file.locks.unlock(owner, range);
        count(client, file.locks.size() - before);
        for (var each : taken) {
            for (var part : file.locks.union(each)) {
                // Where others still hold a READ lock, so does the kernel.
                if (part.type().isEmpty()) {
                    kernel.unlock(file.key, part.range());
                }
            }
        }
        if (!taken.isEmpty()) {
            if (file.locks.isEmpty()) {
                kernel.close(file.key);
            }
            freed.add(file);
        }
    }

    /** Gives turns to those that wait for what this event has freed. */
    void tellWaiters(long now) {
        while (!freed.isEmpty()) {
            wake(freed.removeFirst(), ByteRange.ALL, now);
        }
    }

    private void count(Client client, int change) {
        client.ranges += change;
        ranges += change;
    }

    /** Remembers that a client waits for a lock. */
    void await(Client client, OpenFile file, RangeLock<StateOwner> wanted, long now) {
        var waiter = file.waiters.find(wanted);
        if (waiter == null) {
            if (file.waiters.size() >= limits.waitersOfFile()) {
                return;
            }
            if (client.waiters.size() >= limits.waitersOfClient()) {
                forget(client.waiters.getFirst());
            }
            waiter = new Waiter(client, file, wanted);
            file.waiters.add(waiter);
            client.waiters.add(waiter);
        }
        waiter.asked = now;
    }

    /** Returns one that waits and whose turn forbids a lock to another owner, or null. */
    Waiter turnInTheWay(OpenFile file, RangeLock<StateOwner> wanted, long now) {
        expire(now);
        return file.waiters.inTheWayOf(wanted.owner(), wanted.type(), wanted.range());
    }

    /** Ends the turns of those that did not ask again in time. The next ones get theirs. */
    void expire(long now) {
        while (!turns.isEmpty() && now - turns.getFirst().turnBegan > limits.turnNanos()) {
            var late = turns.getFirst();
            forget(late);
            wake(late.file, late.wanted.range(), now);
        }
    }

    /** Gives turns to those that wait for a part of a range, if nothing is in their way. */
    private void wake(OpenFile file, ByteRange range, long now) {
        if (file.waiters.size() == 0) {
            return;
        }
        for (var each : file.waiters.all()) {
            if (each.hasTurn || !each.wanted.range().overlaps(range)) {
                continue;
            }
            if (now - each.asked > ASKS_NANOS) {
                forget(each);
            } else if (file.waiters.turns().size() >= TURNS_MAX) {
                return;
            } else if (isFree(each)) {
                each.hasTurn = true;
                each.turnBegan = now;
                file.waiters.turns().add(each);
                turns.add(each);
                journal.add(new Action.NotifyLock(each.client.id, file.key, each.wanted.owner()));
            }
        }
    }

    private static boolean isFree(Waiter waiter) {
        var wanted = waiter.wanted;
        var file = waiter.file;
        return file.waiters.inTheWayOf(wanted.owner(), wanted.type(), wanted.range()) == null
                && file.locks.conflict(wanted.owner(), wanted.type(), wanted.range()).isEmpty();
    }

    private void forget(Waiter waiter) {
        waiter.file.waiters.remove(waiter);
        waiter.client.waiters.remove(waiter);
        turns.remove(waiter);
    }

    void forgetWaiters(OpenFile file) {
        file.waiters.all().forEach(this::forget);
    }

    /** Forgets what a client waits for. What it had its turn for may be another's turn now. */
    void forgetWaiters(Client client, long now) {
        for (var each : List.copyOf(client.waiters)) {
            forget(each);
            if (each.hasTurn) {
                wake(each.file, each.wanted.range(), now);
            }
        }
    }
}
