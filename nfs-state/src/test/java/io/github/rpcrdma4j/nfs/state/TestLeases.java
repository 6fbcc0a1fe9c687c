package io.github.rpcrdma4j.nfs.state;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.DelegationOutcome;
import io.github.rpcrdma4j.nfs.state.event.FileKey;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * What a {@link StateServer} holds of delegated files: granted at once, unless the kernel hangs.
 */
final class TestLeases {
    private final StateServer server;
    private final Set<FileKey> held = new HashSet<>();
    private final Set<FileKey> usedLocally = new HashSet<>();
    private final ArrayDeque<Action.KernelLease> waiting = new ArrayDeque<>();
    private final Map<Long, DelegationOutcome> answers = new HashMap<>();
    private boolean isHanging;

    TestLeases(StateServer server) {
        this.server = server;
    }

    void restart() {
        held.clear();
        waiting.clear();
        answers.clear();
        isHanging = false;
    }

    void hang() {
        isHanging = true;
    }

    void goOn() {
        isHanging = false;
        work();
    }

    /** A local process has the file open. */
    void useLocally(FileKey file) {
        usedLocally.add(file);
    }

    boolean holds(FileKey file) {
        return held.contains(file);
    }

    DelegationOutcome outcome(DelegationOutcome outcome) {
        return outcome instanceof DelegationOutcome.Asked(var number)
                ? answers.getOrDefault(number, outcome)
                : outcome;
    }

    void add(Action action) {
        if (action instanceof Action.KernelLease change) {
            waiting.add(change);
        }
        work();
    }

    private void work() {
        while (!isHanging && !waiting.isEmpty()) {
            switch (waiting.remove()) {
                case Action.AskKernelLease(var number, var file, _) -> {
                    boolean isGranted = !usedLocally.contains(file);
                    if (isGranted) {
                        held.add(file);
                    }
                    var outcome =
                            server.state
                                    .delegations()
                                    .answerKernelLease(number, isGranted, server.now);
                    answers.put(number, server.ok(outcome));
                }
                case Action.EndKernelLease(var file) ->
                        assertTrue(held.remove(file) || usedLocally.contains(file));
            }
        }
    }
}
