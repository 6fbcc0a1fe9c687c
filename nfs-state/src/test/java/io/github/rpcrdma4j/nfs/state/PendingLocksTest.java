package io.github.rpcrdma4j.nfs.state;

import static io.github.rpcrdma4j.nfs.state.StateServer.FILE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.LockCall;
import io.github.rpcrdma4j.nfs.state.event.Protection;
import io.github.rpcrdma4j.nfs.state.limit.LockLimits;
import io.github.rpcrdma4j.nfs.state.limit.StateLimits;
import io.github.rpcrdma4j.nfs.state.range.ByteRange;
import io.github.rpcrdma4j.nfs.state.range.LockMode;
import io.github.rpcrdma4j.nfs.state.range.RangeLock;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import io.github.rpcrdma4j.sim.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Goal: turns are given as if each event looked at all that wait and at all locks, and yet it looks
 * at few.
 */
class PendingLocksTest {
    private static final int OWNERS = 4;
    private static final int BYTES = 12;
    private static final int STEPS = 300;
    private static final long SECOND = StateServer.SECOND;
    private static final LockLimits LIMITS = LockLimits.DEFAULTS;

    private final StateServer server = StateServer.start();
    private final Shares shares = new Shares(StateLimits.DEFAULTS);
    private final Journal journal = new Journal();
    private final PendingLocks pendingLocks =
            new PendingLocks(StateServer.LEASE, LIMITS, shares, journal);
    private final FileLocks locks = new FileLocks(LIMITS, shares, journal, pendingLocks);
    private final OpenFile file = new OpenFile(FILE);
    private final List<Open> opens = IntStream.range(0, 2).mapToObj(this::open).toList();
    private long now = server.now;

    private Open open(int number) {
        var sender = server.stranger("client").sender();
        var owner = new ClientOwner(number, StateServer.name("client"));
        var place = new PlaceCounts(new HostCounts(sender.host()), sender.place());
        var client =
                new Client(number, number, true, owner, null, sender, Protection.NONE, place, now);
        return new Open(client, file, number, StateServer.name("open"));
    }

    /** Two owners for each client. */
    private Open openOf(int owner) {
        return opens.get(owner / 2);
    }

    private RangeLock<StateOwner> wanted(int owner, LockMode type, ByteRange range) {
        var name = StateServer.name("owner" + owner % 2);
        return new RangeLock<>(new StateOwner(owner / 2, name), type, range);
    }

    private static LockCall call(RangeLock<StateOwner> wanted) {
        var range = wanted.range();
        var from = new LockCall.NewOwner(new StateId(0, 0, 0), wanted.owner().name());
        return new LockCall(FILE, wanted.type(), true, false, range.first(), range.length(), from);
    }

    private void lock(int owner, LockMode type, ByteRange range) {
        var wanted = wanted(owner, type, range);
        long number = locks.ask(openOf(owner), wanted, call(wanted));
        locks.grant(locks.answered(number), wanted.owner(), now);
    }

    private void unlock(int owner, ByteRange range) {
        var wanted = wanted(owner, LockMode.WRITE, range);
        locks.unlock(openOf(owner).client, file, wanted.owner(), range);
        pendingLocks.tellFreed(now);
    }

    private static ByteRange byteAt(long at) {
        return new ByteRange(at, at);
    }

    /** Returns those that were told since the last call. */
    private List<StateOwner> told() {
        return journal.ok(null).actions().stream()
                .filter(Action.NotifyLock.class::isInstance)
                .map(Action.NotifyLock.class::cast)
                .map(each -> new StateOwner(each.clientId(), each.owner().name()))
                .toList();
    }

    /** What a simple server would do: it looks at everything each time. */
    private static final class Model {
        private static final int TURNS_MAX = 32;

        private static final class Wait {
            final RangeLock<StateOwner> wanted;
            long asked;
            boolean hasTurn;
            long began;

            Wait(RangeLock<StateOwner> wanted) {
                this.wanted = wanted;
            }
        }

        final LockMode[][] held = new LockMode[OWNERS][BYTES];

        /** Those that are wanted. */
        final List<RangeLock<StateOwner>> questions = new ArrayList<>();

        final List<Wait> waits = new ArrayList<>();
        final List<Wait> pendingLocks = new ArrayList<>();
        final List<StateOwner> told = new ArrayList<>();

        private static int number(StateOwner owner) {
            return (int) (owner.clientId() * 2)
                    + (owner.name().equals(StateServer.name("owner1")) ? 1 : 0);
        }

        boolean isFree(RangeLock<StateOwner> wanted) {
            for (int owner = 0; owner < OWNERS; owner++) {
                for (int at = 0; at < BYTES; at++) {
                    boolean isOfOther = owner != number(wanted.owner()) && held[owner][at] != null;
                    if (isOfOther
                            && wanted.range().overlaps(byteAt(at))
                            && held[owner][at].conflictsWith(wanted.type())) {
                        return false;
                    }
                }
            }
            return questions.stream().noneMatch(wanted::conflictsWith)
                    && pendingLocks.stream().noneMatch(each -> each.wanted.conflictsWith(wanted));
        }

        void wake(ByteRange range, long now) {
            for (var each : List.copyOf(waits)) {
                if (each.hasTurn || !each.wanted.range().overlaps(range)) {
                    continue;
                }
                if (now - each.asked > 120 * SECOND) {
                    waits.remove(each);
                } else if (pendingLocks.size() >= TURNS_MAX) {
                    return;
                } else if (isFree(each.wanted)) {
                    each.hasTurn = true;
                    each.began = now;
                    pendingLocks.add(each);
                    told.add(each.wanted.owner());
                }
            }
        }

        void await(RangeLock<StateOwner> wanted, long now) {
            var known = waits.stream().filter(each -> each.wanted.equals(wanted)).findFirst();
            var waiting = known.orElseGet(() -> new Wait(wanted));
            waiting.asked = now;
            if (known.isEmpty()) {
                waits.add(waiting);
            }
        }

        void end(Wait waiting, long now) {
            waits.remove(waiting);
            pendingLocks.remove(waiting);
            if (waiting.hasTurn) {
                wake(waiting.wanted.range(), now);
            }
        }

        void expire(long now) {
            while (!pendingLocks.isEmpty()
                    && now - pendingLocks.getFirst().began > LIMITS.turnNanos()) {
                end(pendingLocks.getFirst(), now);
            }
        }

        void grant(RangeLock<StateOwner> lock, long now) {
            set(lock.owner(), lock.range(), lock.type());
            for (var each : List.copyOf(waits)) {
                if (each.wanted.owner().equals(lock.owner())
                        && each.wanted.range().overlaps(lock.range())) {
                    end(each, now);
                }
            }
            if (lock.type() == LockMode.READ) {
                wake(lock.range(), now);
            }
        }

        /** Returns whether anything was there. */
        boolean set(StateOwner owner, ByteRange range, LockMode type) {
            boolean isAny = false;
            for (int at = 0; at < BYTES; at++) {
                if (range.overlaps(byteAt(at))) {
                    isAny |= held[number(owner)][at] != null;
                    held[number(owner)][at] = type;
                }
            }
            return isAny;
        }

        void weaken(RangeLock<StateOwner> lock) {
            for (int at = 0; at < BYTES; at++) {
                if (lock.range().overlaps(byteAt(at)) && held[number(lock.owner())][at] != null) {
                    held[number(lock.owner())][at] = LockMode.READ;
                }
            }
        }
    }

    @Test
    void turnsAreGivenAsIfAllThatWaitWereLookedAt() {
        var seeds = Seeds.many(Integer.getInteger("seeds", 100)).toArray();
        int told = 0;
        for (long seed : seeds) {
            var run = new Run(new PendingLocksTest(), new Random(seed));
            for (int step = 0; step < STEPS; step++) {
                told += run.step("seed=" + seed + " step=" + step);
            }
        }
        assertTrue(told > 10 * seeds.length, "turns were given: " + told);
    }

    /** One server and one model, to which the same happens. */
    private static final class Run {
        private final PendingLocksTest real;
        private final Random random;
        private final Model model = new Model();
        private final List<Long> asked = new ArrayList<>();

        /** One lock in so many is a WRITE lock. With few of them, many have turns at a time. */
        private final int readers;

        Run(PendingLocksTest real, Random random) {
            this.real = real;
            this.random = random;
            this.readers = random.nextBoolean() ? 3 : 50;
        }

        private RangeLock<StateOwner> anyLock() {
            int from = random.nextInt(BYTES);
            int to = Math.min(BYTES - 1, from + random.nextInt(4));
            var type = random.nextInt(readers) == 0 ? LockMode.WRITE : LockMode.READ;
            return real.wanted(random.nextInt(OWNERS), type, new ByteRange(from, to));
        }

        /** Returns how many were told. */
        int step(String where) {
            int choice = random.nextInt(100);
            if (choice < 60) {
                lock(anyLock(), where);
            } else if (choice < 75 && !asked.isEmpty()) {
                answer(asked.remove(random.nextInt(asked.size())));
            } else if (choice < 86) {
                unlock(anyLock());
            } else if (choice < 89 && !asked.isEmpty()) {
                abandon(asked.get(random.nextInt(asked.size())));
            } else if (choice < 92 && !model.waits.isEmpty()) {
                cancel(model.waits.get(random.nextInt(model.waits.size())));
            } else if (choice < 99) {
                pass(random.nextLong(2 * SECOND));
            } else {
                pass(random.nextLong(130 * SECOND));
            }
            int count = model.told.size();
            assertEquals(model.told, real.told(), where);
            model.told.clear();
            var waiting = real.file.waiters.all();
            assertEquals(
                    model.waits.stream().map(each -> each.wanted + " " + each.hasTurn).toList(),
                    waiting.stream().map(each -> each.wanted + " " + each.hasTurn).toList(),
                    where);
            return count;
        }

        private void lock(RangeLock<StateOwner> wanted, String where) {
            var file = real.file;
            var open = real.opens.get((int) wanted.owner().clientId());
            model.expire(real.now);
            boolean isFree =
                    real.pendingLocks.inTheWayOf(file, wanted, real.now) == null
                            && file.questions.inTheWayOf(wanted) == null
                            && file.locks
                                    .conflict(wanted.owner(), wanted.type(), wanted.range())
                                    .isEmpty();
            assertEquals(model.isFree(wanted), isFree, where);
            // A local process may have it, too.
            if (isFree && random.nextInt(3) > 0) {
                asked.add(real.locks.ask(open, wanted, call(wanted)));
                model.questions.add(wanted);
            } else {
                assertTrue(real.pendingLocks.await(open, call(wanted), wanted, real.now));
                model.await(wanted, real.now);
            }
        }

        private void answer(long number) {
            var ask = real.locks.answered(number);
            boolean isLocked = random.nextInt(4) > 0;
            if (ask.isLive) {
                model.questions.remove(ask.wanted);
            }
            if (ask.isLive && isLocked) {
                model.grant(ask.wanted, real.now);
                real.locks.grant(ask, ask.wanted.owner(), real.now);
                return;
            }
            if (isLocked && ask.wanted.type() == LockMode.READ) {
                model.weaken(ask.wanted);
            }
            model.wake(ask.wanted.range(), real.now);
            real.locks.takeBack(ask, isLocked, real.now);
        }

        private void unlock(RangeLock<StateOwner> any) {
            if (model.set(any.owner(), any.range(), null)) {
                model.wake(ByteRange.ALL, real.now);
            }
            var client = real.opens.get((int) any.owner().clientId()).client;
            real.locks.unlock(client, real.file, any.owner(), any.range());
            real.pendingLocks.tellFreed(real.now);
        }

        private void abandon(long number) {
            var ask = real.locks.answered(number);
            if (ask.isLive) {
                model.questions.remove(ask.wanted);
            }
            model.wake(ask.wanted.range(), real.now);
            real.locks.abandon(number, real.now);
        }

        private void cancel(Model.Wait waiting) {
            model.end(waiting, real.now);
            real.pendingLocks.cancel(real.file.waiters.find(waiting.wanted), real.now);
        }

        private void pass(long nanos) {
            real.now += nanos;
            model.expire(real.now);
            real.pendingLocks.expire(real.now);
        }
    }

    /** Each unlock of a range far away would look at all, under the lock of the state. */
    @Test
    void whoWaitsLooksForWhatIsInItsWayOnlyWhenThatHasGone() {
        int ranges = 4000;
        int waiting = LIMITS.waitersOfClient();
        for (int i = 0; i < ranges; i++) {
            lock(0, i % 2 == 0 ? LockMode.WRITE : LockMode.READ, byteAt(2L * i));
        }
        long far = 4L * ranges;
        lock(1, LockMode.WRITE, byteAt(far));
        lock(2, LockMode.WRITE, new ByteRange(far + 2 * waiting, far + 3 * waiting));
        for (int i = 0; i < waiting; i++) {
            var wanted = wanted(0, LockMode.WRITE, new ByteRange(0, far + i));
            assertTrue(pendingLocks.await(openOf(0), call(wanted), wanted, now));
        }
        long before = file.locks.steps();
        unlock(2, byteAt(far + 2 * waiting));
        long first = file.locks.steps() - before;
        assertTrue(first <= 64L * waiting, "steps: " + first);
        before = file.locks.steps();
        for (int i = 1; i < 100; i++) {
            unlock(2, byteAt(far + 2 * waiting + i));
        }
        assertEquals(0, file.locks.steps() - before, "their obstacle is still there");
        assertEquals(List.of(), told());
        unlock(1, byteAt(far));
        assertEquals(Model.TURNS_MAX, told().size(), "as many as have turns at a time");
    }
}
