package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.state.Callback;
import io.github.rpcrdma4j.nfs.state.CallbackSlot;
import io.github.rpcrdma4j.nfs.state.ServerState;
import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.ClientName;
import io.github.rpcrdma4j.nfs.state.event.ClientRecord;
import io.github.rpcrdma4j.nfs.state.event.KernelAnswer;
import io.github.rpcrdma4j.nfs.state.event.LockOutcome;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.state.event.Urgency;
import io.github.rpcrdma4j.nfs.state.limit.StateSettings;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackCompound;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackResult;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.type.FileHandle;
import io.github.rpcrdma4j.nfs.v4.type.SessionId;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.oncrpc.KeyedHash;
import io.github.rpcrdma4j.sim.SimWorld;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A server in a simulated world: the state of the product, files in memory, and stable storage. It
 * runs on the thread that steps the world.
 */
final class SimServer {
    static final long SECOND = 1_000_000_000L;

    private static final KeyedHash KEY = new KeyedHash(1, 2);

    final SimWorld world;
    final SimFaults faults;
    final Consumer<String> trace;
    final SimFiles files = new SimFiles();

    /** Connections that the server takes for alive. */
    final Map<Long, SimConnection> connections = new TreeMap<>();

    /** What is on storage, and in which boot it was written. */
    private final Map<ClientName, Stored> storage = new LinkedHashMap<>();

    private record Stored(ClientRecord record, int boot) {}

    /** Slots in which COMPOUNDs are in progress. */
    final Set<UsedSlot> working = new HashSet<>();

    /** Slots that the server has taken from its clients. */
    final Set<UsedSlot> retired = new HashSet<>();

    /** A slot of a session. */
    record UsedSlot(SessionId session, int number) {}

    /** How often each operation was received. */
    final Map<Opcode, Integer> received = new EnumMap<>(Opcode.class);

    /** The stateids of locks, without their numbers. */
    final Set<StateId> ofLocks = new HashSet<>();

    /** A file that clients read and write only under a lock; 0 if there is none. */
    long underLocks;

    private final ArrayDeque<Action.KernelLock> asked = new ArrayDeque<>();
    private final Map<Long, Outcome<LockOutcome>> answers = new HashMap<>();

    /** How often each client ID has completed its claims. */
    final Map<Long, Integer> completed = new TreeMap<>();

    /** How many claims of open files the server took. */
    int claims;

    /** How often the server told its clients that a lock is free. */
    int notices;

    ServerState state;

    /** Changes when something is lost that is not on storage. */
    long verifier;

    int boot;
    int scope;
    boolean isDown;
    long lastConnection;

    /**
     * @param trace gets a line for each call
     */
    SimServer(SimWorld world, SimFaults faults, Consumer<String> trace) {
        this.trace = trace;
        this.world = world;
        this.faults = faults;
        start();
        tick();
    }

    private void start() {
        boot++;
        asked.clear();
        answers.clear();
        completed.clear();
        working.clear();
        verifier++;
        state =
                new ServerState(
                        new StateSettings(
                                boot,
                                KEY,
                                faults.leaseSeconds * SECOND,
                                Math.max(1, faults.graceSeconds * SECOND),
                                SECOND,
                                faults.limits),
                        storage.values().stream().map(Stored::record).toList(),
                        now());
    }

    private void tick() {
        if (!isDown) {
            run(state.tick(now()));
        }
        world.after(SECOND, this::tick);
    }

    long now() {
        return world.nanoTime();
    }

    /**
     * Ends, and starts anew after a time.
     *
     * @param hasRecords whether stable storage survives
     */
    void restart(long downNanos, boolean hasRecords, boolean hasOtherScope) {
        if (isDown) {
            return;
        }
        isDown = true;
        List.copyOf(connections.values()).forEach(each -> each.cut("the server went down"));
        connections.clear();
        files.restart();
        if (!hasRecords) {
            storage.clear();
        }
        scope += hasOtherScope ? 1 : 0;
        // Nothing of what the last boot has begun goes on.
        boot++;
        world.after(
                downNanos,
                () -> {
                    isDown = false;
                    start();
                });
    }

    /** Loses what is not on storage, without a restart. */
    void loseUnstable() {
        files.restart();
        verifier++;
    }

    /** Asks all clients to use no slot behind one, by callbacks and in replies. */
    void recall(int highest) {
        faults.highest = highest;
        if (isDown) {
            return;
        }
        for (var each : state.snapshots().sessions(9)) {
            call(
                    state.callbacks().take(each.id(), Urgency.OTHER),
                    new CallbackArguments.RecallSlot(highest));
        }
    }

    /** Lets something happen after a time, unless the server has restarted by then. */
    void after(long nanos, Runnable what) {
        int now = boot;
        world.after(
                nanos,
                () -> {
                    if (boot == now && !isDown) {
                        what.run();
                    }
                });
    }

    long fresh() {
        return world.random().nextLong();
    }

    void connected(SimConnection connection) {
        connections.put(connection.identity.number(), connection);
    }

    /** Hears that a connection has ended. */
    void ended(SimConnection connection) {
        if (connections.remove(connection.identity.number()) != null && !isDown) {
            run(state.connectionEnded(connection.identity, now()));
        }
    }

    /** Lets an event happen, once more if it waited for storage, and returns its results. */
    <T> T ok(Supplier<Outcome<T>> event) throws SimCompound.Failure {
        var outcome = outcome(event);
        if (!outcome.isOk()) {
            throw new SimCompound.Failure(outcome.status());
        }
        return outcome.value();
    }

    /** Lets an event happen likewise. */
    <T> Outcome<T> outcome(Supplier<Outcome<T>> event) {
        var outcome = run(event.get());
        return outcome.isPostponed() ? run(event.get()) : outcome;
    }

    /** Carries the actions of an outcome out, and returns it. */
    <T> Outcome<T> run(Outcome<T> outcome) {
        for (var action : outcome.actions()) {
            switch (action) {
                case Action.Storage change -> store(change);
                case Action.KernelLock change -> asked.add(change);
                case Action.NotifyLock notice -> notify(notice);
                case Action.RecallSlots recall ->
                        call(
                                state.callbacks().take(recall.session(), Urgency.OTHER),
                                new CallbackArguments.RecallSlot(recall.highestSlot()));
                default -> {}
            }
        }
        while (!asked.isEmpty()) {
            answer(asked.remove());
        }
        return outcome;
    }

    private void store(Action.Storage change) {
        switch (change) {
            case Action.Persist persist -> {
                storage.put(persist.client().name(), new Stored(persist.client(), boot));
                state.recordChanged(persist.number());
            }
            case Action.Forget forget -> {
                storage.remove(forget.client());
                if (forget.revoked() != null) {
                    storage.put(forget.client(), new Stored(forget.revoked(), boot));
                }
                state.recordChanged(forget.number());
            }
            case Action.ForgetEarlier _ -> storage.values().removeIf(each -> each.boot() != boot);
        }
    }

    /** No local process has locks. */
    private void answer(Action.KernelLock change) {
        switch (change) {
            case Action.AskLock(var number, _, _, _) ->
                    answers.put(
                            number,
                            run(
                                    state.kernelLocks()
                                            .answer(number, new KernelAnswer.Locked(), now())));
            case Action.ContinueReduction(var file) -> run(state.kernelLocks().reduce(file, now()));
            case Action.ReduceLock _, Action.CloseLocks _ -> {}
        }
    }

    /** Returns what a LOCK is owed. */
    Outcome<LockOutcome> answered(Outcome<LockOutcome> outcome) {
        return outcome.value() instanceof LockOutcome.Asked(var number)
                ? answers.remove(number)
                : outcome;
    }

    private void notify(Action.NotifyLock notice) {
        notices++;
        var handle = SimFiles.handle(((SimFiles.Key) notice.file()).id());
        // The actions of an event come after it.
        after(
                0,
                () ->
                        call(
                                state.callbacks().take(notice.clientId(), Urgency.OTHER, now()),
                                notifyLock(handle, notice)));
    }

    private static CallbackArguments notifyLock(FileHandle handle, Action.NotifyLock notice) {
        return new CallbackArguments.NotifyLock(handle, notice.owner());
    }

    private void call(CallbackSlot slot, CallbackArguments what) {
        if (!(slot instanceof CallbackSlot.Taken(var callback))) {
            return;
        }
        var sequence =
                new CallbackArguments.Sequence(
                        callback.sessionId(),
                        callback.sequence(),
                        callback.slot(),
                        callback.highestSlot(),
                        false,
                        List.of());
        var compound =
                new CallbackCompound(
                        Compounds.NO_TAG, faults.minorVersion, 0, List.of(sequence, what));
        var connection = connections.get(callback.connection().number());
        if (connection == null) {
            state.callbacks().end(callback, new Callback.Lost());
            return;
        }
        Function<CallbackCompound.Outcome, Callback.End> end =
                outcome -> outcome == null ? new Callback.Lost() : end(outcome);
        int now = boot;
        connection.callBack(
                compound,
                outcome -> {
                    if (boot == now) {
                        state.callbacks().end(callback, end.apply(outcome));
                    }
                });
    }

    private static Callback.End end(CallbackCompound.Outcome outcome) {
        var first = outcome.results().getFirst();
        if (first instanceof CallbackResult.Sequence sequence) {
            return new Callback.Answered(sequence.targetHighestSlot());
        }
        return first.status() == Nfs4Status.DELAY
                ? new Callback.Postponed()
                : new Callback.Refused();
    }
}
