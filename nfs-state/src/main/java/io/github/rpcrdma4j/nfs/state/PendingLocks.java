package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.LockCall;
import io.github.rpcrdma4j.nfs.state.limit.LockLimits;
import io.github.rpcrdma4j.nfs.state.range.ByteRange;
import io.github.rpcrdma4j.nfs.state.range.Obstacle;
import io.github.rpcrdma4j.nfs.state.range.RangeLock;
import io.github.rpcrdma4j.nfs.state.range.RangeNode;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;

/**
 * The clients and hosts that wait for byte-range locks which others have. The first one that waits
 * for what is free again is told, and has its turn: for a short time no other owner gets it. So
 * each that waits gets its turn at last.
 */
final class PendingLocks {
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

    PendingLocks(long leaseNanos, LockLimits limits, Shares shares, Journal journal) {
        this.leaseNanos = leaseNanos;
        this.limits = limits;
        this.shares = shares;
        this.journal = journal;
    }

    /**
     * Remembers that a client waits for a lock. Without room for it, nothing is remembered: the
     * client also asks by itself.
     *
     * @return whether it is remembered
     */
    boolean await(Open open, LockCall call, RangeLock<StateOwner> wanted, long now) {
        var client = open.client;
        var file = open.file;
        var waiter = file.waiters.find(wanted);
        if (waiter == null) {
            if (!makeRoom(client, file)) {
                return false;
            }
            waiter = new Waiter(client, file, call, wanted);
            file.waiters.add(waiter);
            client.waiters.add(waiter);
            shares.count(Shares.Kind.WAITERS, client, 1);
        }
        // A host is called as its last call wants it.
        waiter.call = call;
        waiter.asked = now;
        return true;
    }

    /** One that waits does so no longer. */
    void cancel(Waiter waiter, long now) {
        forget(waiter);
        if (waiter.hasTurn) {
            wake(waiter.file, waiter.wanted.range(), now);
        }
    }

    /**
     * The oldest request of the client makes room, or the oldest for the file if that is full. None
     * of a host does: it counts on being called.
     */
    private boolean makeRoom(Client client, OpenFile file) {
        if (client.isHost) {
            return client.waiters.size() < limits.waitersOfClient()
                    && shares.room(Shares.Kind.WAITERS, client) > 0
                    && file.waiters.room(limits.waitersOfFile(), client) > 0;
        }
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
            if (each.file == file && isServed(each, lock)) {
                forget(each);
                if (each.hasTurn) {
                    wake(file, each.wanted.range(), now);
                }
            }
        }
    }

    /** A client asks anew for what is left. A host is called for all that it waits for. */
    private static boolean isServed(Waiter waiter, RangeLock<StateOwner> lock) {
        var wanted = waiter.wanted;
        return waiter.client.isHost
                ? wanted.equals(lock)
                : wanted.owner().equals(lock.owner()) && wanted.range().overlaps(lock.range());
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
            if (late.client.isHost) {
                waitOn(late);
            } else {
                forget(late);
            }
            wake(late.file, late.wanted.range(), now);
        }
    }

    /** A host does not ask again by itself: it waits on, behind the others. */
    private void waitOn(Waiter late) {
        turns.remove(late);
        late.file.waiters.remove(late);
        late.hasTurn = false;
        late.file.waiters.add(late);
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
            if (isForgotten(each, now)) {
                forget(each);
            } else if (file.waiters.turns().size() >= TURNS_MAX) {
                return;
            } else if (isFree(each)) {
                each.hasTurn = true;
                each.turnBegan = now;
                file.waiters.turns().add(each);
                turns.add(each);
                tell(each);
            }
        }
    }

    /** Returns whether a client has not asked for so long that it waits no more. */
    private boolean isForgotten(Waiter waiter, long now) {
        long most = waiter.client.hasSessions ? ASKS_NANOS : leaseNanos;
        return !waiter.client.isHost && now - waiter.asked > most;
    }

    private void tell(Waiter waiter) {
        long id = waiter.client.id;
        var key = waiter.file.key;
        if (waiter.call.from() instanceof LockCall.OfHost(var claim, _)) {
            journal.add(
                    new Action.OfferLock(
                            id, key, waiter.wanted, claim.note(), waiter.client.placeUse.place));
        } else if (waiter.client.hasSessions) {
            journal.add(new Action.NotifyLock(id, key, waiter.wanted.owner()));
        }
    }

    /**
     * Returns whether nothing is in the way of one that waits. Many may wait, and one event after
     * the other may wake them, so each looks for an obstacle anew only if its last one has gone.
     */
    private boolean isFree(Waiter waiter) {
        if (!waiter.isHeldUp()) {
            waiter.obstacle = obstacle(waiter.file, waiter.wanted);
        }
        if (waiter.obstacle instanceof RangeNode<StateOwner> node) {
            inTheWay.add(node.lock.owner().clientId());
        }
        return waiter.obstacle == null;
    }

    private static Obstacle<StateOwner> obstacle(OpenFile file, RangeLock<StateOwner> wanted) {
        var lock = file.locks.obstacle(wanted.owner(), wanted.type(), wanted.range());
        if (lock != null) {
            return lock;
        }
        var turn = file.waiters.inTheWayOf(wanted);
        return turn != null ? turn : file.questions.inTheWayOf(wanted);
    }

    /**
     * Removes and returns a client that was in the way of one that waits when that had its last
     * chance; null if there is none.
     */
    Long takeInTheWay() {
        return inTheWay.isEmpty() ? null : inTheWay.removeFirst();
    }

    private void forget(Waiter waiter) {
        waiter.isGone = true;
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
