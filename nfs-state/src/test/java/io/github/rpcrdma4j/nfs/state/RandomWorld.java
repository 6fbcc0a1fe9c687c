package io.github.rpcrdma4j.nfs.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.ClientName;
import io.github.rpcrdma4j.nfs.state.event.ClientRecord;
import io.github.rpcrdma4j.nfs.state.event.FileKey;
import io.github.rpcrdma4j.nfs.state.event.KernelAnswer;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.state.limit.LockLimits;
import io.github.rpcrdma4j.nfs.state.limit.StateLimits;
import io.github.rpcrdma4j.nfs.state.limit.StateSettings;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** A server, its storage, the kernel below it, and clients, all driven by one seed. */
final class RandomWorld {
    static final long SECOND = 1_000_000_000L;
    static final long LEASE = 90 * SECOND;
    static final int FILES = 3;

    private static final long LOCAL = 45 * SECOND;

    /** One event has the kernel give up two parts of a file, so that there are several. */
    private static final StateLimits LIMITS =
            StateLimits.DEFAULTS.withLocks(LockLimits.DEFAULTS.withPartsOfEvent(2));

    private static final int STEPS = 150;
    private static final int CLIENTS = 4;

    /** A file of the world. */
    record WorldFile(int number) implements FileKey {
        @Override
        public Object store() {
            return number;
        }
    }

    /** What happened in all runs: a test in which nothing happens proves nothing. */
    static final class Counts {
        long calls;
        long grants;
        long denials;
        long replays;
        long restarts;
        long clientRestarts;
        long reclaims;
        long lost;
        long failures;
        long conflicts;
        long delays;
        long givenUp;
        long takenBack;

        @Override
        public String toString() {
            return calls
                    + " calls, "
                    + grants
                    + " grants, "
                    + denials
                    + " denials, "
                    + replays
                    + " replays, "
                    + reclaims
                    + " reclaims, "
                    + lost
                    + " lost by expiry, "
                    + failures
                    + " failures of storage, "
                    + conflicts
                    + " conflicts with local processes, "
                    + delays
                    + " delays, "
                    + givenUp
                    + " given up, "
                    + takenBack
                    + " granted in vain, "
                    + restarts
                    + " restarts of servers, "
                    + clientRestarts
                    + " of clients";
        }
    }

    final Random random;
    final Counts counts;
    ServerState state;
    long now;
    long restarted;
    private long lastFresh;
    private int boot;
    private long stored;
    private final ArrayDeque<Action.Storage> queue = new ArrayDeque<>();
    private final Map<ClientName, ClientRecord> current = new LinkedHashMap<>();
    private final Map<ClientName, ClientRecord> earlier = new LinkedHashMap<>();
    private final List<RandomClient> clients = new ArrayList<>();
    private final RandomKernel kernel = new RandomKernel(this);
    private final Set<FileKey> closed = new HashSet<>();

    RandomWorld(long seed, Counts counts) {
        this.random = new Random(seed);
        this.counts = counts;
        this.now = random.nextLong();
        start();
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(new RandomClient(this, i));
        }
    }

    private void start() {
        boot++;
        stored = 0;
        queue.clear();
        kernel.restart();
        restarted = now;
        earlier.putAll(current);
        current.clear();
        state =
                new ServerState(
                        new StateSettings(boot, StateServer.KEY, LEASE, LEASE, LOCAL, LIMITS),
                        earlier.values(),
                        now);
    }

    void run() {
        for (int step = 0; step < STEPS; step++) {
            step();
            kernel.compare(state.snapshots().locks(1000));
        }
        end();
    }

    private void step() {
        int choice = random.nextInt(140);
        if (choice < 12) {
            now += random.nextLong(LEASE / 4);
        } else if (choice < 14) {
            now += LEASE + random.nextLong(LEASE);
        } else if (choice < 34) {
            store(1 + random.nextInt(3));
        } else if (choice < 36) {
            counts.restarts++;
            boolean mayBeOver = now - restarted > LEASE;
            start();
            clients.forEach(each -> each.serverRestarted(mayBeOver));
        } else if (choice < 38) {
            counts.clientRestarts++;
            anyClient().restart();
        } else if (choice < 39) {
            take(state.tick(now));
        } else if (choice < 40) {
            anyClient().revoke();
        } else if (choice < 100) {
            anyClient().step();
        } else if (choice < 125) {
            kernel.step();
        } else if (choice < 134) {
            kernel.stepOfLocalProcess(state.isGrace());
        } else {
            anyClient().session().giveUp();
            clients.forEach(RandomClient::receive);
        }
    }

    /** The kernel has answered; the client that waits for it gets its reply. */
    void answer(long asked, KernelAnswer answer) {
        var outcome = take(state.kernelLocks().answer(asked, answer, now));
        if (answer instanceof KernelAnswer.Locked && !outcome.isOk()) {
            counts.takenBack++;
        }
        clients.forEach(each -> each.session().answer(asked, outcome));
        clients.forEach(RandomClient::receive);
    }

    /** The kernel has carried out what one event had it give up. */
    void continueReduction(FileKey file) {
        take(state.kernelLocks().reduce(file, now));
    }

    private RandomClient anyClient() {
        return clients.get(random.nextInt(CLIENTS));
    }

    long fresh() {
        return ++lastFresh * 0x9e3779b97f4a7c15L;
    }

    /** Takes over the actions of an outcome. */
    <T> Outcome<T> take(Outcome<T> outcome) {
        for (var action : outcome.actions()) {
            switch (action) {
                case Action.Storage change -> queue.add(change);
                case Action.KernelLock change -> kernel.add(change);
                case Action.CloseFile close -> closed.add(close.file());
                case Action.Notice _,
                        Action.NotifyLock _,
                        Action.OfferLock _,
                        Action.AwaitCall _,
                        Action.RecallSlots _ -> {}
                case Action.KernelLease _, Action.Recall _, Action.RecallAny _ ->
                        throw new AssertionError("no client wants a delegation");
                case Action.TellCopy _ -> throw new AssertionError("no client copies");
            }
        }
        return outcome;
    }

    /** Brings some changes to storage, and delivers the replies that waited for them. */
    private void store(int changes) {
        for (int i = 0; i < changes && !queue.isEmpty(); i++) {
            var change = queue.remove();
            assertEquals(++stored, change.number(), "the order of changes");
            switch (change) {
                case Action.Persist persist -> write(persist);
                case Action.Forget forget -> {
                    current.remove(forget.client());
                    earlier.remove(forget.client());
                    if (forget.revoked() != null) {
                        current.put(forget.client(), forget.revoked());
                    }
                    state.recordChanged(forget.number());
                }
                case Action.ForgetEarlier _ -> earlier.clear();
            }
        }
        clients.forEach(RandomClient::receive);
    }

    private void write(Action.Persist change) {
        boolean fails = random.nextInt(8) == 0;
        if (!fails || random.nextInt(4) == 0) {
            current.put(change.client().name(), change.client());
        }
        if (fails) {
            counts.failures++;
            state.recordFailed(change.number(), true);
        } else {
            state.recordChanged(change.number());
        }
    }

    boolean isStored(long number) {
        return number <= stored;
    }

    /** Fails if two clients believe in what conflicts. */
    void compareBeliefs() {
        for (int one = 0; one < CLIENTS; one++) {
            for (int two = one + 1; two < CLIENTS; two++) {
                assertNull(clients.get(one).conflictWith(clients.get(two)));
            }
        }
    }

    /** All clients fall silent: their leases end, and nothing is left. */
    private void end() {
        clients.forEach(each -> each.session().abandon());
        kernel.finish();
        closed.clear();
        var opened = new HashSet<FileKey>();
        state.snapshots().opens(1000).forEach(each -> opened.add(each.file()));
        now += 2 * LEASE + StateLimits.DEFAULTS.courtesyNanos();
        // Once to expire, once to end the courtesy; grace may be extended meanwhile.
        for (int i = 0; i < 4; i++) {
            take(state.tick(now));
            now += LEASE;
        }
        assertEquals(List.of(), state.snapshots().clients(9, now));
        assertEquals(List.of(), state.snapshots().sessions(9));
        assertEquals(List.of(), state.snapshots().opens(9));
        assertEquals(List.of(), state.snapshots().locks(9));
        assertEquals(opened, closed);
        store(queue.size());
        assertTrue(current.isEmpty() && earlier.isEmpty(), "no record is left");
        assertTrue(!state.isGrace());
        kernel.finish();
        kernel.compare(List.of());
    }
}
