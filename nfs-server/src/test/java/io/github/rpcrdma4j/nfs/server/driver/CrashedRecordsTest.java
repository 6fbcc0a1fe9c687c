package io.github.rpcrdma4j.nfs.server.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.server.stable.StableDirectory.Step;
import io.github.rpcrdma4j.nfs.state.event.ClientRecord;
import io.github.rpcrdma4j.nfs.state.event.Principal;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Goal: clients reclaim after crashes. Method: a crash before every step of a change. */
class CrashedRecordsTest extends RecordDirectory {
    /** Crashes before one step, counted from 1; counts all. */
    private static final class CrashingSteps implements Consumer<Step> {
        private final int crashed;
        private int seen;

        CrashingSteps(int crashed) {
            this.crashed = crashed;
        }

        @Override
        public void accept(Step step) {
            if (++seen == crashed) {
                throw new Crash();
            }
        }
    }

    /**
     * Crashes before every step of a change in turn, and checks who may reclaim afterwards.
     *
     * @param before written by an earlier start
     * @param minimum may reclaim in any case
     * @param maximum may reclaim at most, and exactly these after the whole change
     */
    private void crashes(
            List<ClientRecord> before,
            Change change,
            Set<ClientRecord> minimum,
            Set<ClientRecord> maximum,
            Set<ClientRecord> end)
            throws Exception {
        int step = 0;
        boolean isWhole = false;
        while (!isWhole) {
            step++;
            try (var records = open()) {
                records.forgetEarlier();
            }
            startWith(before.toArray(ClientRecord[]::new));
            int epoch;
            try (var records = open()) {
                epoch = records.bootEpoch();
            }
            var steps = new CrashingSteps(step);
            try (var records = StoredRecords.open(directory(), STOPPED, 10, steps)) {
                change.carryOut(records);
                isWhole = true;
            } catch (Crash _) {
                assertEquals(step, steps.seen);
            }
            try (var records = open()) {
                var left = new HashSet<>(records.earlier());
                assertEquals(left.size(), records.earlier().size());
                assertTrue(left.containsAll(minimum), "step " + step + ": " + left);
                assertTrue(maximum.containsAll(left), "step " + step + ": " + left);
                assertEquals(0, records.skipped());
                assertTrue(records.bootEpoch() > epoch);
                assertTrue(names().stream().noneMatch(each -> each.endsWith(".new")));
                if (isWhole) {
                    assertEquals(end, left);
                }
            }
        }
        assertTrue(step > 8, "every change has steps: " + step);
    }

    @Test
    void aCrashBeforeAnyStepLeavesTheOldOrTheNewRecord() throws Exception {
        crashes(
                List.of(B),
                records -> records.persist(List.of(A)),
                Set.of(B),
                Set.of(A, B),
                Set.of(A, B));
        var other = new ClientRecord(A.owner(), new Principal("sys:1"), "", 0);
        crashes(
                List.of(A, B),
                records -> records.persist(List.of(other)),
                Set.of(B),
                Set.of(A, B, other),
                Set.of(B, other));
    }

    @Test
    void aCrashBeforeAnyStepOfARemovalTakesNoOtherRecord() throws Exception {
        crashes(
                List.of(A, B),
                records -> records.forget(List.of(A.name())),
                Set.of(B),
                Set.of(A, B),
                Set.of(B));
        crashes(
                List.of(A, B),
                records -> {
                    records.persist(List.of(C));
                    records.forgetEarlier();
                },
                Set.of(),
                Set.of(A, B, C),
                Set.of(C));
    }

    @Test
    void aCrashBeforeAnyStepOfChangesOfManyLeavesWholeRecords() throws Exception {
        var other = new ClientRecord(A.owner(), new Principal("sys:1"), "", 0);
        crashes(
                List.of(A, B),
                records -> records.persist(List.of(other, C)),
                Set.of(B),
                Set.of(A, B, C, other),
                Set.of(B, C, other));
        crashes(
                List.of(A, B, C),
                records -> records.forget(List.of(A.name(), B.name())),
                Set.of(C),
                Set.of(A, B, C),
                Set.of(C));
    }
}
