package io.github.rpcrdma4j.nfs.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.github.rpcrdma4j.nfs.state.event.FileKey;
import io.github.rpcrdma4j.nfs.state.event.LockCall;
import io.github.rpcrdma4j.nfs.state.event.LockOutcome;
import io.github.rpcrdma4j.nfs.state.event.OpenCall;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.state.event.StateIdUse;
import io.github.rpcrdma4j.nfs.state.range.LockMode;
import io.github.rpcrdma4j.nfs.state.table.StatusFlags;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/** A client of a {@link RandomWorld}: what it does, and what it believes to hold. */
final class RandomClient {
    private static final int OWNERS = 2;

    private final RandomWorld world;
    private final RandomSession session;
    private boolean isRecovering;
    private List<HeldFile> held = new ArrayList<>();

    /** When the last call was sent that was answered: the lease lasts from then on. */
    private long renewed;

    /** Whether an administrator took its state, and it does not know yet; and when. */
    private boolean isRevoked;

    private long revoked;

    /** Whether the server may have taken its state. */
    private boolean mayHaveLost;

    /**
     * Whether the server has taken its locks, and has granted it nothing since: then it reclaims
     * nothing.
     */
    private boolean isUnrecorded;

    /**
     * Whether its lease may have ended since the server has granted it something. The server may
     * have taken locks that it gave up itself meanwhile, and then it reclaims nothing either.
     */
    private boolean wasLate;

    RandomClient(RandomWorld world, int number) {
        this.world = world;
        this.session = new RandomSession(world, number);
        this.renewed = world.now;
    }

    void step() {
        if (world.random.nextInt(8) == 0) {
            session.changeConnection();
        }
        noteExpiry();
        if (session.isBusy()) {
            session.repeatPending();
        } else if (!session.isOpen()) {
            isRecovering = session.connect();
            held.forEach(each -> each.isReclaimed = false);
        } else if (world.random.nextInt(6) == 0 && session.repeatAnswered()) {
            return;
        } else if (isRecovering) {
            recover();
        } else {
            act();
        }
    }

    private void noteExpiry() {
        wasLate |= session.isLate();
        mayHaveLost |= session.isLate();
    }

    private <T> void send(Function<SlotUse, Outcome<T>> operation, Consumer<Outcome<T>> handler) {
        noteExpiry();
        session.send(operation, handler);
        receive();
    }

    /** Receives the answer if it is due. */
    void receive() {
        var reply = session.receive();
        if (reply == null) {
            return;
        }
        // The lease of a client that waits for so long may have ended.
        boolean isLong = world.now - reply.sent() > 2 * RandomWorld.LEASE;
        mayHaveLost |= isLong;
        if (reply.flags() != 0) {
            examine(reply);
        }
        reply.handling().run();
        if (!isRecovering) {
            // What it has now is what the server has.
            renewed = reply.sent();
            isRevoked &= reply.sent() - revoked <= 0;
            mayHaveLost = isRevoked || isUnrecorded || isLong;
        }
        world.compareBeliefs();
    }

    RandomSession session() {
        return session;
    }

    /** The server says that it took state: the client asks what it still has. */
    private void examine(RandomSession.Reply reply) {
        int lost =
                StatusFlags.EXPIRED_ALL_STATE_REVOKED
                        | StatusFlags.EXPIRED_SOME_STATE_REVOKED
                        | StatusFlags.ADMIN_STATE_REVOKED;
        if ((reply.flags() & lost) == 0) {
            return;
        }
        for (var each : List.copyOf(held)) {
            var open = each.open.withSequence(0);
            if (world.state.testStateId(reply.use(), open) != Nfs4Status.OK) {
                lose(each);
            } else if (each.lock != null
                    && world.state.testStateId(reply.use(), each.lock.withSequence(0))
                            != Nfs4Status.OK) {
                assertTrue(mayHaveLost, "locks are lost, although the client was there in time");
                world.counts.lost++;
                each.lock = null;
                each.set(null, 0, HeldFile.BYTES);
                isUnrecorded = true;
            }
        }
    }

    private void lose(HeldFile each) {
        assertTrue(mayHaveLost, "state is lost, although the client was there in time");
        world.counts.lost++;
        held.remove(each);
    }

    private void recover() {
        for (var each : held) {
            if (!each.isReclaimed) {
                reclaim(each);
                return;
            }
        }
        send(
                use -> world.state.reclaimComplete(use, false, world.now),
                outcome -> {
                    // Storage was not ready, or has failed.
                    if (outcome.status() != Nfs4Status.DELAY) {
                        assertEquals(Nfs4Status.OK, outcome.status());
                        isRecovering = false;
                    }
                });
    }

    private void reclaim(HeldFile each) {
        // Grace ends at some time, even if a client is not done.
        mayHaveLost |= world.now - world.restarted > RandomWorld.LEASE;
        each.isReclaimed = true;
        var call = new OpenCall(file(each.file), owner(each.owner), each.access, each.deny, true);
        send(
                use -> world.state.open(use, call, world.now),
                outcome -> {
                    if (!outcome.isOk()) {
                        mayHaveLost |= wasLate && outcome.status() == Nfs4Status.RECLAIM_BAD;
                        lose(each);
                        return;
                    }
                    world.counts.reclaims++;
                    each.open = outcome.value();
                    each.lock = null;
                    reclaimLocks(each, 0);
                });
    }

    /** Reclaims the locks from a byte on, each with a call of its own. */
    private void reclaimLocks(HeldFile each, int from) {
        int at = from;
        while (at < HeldFile.BYTES && each.bytes[at] == null) {
            at++;
        }
        if (at == HeldFile.BYTES) {
            return;
        }
        int next = at + 1;
        while (next < HeldFile.BYTES && each.bytes[next] == each.bytes[at]) {
            next++;
        }
        mayHaveLost |= world.now - world.restarted > RandomWorld.LEASE;
        int end = next;
        int begin = at;
        var whose = new LockCall.NewOwner(each.open, owner(each.owner));
        var call = new LockCall(file(each.file), each.bytes[at], false, true, at, end - at, whose);
        send(
                use -> world.state.lock(use, call, world.now),
                outcome -> {
                    if (outcome.isOk()) {
                        world.counts.reclaims++;
                        each.lock = ((LockOutcome.Granted) outcome.value()).stateId();
                        reclaimLocks(each, end);
                    } else if (outcome.status() == Nfs4Status.DELAY) {
                        reclaimLocks(each, begin);
                    } else {
                        // A local process may get it when grace has ended before the answer.
                        mayHaveLost |= world.now - world.restarted > RandomWorld.LEASE;
                        assertTrue(mayHaveLost, "a lock is lost: " + outcome.status());
                        each.bytes = new LockMode[HeldFile.BYTES];
                    }
                });
    }

    private static FileKey file(int number) {
        return new RandomWorld.WorldFile(number);
    }

    private static OpaqueName owner(int number) {
        return StateServer.name("owner" + number);
    }

    private void act() {
        var random = world.random;
        if (held.isEmpty() || random.nextInt(5) == 0) {
            open();
            return;
        }
        var each = held.get(random.nextInt(held.size()));
        switch (random.nextInt(8)) {
            case 0 -> close(each);
            case 1, 2 -> unlock(each);
            case 3 -> check(each);
            default -> lock(each);
        }
    }

    private void open() {
        int number = world.random.nextInt(RandomWorld.FILES);
        int owner = world.random.nextInt(OWNERS);
        int access = 1 + world.random.nextInt(3);
        int deny = world.random.nextInt(5) == 0 ? world.random.nextInt(4) : 0;
        var call = new OpenCall(file(number), owner(owner), access, deny, false);
        send(
                use -> world.state.open(use, call, world.now),
                outcome -> {
                    switch (outcome.status()) {
                        case OK -> opened(number, owner, access, deny, outcome.value());
                        case SHARE_DENIED, GRACE, DELAY -> world.counts.denials++;
                        default -> fail("OPEN: " + outcome.status());
                    }
                });
    }

    private void opened(int file, int owner, int access, int deny, StateId open) {
        granted();
        var known =
                held.stream()
                        .filter(each -> each.file == file && each.owner == owner)
                        .findFirst()
                        .orElseGet(
                                () -> {
                                    held.add(new HeldFile(file, owner));
                                    return held.getLast();
                                });
        known.open = open;
        known.access |= access;
        known.deny |= deny;
    }

    private void granted() {
        world.counts.grants++;
        isUnrecorded = false;
        wasLate = false;
    }

    private void close(HeldFile each) {
        // From now on, it relies on nothing of it.
        held.remove(each);
        send(
                use ->
                        world.state.close(
                                use, file(each.file), each.open.withSequence(0), world.now),
                outcome -> assertValid(outcome.status()));
    }

    private void assertValid(Nfs4Status status) {
        boolean isLost = status == Nfs4Status.EXPIRED || status == Nfs4Status.ADMIN_REVOKED;
        assertTrue(status == Nfs4Status.OK || isLost, status.name());
    }

    private void check(HeldFile each) {
        var use = each.access == 1 ? StateIdUse.READ : StateIdUse.WRITE;
        send(
                slot -> world.state.check(slot, file(each.file), each.open, use, world.now),
                outcome -> assertValid(outcome.status()));
    }

    private void lock(HeldFile each) {
        int from = world.random.nextInt(HeldFile.BYTES);
        int length = 1 + world.random.nextInt(HeldFile.BYTES - from);
        var type =
                each.access == 1 || each.access == 3 && world.random.nextBoolean()
                        ? LockMode.READ
                        : LockMode.WRITE;
        var whose =
                each.lock == null
                        ? new LockCall.NewOwner(each.open, owner(each.owner))
                        : new LockCall.KnownOwner(each.lock);
        // From now on, it does not rely on the WRITE locks that a READ lock replaces.
        if (type == LockMode.READ) {
            each.weaken(from, length);
        }
        boolean waits = world.random.nextBoolean();
        var call = new LockCall(file(each.file), type, waits, false, from, length, whose);
        send(
                use -> world.state.lock(use, call, world.now),
                outcome -> {
                    switch (outcome.status()) {
                        case OK -> {
                            granted();
                            each.lock = ((LockOutcome.Granted) outcome.value()).stateId();
                            each.set(type, from, length);
                        }
                        case DENIED, GRACE -> world.counts.denials++;
                        case EXPIRED, ADMIN_REVOKED -> {}
                        case DELAY -> world.counts.delays++;
                        default -> fail("LOCK: " + outcome.status());
                    }
                });
    }

    private void unlock(HeldFile each) {
        if (each.lock == null) {
            return;
        }
        int from = world.random.nextInt(HeldFile.BYTES);
        int length = 1 + world.random.nextInt(HeldFile.BYTES - from);
        each.set(null, from, length);
        send(
                use -> world.state.unlock(use, file(each.file), each.lock, from, length, world.now),
                outcome -> {
                    assertValid(outcome.status());
                    if (outcome.isOk()) {
                        each.lock = outcome.value();
                    }
                });
    }

    /** Returns what two clients believe in, although it conflicts; null if there is none. */
    String conflictWith(RandomClient other) {
        if (!believes() || !other.believes()) {
            return null;
        }
        for (var one : held) {
            for (var two : other.held) {
                if (one.conflictsWith(two)) {
                    return session.name() + " and " + other.session.name() + " at file " + one.file;
                }
            }
        }
        return null;
    }

    /** A client knows when its lease ends. */
    private boolean believes() {
        return !isRevoked && world.now - renewed <= RandomWorld.LEASE;
    }

    void restart() {
        held = new ArrayList<>();
        mayHaveLost = false;
        isRevoked = false;
        isUnrecorded = false;
        wasLate = false;
        session.restart();
    }

    /**
     * The server has restarted.
     *
     * @param mayBeOver whether its last grace period may have ended: a client that was not done by
     *     then has no record
     */
    void serverRestarted(boolean mayBeOver) {
        mayHaveLost |= isRecovering && mayBeOver;
        session.serverRestarted();
    }

    void revoke() {
        if (session.id() != 0
                && world.take(world.state.revocations().client(session.id(), world.now)).isOk()) {
            mayHaveLost = true;
            isRevoked = true;
            revoked = world.now;
        }
    }
}
