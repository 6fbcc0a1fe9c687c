package io.github.rpcrdma4j.nfs.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.GrantAnswer;
import io.github.rpcrdma4j.nfs.state.event.HostClaim;
import io.github.rpcrdma4j.nfs.state.event.HostLock;
import io.github.rpcrdma4j.nfs.state.event.HostName;
import io.github.rpcrdma4j.nfs.state.event.LockOutcome;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.state.range.ByteRange;
import io.github.rpcrdma4j.nfs.state.range.LockMode;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.Consumer;

/**
 * A server whose hosts lock by NLM, in virtual time: what calls hosts, a network that delays, loses
 * and repeats, and a kernel that hangs at times. The calls of a host arrive in their order.
 */
final class GrantWorld {
    static final long SECOND = StateServer.SECOND;

    private static final long DELAY_MAX = 2 * SECOND;
    private static final long KERNEL_TIME = 3 * SECOND;
    private static final long PAUSE = 10 * SECOND;
    private static final long CALL_TIME = 5 * SECOND;
    private static final int CALLS_MAX = 5;
    private static final long DURATION = 150 * SECOND;
    private static final long END_TIME = 400 * SECOND;

    /** What happened in all runs. */
    static final class Counts {
        long locks;
        long grants;
        long refusals;
        long silences;
        long cancels;
        long crashes;

        @Override
        public String toString() {
            return "%d locks, %d grants of what hosts waited for, %d refused, %d silent; %d cancelled, %d crashes"
                    .formatted(locks, grants, refusals, silences, cancels, crashes);
        }
    }

    private record Event(long time, long number, Runnable run) {}

    /** A LOCK that waits for the kernel. */
    private record Pending(long number, long end, Consumer<Outcome<LockOutcome>> answer) {}

    final Random random;
    final Counts counts;
    final StateServer server = StateServer.start();
    private final List<GrantHost> hosts = new ArrayList<>();
    private final PriorityQueue<Event> events =
            new PriorityQueue<>(
                    Comparator.comparingLong(Event::time).thenComparingLong(Event::number));
    private final List<Pending> pending = new ArrayList<>();

    /** The replies that wait for each call in progress, by its number. */
    private final Map<Long, List<Runnable>> calls = new HashMap<>();

    private long time;
    private long lastEvent;
    private int offersSeen;

    GrantWorld(long seed, Counts counts) {
        this.random = new Random(seed);
        this.counts = counts;
        hosts.add(new GrantHost(this, "192.0.2.1", "a", true));
        hosts.add(new GrantHost(this, "192.0.2.1", "b", true));
        hosts.add(new GrantHost(this, "192.0.2.2", "a", false));
    }

    boolean isEnding() {
        return time >= DURATION;
    }

    long time() {
        return time;
    }

    void after(long delay, Runnable run) {
        at(time + delay, run);
    }

    void at(long when, Runnable run) {
        events.add(new Event(when, ++lastEvent, run));
    }

    long delay() {
        return random.nextLong(DELAY_MAX);
    }

    boolean oneIn(int number) {
        return random.nextInt(number) == 0;
    }

    void run() {
        hosts.forEach(GrantHost::begin);
        tick();
        hang();
        while (time < END_TIME) {
            var next = events.remove();
            server.now += next.time - time;
            time = next.time;
            next.run.run();
            carryOn();
            check();
        }
        end();
    }

    private void tick() {
        server.run(server.state.tick(server.now));
        after(SECOND, this::tick);
    }

    /** The kernel hangs now and then, sometimes for longer than calls wait. */
    private void hang() {
        after(random.nextLong(10 * SECOND), server.kernel::hang);
        after(10 * SECOND + random.nextLong(6 * SECOND), server.kernel::goOn);
        if (!isEnding()) {
            after(20 * SECOND, this::hang);
        }
    }

    /** The server's threads go on after an event. */
    private void carryOn() {
        for (var each : List.copyOf(pending)) {
            var answer = server.kernel.outcome(each.number);
            if (answer != null) {
                pending.remove(each);
                each.answer.accept(answer);
            } else if (time >= each.end) {
                pending.remove(each);
                assertTrue(server.ok(server.state.kernelLocks().abandon(each.number, server.now)));
                each.answer.accept(new Outcome<>(Nfs4Status.DELAY, null, List.of(), 0, null));
            }
        }
        var offers = server.actions(Action.OfferLock.class);
        for (; offersSeen < offers.size(); offersSeen++) {
            var offer = offers.get(offersSeen);
            // Sometimes there is no thread for it.
            if (!oneIn(6)) {
                after(random.nextLong(SECOND / 10), () -> grant(offer));
            }
        }
    }

    private void completed(Outcome<LockOutcome> outcome, Consumer<Outcome<LockOutcome>> answer) {
        if (outcome.value() instanceof LockOutcome.Asked(var number)) {
            pending.add(new Pending(number, time + KERNEL_TIME, answer));
            after(KERNEL_TIME, () -> {});
        } else {
            answer.accept(outcome);
        }
    }

    private void grant(Action.OfferLock offer) {
        var asked = server.run(server.state.hosts().retry(offer, server.now));
        if (asked.value() instanceof LockOutcome.Asked(var number)) {
            completed(
                    asked,
                    outcome -> {
                        if (outcome.value() instanceof LockOutcome.Held) {
                            counts.grants++;
                            tell((GrantHost.Wait) offer.note(), number, 0);
                        }
                    });
        }
    }

    private void tell(GrantHost.Wait wait, long number, int calls) {
        if (calls == CALLS_MAX || !server.ok(server.state.hosts().tell(number, server.now))) {
            server.ok(server.state.hosts().toldLast(number, server.now));
            return;
        }
        this.calls.put(number, new ArrayList<>());
        switch (random.nextInt(8)) {
            case 0 -> after(CALL_TIME, () -> told(wait, number, GrantAnswer.UNREACHABLE, calls));
            case 1 -> after(CALL_TIME, () -> told(wait, number, GrantAnswer.SILENT, calls));
            case 2 -> {
                after(delay(), () -> wait.of().granted(wait));
                after(CALL_TIME, () -> told(wait, number, GrantAnswer.SILENT, calls));
            }
            default ->
                    after(
                            delay(),
                            () -> {
                                var answer = wait.of().granted(wait);
                                after(delay(), () -> told(wait, number, answer, calls));
                            });
        }
    }

    private void told(GrantHost.Wait wait, long number, GrantAnswer answer, int calls) {
        counts.refusals += answer == GrantAnswer.REFUSED ? 1 : 0;
        counts.silences += answer == GrantAnswer.SILENT ? 1 : 0;
        if (server.ok(server.state.hosts().told(number, answer, server.now))) {
            after(PAUSE, () -> tell(wait, number, calls + 1));
        }
        this.calls.remove(number).forEach(Runnable::run);
    }

    /** Sends a reply when the calls that its event has made void are over. */
    void afterCalls(Outcome<?> outcome, Runnable reply) {
        var waited =
                outcome.actions().stream()
                        .filter(Action.AwaitCall.class::isInstance)
                        .map(each -> calls.get(((Action.AwaitCall) each).number()))
                        .filter(Objects::nonNull)
                        .findFirst();
        if (waited.isEmpty()) {
            reply.run();
        } else {
            waited.get().add(() -> afterCalls(outcome, reply));
        }
    }

    /** A LOCK arrives. */
    void lock(GrantHost.Wait wait, int state, boolean isWaiting, Consumer<Nfs4Status> reply) {
        var name = wait.host();
        var from = new StateServer.TestHost(name.address());
        var use =
                server.ok(
                        server.state.hosts().enter(name, false, server.fresh(), from, server.now));
        var claim = new HostClaim(state, false, isWaiting ? wait : null);
        Outcome<LockOutcome> outcome;
        do {
            outcome = server.run(server.state.hosts().lock(use, wait.lock(), claim, 0, server.now));
        } while (outcome.isPostponed());
        completed(outcome, each -> afterCalls(each, () -> reply.accept(status(each))));
    }

    /** A host that waits for its turn has DENIED, too. */
    private Nfs4Status status(Outcome<LockOutcome> outcome) {
        counts.locks += outcome.isOk() ? 1 : 0;
        return outcome.value() instanceof LockOutcome.Awaited
                ? GrantHost.BLOCKED
                : outcome.status();
    }

    /** No two owners count on what excludes each other, and the server keeps all from others. */
    private void check() {
        var all = hosts.stream().flatMap(each -> each.processes.stream()).toList();
        for (var one : all) {
            for (int i = 0; i < GrantHost.BYTES; i++) {
                var has = one.has[i];
                if (has == null) {
                    continue;
                }
                for (var other : all) {
                    boolean conflicts = other.has[i] != null && has.conflictsWith(other.has[i]);
                    assertTrue(one == other || !conflicts, one + " and " + other + " have " + i);
                }
                assertTrue(!isFree(LockMode.WRITE, i), one + " has lost " + i);
                assertTrue(has == LockMode.READ || !isFree(LockMode.READ, i), one + " shares " + i);
            }
        }
    }

    private boolean isFree(LockMode type, int at) {
        var stranger = new HostName("192.0.2.9", StateServer.name("stranger"));
        var lock =
                new HostLock(
                        StateServer.FILE, StateServer.name("0:x"), type, new ByteRange(at, at));
        var from = new StateServer.TestHost(stranger.address());
        return server.run(server.state.hosts().test(stranger, lock, from, server.now)).isOk();
    }

    /** All have unlocked, or have restarted. */
    private void end() {
        hosts.forEach(GrantHost::requireEnd);
        assertEquals(List.of(), server.state.snapshots().locks(100));
        assertEquals(null, server.kernel.held(ByteRange.ALL));
        for (var each : server.state.snapshots().clients(100, server.now)) {
            assertEquals(0, each.states(), each::toString);
        }
        server.pass(StateServer.LEASE + SECOND);
        server.pass(SECOND);
        assertEquals(List.of(), server.state.snapshots().clients(100, server.now));
        assertEquals(List.of(), server.records());
    }
}
