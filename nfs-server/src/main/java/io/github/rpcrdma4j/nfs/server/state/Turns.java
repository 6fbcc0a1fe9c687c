package io.github.rpcrdma4j.nfs.server.state;

import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;

/**
 * Those who wait for byte-range locks. The first one that waits for what is free again is told, and
 * has its turn: for a short time no other owner gets it. So each that waits gets its turn at last.
 */
final class Turns {
    /**
     * A client with a session that waits asks again at least this often: Linux after 30 seconds at
     * most. One without asks within a lease (RFC 7530, Section 9.4).
     */
    private static final long ASKS_NANOS = 120_000_000_000L;

    /** How many that wait for one file have their turns at a time. */
    private static final int TURNS_MAX = 32;

    private final long leaseNanos;
    private final LockLimits limits;
    private final Shares shares;
    private final Journal journal;
    private final SequencedSet<Waiter> turns = new LinkedHashSet<>();

    /** Files whose waiters may get something: an event that frees many locks tells them once. */
    private final SequencedSet<OpenFile> freed = new LinkedHashSet<>();

    /** Clients that were found to be in the way of one that waits. */
    private final SequencedSet<Long> inTheWay = new LinkedHashSet<>();

    Turns(long leaseNanos, LockLimits limits, Shares shares, Journal journal) {
        this.leaseNanos = leaseNanos;
        this.limits = limits;
        this.shares = shares;
        this.journal = journal;
    }

    /**
     * Remembers that a client waits for a lock. Without room for it, nothing is remembered: the
     * client also asks by itself.
     */
    void await(Client client, OpenFile file, RangeLock<StateOwner> wanted, long now) {
        var waiter = file.waiters.find(wanted);
        if (waiter == null) {
            if (!makeRoom(client, file)) {
                return;
            }
            waiter = new Waiter(client, file, wanted);
            file.waiters.add(waiter);
            client.waiters.add(waiter);
            shares.count(Shares.Kind.WAITERS, client, 1);
        }
        waiter.asked = now;
    }

    /** The oldest request of the client makes room, or the oldest for the file if that is full. */
    private boolean makeRoom(Client client, OpenFile file) {
        boolean hasRoom =
                client.waiters.size() < limits.waitersOfClient()
                        && shares.room(Shares.Kind.WAITERS, client) > 0;
        boolean hasRoomInFile = file.waiters.room(limits.waitersOfFile(), client) > 0;
        if (hasRoom && hasRoomInFile) {
            return true;
        }
        var oldest =
                client.waiters.stream()
                        .filter(each -> hasRoomInFile || each.file == file)
                        .findFirst();
        oldest.ifPresent(this::forget);
        return oldest.isPresent();
    }

    /** An owner has got what it waited for, or a part of it, and does not wait any more. */
    void granted(Client client, OpenFile file, RangeLock<StateOwner> lock, long now) {
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

    /** Returns one that waits and whose turn forbids a lock to another owner, or null. */
    Waiter inTheWayOf(OpenFile file, RangeLock<StateOwner> wanted, long now) {
        expire(now);
        return file.waiters.inTheWayOf(wanted);
    }

    /** Ends the turns of those that did not ask again in time. The next ones get theirs. */
    void expire(long now) {
        while (!turns.isEmpty() && now - turns.getFirst().turnBegan > limits.turnNanos()) {
            var late = turns.getFirst();
            forget(late);
            wake(late.file, late.wanted.range(), now);
        }
    }

    /** This event has freed something of a file. It calls {@link #tellFreed} at its end. */
    void free(OpenFile file) {
        freed.add(file);
    }

    /** Gives turns to those that wait for what this event has freed. */
    void tellFreed(long now) {
        while (!freed.isEmpty()) {
            wake(freed.removeFirst(), ByteRange.ALL, now);
        }
    }

    /** Gives turns to those that wait for a part of a range, if nothing is in their way. */
    void wake(OpenFile file, ByteRange range, long now) {
        if (file.waiters.size() == 0) {
            return;
        }
        for (var each : file.waiters.all()) {
            if (each.hasTurn || !each.wanted.range().overlaps(range)) {
                continue;
            }
            long most = each.client.hasSessions ? ASKS_NANOS : leaseNanos;
            if (now - each.asked > most) {
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

    private boolean isFree(Waiter waiter) {
        var wanted = waiter.wanted;
        var file = waiter.file;
        var conflict = file.locks.conflict(wanted.owner(), wanted.type(), wanted.range());
        conflict.ifPresent(lock -> inTheWay.add(lock.owner().clientId()));
        return conflict.isEmpty()
                && file.waiters.inTheWayOf(wanted) == null
                && file.asks.inTheWayOf(wanted) == null;
    }

    /**
     * Removes and returns a client that was in the way of one that waits when that had its last
     * chance; null if there is none.
     */
    Long takeInTheWay() {
        return inTheWay.isEmpty() ? null : inTheWay.removeFirst();
    }

    private void forget(Waiter waiter) {
        waiter.file.waiters.remove(waiter);
        if (waiter.client.waiters.remove(waiter)) {
            shares.count(Shares.Kind.WAITERS, waiter.client, -1);
        }
        turns.remove(waiter);
    }

    void forget(OpenFile file) {
        file.waiters.all().forEach(this::forget);
    }

    /** Forgets what a client waits for. What it had its turn for may be another's turn now. */
    void forget(Client client, long now) {
        for (var each : List.copyOf(client.waiters)) {
            forget(each);
            if (each.hasTurn) {
                wake(each.file, each.wanted.range(), now);
            }
        }
    }
}
