package io.github.rpcrdma4j.nfs.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.GrantAnswer;
import io.github.rpcrdma4j.nfs.state.event.GrantNote;
import io.github.rpcrdma4j.nfs.state.event.HostClaim;
import io.github.rpcrdma4j.nfs.state.event.HostLock;
import io.github.rpcrdma4j.nfs.state.event.HostName;
import io.github.rpcrdma4j.nfs.state.event.HostRestart;
import io.github.rpcrdma4j.nfs.state.event.LockOutcome;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.state.range.ByteRange;
import io.github.rpcrdma4j.nfs.state.range.LockMode;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import io.github.rpcrdma4j.sim.Seeds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Goal: locks of hosts never conflict with any other lock, none is lost, each that waits gets its
 * turn, and nothing stays behind. Method: hosts that lock, wait, cancel, unlock and restart, at a
 * server that restarts as well. A table by bytes says what each has. {@code -Dseeds=100000} sets
 * the number of runs, and {@code -Dseed=N} repeats one.
 */
class RandomHostsTest {
    private static final int BYTES = 8;
    private static final int STEPS = 120;
    private static final String NOTHING = Arrays.toString(new LockMode[BYTES]);

    /** Who has a lock: a process of a host. */
    private record OwnerOf(HostName host, String process) implements GrantNote {}

    private static final List<OwnerOf> PROCESSES =
            List.of(
                    process(1, "a", "1"),
                    process(1, "a", "2"),
                    process(1, "b", "1"),
                    process(2, "a", "1"));

    private static OwnerOf process(int address, String host, String process) {
        return new OwnerOf(
                new HostName("192.0.2." + address, StateServer.name(host)), process + ":p");
    }

    private static final class World {
        private final Random random;
        private final StateServer server = StateServer.start();

        /** What each owner has of each byte; null if nothing. */
        private final Map<OwnerOf, LockMode[]> table = new HashMap<>();

        private final Map<OwnerOf, HostLock> waiting = new HashMap<>();
        private int offersSeen;
        private long grants;
        private long offers;

        World(long seed) {
            random = new Random(seed);
        }

        private LockMode[] of(OwnerOf owner) {
            return table.computeIfAbsent(owner, _ -> new LockMode[BYTES]);
        }

        private boolean isFree(OwnerOf owner, HostLock lock) {
            return table.entrySet().stream()
                    .filter(each -> !each.getKey().equals(owner))
                    .noneMatch(
                            each -> {
                                for (int i = 0; i < BYTES; i++) {
                                    var has = each.getValue()[i];
                                    if (has != null
                                            && lock.range().overlaps(new ByteRange(i, i))
                                            && has.conflictsWith(lock.type())) {
                                        return true;
                                    }
                                }
                                return false;
                            });
        }

        private void set(OwnerOf owner, ByteRange range, LockMode mode) {
            for (int i = 0; i < BYTES; i++) {
                if (range.overlaps(new ByteRange(i, i))) {
                    of(owner)[i] = mode;
                }
            }
        }

        private HostLock lock(OwnerOf owner) {
            int first = random.nextInt(BYTES);
            int last = first + random.nextInt(BYTES - first);
            var type = random.nextBoolean() ? LockMode.READ : LockMode.WRITE;
            var range = new ByteRange(first, last);
            return new HostLock(StateServer.FILE, StateServer.name(owner.process), type, range);
        }

        private Outcome<LockOutcome> ask(
                OwnerOf owner, HostLock lock, boolean isWaiting, boolean isReclaim) {
            var hosts = server.state.hosts();
            var from = new StateServer.TestHost(owner.host.address());
            var use =
                    server.run(
                            hosts.enter(owner.host, isReclaim, server.fresh(), from, server.now));
            if (!use.isOk()) {
                return server.run(new Outcome<>(use.status(), null, List.of(), 0, null));
            }
            var claim = new HostClaim(1, isReclaim, isWaiting ? owner : null);
            Outcome<LockOutcome> outcome;
            do {
                outcome = server.run(hosts.lock(use.value(), lock, claim, 0, server.now));
            } while (outcome.isPostponed());
            return server.kernel.outcome(outcome);
        }

        private void granted(OwnerOf owner, HostLock lock) {
            assertTrue(isFree(owner, lock), () -> owner + " got " + lock);
            set(owner, lock.range(), lock.type());
            waiting.remove(owner, lock);
            grants++;
        }

        private void lockSomething(OwnerOf owner, boolean isWaiting) {
            var lock = lock(owner);
            var outcome = ask(owner, lock, isWaiting, false);
            switch (outcome.value()) {
                case LockOutcome.Granted _ -> granted(owner, lock);
                case LockOutcome.Awaited _ -> waiting.put(owner, lock);
                case LockOutcome.Denied _ -> assertTrue(!isWaiting, "it could have waited");
                case null -> assertEquals(Nfs4Status.GRACE, outcome.status());
                case LockOutcome.Asked _, LockOutcome.Held _, LockOutcome.Free _ ->
                        throw new AssertionError(outcome);
            }
        }

        private void unlock(OwnerOf owner, ByteRange range) {
            var name = StateServer.name(owner.process);
            server.ok(
                    server.state
                            .hosts()
                            .unlock(owner.host, StateServer.FILE, name, range, server.now));
            set(owner, range, null);
            waiting.computeIfPresent(owner, (_, lock) -> lock.range().equals(range) ? null : lock);
        }

        private void takeOffers(boolean takesAll) {
            var all = server.actions(Action.OfferLock.class);
            for (; offersSeen < all.size(); offersSeen++) {
                if (takesAll || random.nextInt(3) > 0) {
                    take(all.get(offersSeen));
                    all = server.actions(Action.OfferLock.class);
                }
            }
        }

        private void take(Action.OfferLock offer) {
            var owner = (OwnerOf) offer.note();
            var hosts = server.state.hosts();
            var asked = server.run(hosts.retry(offer, server.now)).value();
            offers++;
            if (asked instanceof LockOutcome.Asked(var number)
                    && server.kernel.outcome(number).value() instanceof LockOutcome.Held) {
                server.ok(hosts.told(number, GrantAnswer.TAKEN, server.now));
                var lock =
                        new HostLock(
                                StateServer.FILE,
                                offer.wanted().owner().name(),
                                offer.wanted().type(),
                                offer.wanted().range());
                assertEquals(waiting.get(owner), lock);
                granted(owner, lock);
            }
        }

        private void forget(HostName host) {
            table.keySet().removeIf(each -> host.equals(each.host));
            waiting.keySet().removeIf(each -> host.equals(each.host));
        }

        private void restartServer() {
            server.restart();
            offersSeen = 0;
            waiting.clear();
            for (var owner : PROCESSES) {
                for (int i = 0; i < BYTES; i++) {
                    if (of(owner)[i] != null) {
                        var range = new ByteRange(i, i);
                        var name = StateServer.name(owner.process);
                        var lock = new HostLock(StateServer.FILE, name, of(owner)[i], range);
                        server.ok(ask(owner, lock, false, true));
                    }
                }
            }
            server.pass(StateServer.LEASE + StateServer.SECOND);
        }

        private void step() {
            var owner = PROCESSES.get(random.nextInt(PROCESSES.size()));
            switch (random.nextInt(16)) {
                case 0, 1, 2, 3, 4 -> lockSomething(owner, false);
                case 5, 6, 7 -> {
                    if (!waiting.containsKey(owner)) {
                        lockSomething(owner, true);
                    }
                }
                case 8, 9, 10 -> unlock(owner, lock(owner).range());
                case 11 -> {
                    var lock = waiting.remove(owner);
                    if (lock != null) {
                        server.ok(server.state.hosts().cancel(owner.host, lock, server.now));
                    }
                }
                case 12 -> server.pass(random.nextLong(10 * StateServer.SECOND));
                case 13 -> {
                    var meant = owner.host;
                    server.ok(
                            server.state
                                    .hosts()
                                    .restarted(
                                            new HostRestart(
                                                    meant.address(), meant.name(), Set.of(3)),
                                            server.now));
                    forget(meant);
                }
                case 14 -> {
                    if (random.nextInt(8) == 0) {
                        restartServer();
                    }
                }
                default -> {}
            }
            takeOffers(false);
        }

        /** The server has what the table says. */
        private void compare() {
            var shown = new HashMap<StateOwner, LockMode[]>();
            for (var each : server.state.snapshots().locks(1000)) {
                var bytes = shown.computeIfAbsent(each.lock().owner(), _ -> new LockMode[BYTES]);
                for (int i = 0; i < BYTES; i++) {
                    if (each.lock().range().overlaps(new ByteRange(i, i))) {
                        bytes[i] = each.lock().type();
                    }
                }
            }
            assertEquals(sorted(table.values()), sorted(shown.values()));
        }

        private static List<String> sorted(Iterable<LockMode[]> rows) {
            var texts = new ArrayList<String>();
            for (var row : rows) {
                var text = Arrays.toString(row);
                if (!text.equals(NOTHING)) {
                    texts.add(text);
                }
            }
            texts.sort(null);
            return texts;
        }

        void run() {
            for (int i = 0; i < STEPS; i++) {
                step();
                compare();
            }
            // Those that have locks give them up in turn, until all that wait have had theirs.
            for (int i = 0; i < 2 * PROCESSES.size(); i++) {
                PROCESSES.forEach(each -> unlock(each, ByteRange.ALL));
                server.pass(4 * StateServer.SECOND);
                takeOffers(true);
            }
            assertEquals(Map.of(), waiting, "they wait for ever");
            PROCESSES.forEach(each -> unlock(each, ByteRange.ALL));
            compare();
            for (var each : server.state.snapshots().clients(100, server.now)) {
                assertEquals(0, each.states(), each::toString);
            }
            server.pass(StateServer.LEASE + StateServer.SECOND);
            server.pass(StateServer.SECOND);
            assertEquals(List.of(), server.state.snapshots().clients(100, server.now));
            assertEquals(List.of(), server.records());
        }
    }

    @Test
    void haveTheirLocksAndNoOthers() {
        long[] total = new long[2];
        Seeds.many(Integer.getInteger("seeds", 500))
                .forEach(
                        seed -> {
                            var world = new World(seed);
                            try {
                                world.run();
                            } catch (AssertionError | RuntimeException e) {
                                throw new AssertionError("seed=" + seed, e);
                            }
                            total[0] += world.grants;
                            total[1] += world.offers;
                        });
        System.out.println(total[0] + " grants, " + total[1] + " offers");
        assertTrue(total[0] > 1000 && total[1] > 100, "hardly anything happened");
    }
}
