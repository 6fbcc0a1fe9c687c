package io.github.rpcrdma4j.nfs.state;

import static org.junit.jupiter.api.Assertions.assertFalse;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.FileKey;
import io.github.rpcrdma4j.nfs.state.event.KernelAnswer;
import io.github.rpcrdma4j.nfs.state.event.LockOutcome;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.state.range.ByteRange;
import io.github.rpcrdma4j.nfs.state.range.LockMode;
import io.github.rpcrdma4j.nfs.state.range.RangeLock;
import io.github.rpcrdma4j.nfs.state.range.RangeLocks;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The kernel below a {@link StateServer}: it answers at once, unless it hangs. */
final class TestKernel {
    static final StateOwner LOCAL = new StateOwner(0, StateServer.name("local"));
    private static final StateOwner SERVER = new StateOwner(0, StateServer.name("server"));

    private final StateServer server;
    private final Map<FileKey, RangeLocks<StateOwner>> files = new HashMap<>();
    private final ArrayDeque<Action.KernelLock> waiting = new ArrayDeque<>();
    private final Map<Long, Outcome<LockOutcome>> answers = new HashMap<>();
    private final List<String> calls = new ArrayList<>();
    private boolean isHanging;
    private boolean isWorking;
    private Runnable between = () -> {};
    private int reductions;

    TestKernel(StateServer server) {
        this.server = server;
    }

    void restart() {
        files.clear();
        waiting.clear();
        answers.clear();
        isHanging = false;
        isWorking = false;
    }

    /** Carries out nothing until {@link #goOn}. */
    void hang() {
        isHanging = true;
    }

    void goOn() {
        isHanging = false;
        work();
    }

    /** Locks as a local process does. */
    void lockLocally(LockMode type, ByteRange range) {
        locks(StateServer.FILE).lock(LOCAL, type, range, 0);
    }

    /** Unlocks as a local process does. The server does not learn of it. */
    void unlockLocally(ByteRange range) {
        locks(StateServer.FILE).unlock(LOCAL, range);
    }

    /** Returns what the server has done so far. */
    List<String> calls() {
        return calls;
    }

    /**
     * Returns what a LOCK is owed: the answer to the question that it is about, if there is one.
     */
    Outcome<LockOutcome> outcome(Outcome<LockOutcome> outcome) {
        return outcome.value() instanceof LockOutcome.Asked(var number)
                ? answers.getOrDefault(number, outcome)
                : outcome;
    }

    /** Returns the answer to a question. */
    Outcome<LockOutcome> outcome(long number) {
        return answers.get(number);
    }

    /** Returns how the server holds a range of the file of tests; null if it does not. */
    LockMode held(ByteRange range) {
        return locks(StateServer.FILE).of(SERVER).stream()
                .filter(each -> each.range().overlaps(range))
                .map(RangeLock::type)
                .findAny()
                .orElse(null);
    }

    /** Returns how many events have gone on with what one could not say. */
    int reductions() {
        return reductions;
    }

    /** Returns how many changes wait for the kernel. */
    int waiting() {
        return waiting.size();
    }

    /** Sets what happens after the kernel has locked and before the server learns of it. */
    void beforeAnswers(Runnable event) {
        between = event;
    }

    /** Adds the changes of one event. Those of events that its answers lead to come after them. */
    void addAll(List<Action> actions) {
        for (var each : actions) {
            if (each instanceof Action.KernelLock change) {
                waiting.add(change);
            }
        }
        work();
    }

    private void work() {
        if (isWorking) {
            return;
        }
        isWorking = true;
        try {
            while (!isHanging && !waiting.isEmpty()) {
                carryOut(waiting.remove());
            }
        } finally {
            isWorking = false;
        }
    }

    private RangeLocks<StateOwner> locks(FileKey file) {
        return files.computeIfAbsent(file, _ -> new RangeLocks<>());
    }

    private void carryOut(Action.KernelLock change) {
        var locks = locks(change.file());
        switch (change) {
            case Action.AskLock(var number, _, var type, var range) -> {
                var conflict = locks.conflict(SERVER, type, range);
                if (conflict.isEmpty()) {
                    locks.lock(SERVER, type, range, 0);
                    note(type.name(), range);
                }
                KernelAnswer answer =
                        conflict.isPresent()
                                ? new KernelAnswer.Conflict(conflict.get())
                                : new KernelAnswer.Locked();
                between.run();
                answers.put(
                        number,
                        server.run(server.state.kernelLocks().answer(number, answer, server.now)));
            }
            case Action.ReduceLock(_, var left) -> {
                if (left.type().isPresent()) {
                    locks.lock(SERVER, left.type().get(), left.range(), 0);
                    note(left.type().get().name(), left.range());
                } else {
                    locks.unlock(SERVER, left.range());
                    note("UNLOCK", left.range());
                }
            }
            case Action.ContinueReduction(var file) -> {
                reductions++;
                server.run(server.state.kernelLocks().reduce(file, server.now));
            }
            case Action.CloseLocks _ -> {
                assertFalse(locks.isOwner(SERVER), "something is still locked");
                calls.add("CLOSE");
            }
        }
    }

    private void note(String what, ByteRange range) {
        calls.add(what + " " + range.first() + " " + range.length());
    }
}
