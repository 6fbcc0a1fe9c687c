package io.github.rpcrdma4j.cli.hostile.v4;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.cli.hostile.HostileTrials;
import io.github.rpcrdma4j.cli.hostile.Trial;
import io.github.rpcrdma4j.cli.hostile.TrialCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a command survives a hostile server of version 4. It ends soon, with one line, changes
 * nothing outside its target, and what it calls done is done. Method: each server tells one lie;
 * commands run in this process, by turns over RDMA and over TCP. {@code dev/evil --version 4} tries
 * all lies over both, with a small heap; {@code -Devil.lies=REGEX} tries others here.
 */
class LyingServerTest {
    private static final int BESIDE = 6;

    /** One of each kind, and those that have found faults. */
    private static final Set<String> QUICK =
            Set.of(
                    "truth",
                    "exchange-delay",
                    "exchange-delay-twice",
                    "exchange-confirmed",
                    "create-stale-once",
                    "create-other-session",
                    "lease-0",
                    "slots-0",
                    "slots-1",
                    "limits-2-32-1",
                    "operations-1",
                    "sequence-badslot",
                    "sequence-badslot-later",
                    "sequence-badsession-once",
                    "sequence-delay-later",
                    "sequence-conn-not-bound-to-session-once",
                    "other-slot",
                    "target-0",
                    "nothing-later",
                    "fewer",
                    "turned",
                    "flags-all",
                    "open-bad-seqid",
                    "close-unknown",
                    "write-bad-stateid",
                    "read-stale",
                    "readdir-not-same",
                    "getattr-garbage",
                    "delegation-write",
                    "open-same",
                    "open-another",
                    "lock-denied",
                    "read-more",
                    "read-fewer",
                    "read-nothing",
                    "read-end-early",
                    "write-0",
                    "write-1-more",
                    "write-verifiers",
                    "commit-verifiers",
                    "copy-0",
                    "copy-more",
                    "copy-verifiers",
                    "seek-stays",
                    "seek-back",
                    "cookies-stay",
                    "name-up",
                    "name-empty",
                    "name-nul",
                    "link-64-kib",
                    "link-up",
                    "attributes-none",
                    "handle-of-1000",
                    "times-latest",
                    "size-2-64-1",
                    "moved-here",
                    "moved-controls",
                    "xattrs-without-end",
                    "xattrs-names",
                    "recalls-slot-0",
                    "notifies",
                    "calls-out-of-order",
                    "v40-open-bad-seqid",
                    "v40-confirm-for-ever");

    @TempDir private Path work;

    @Test
    @Timeout(3000)
    void commandsSurviveEveryLyingServer() throws Exception {
        var source = work.resolve("source");
        Trial.fill(source);
        var trials = new ArrayList<Callable<CompoundTrial.Outcome>>();
        for (var lie : CompoundLies.all()) {
            if (isTried(lie)) {
                for (var command : commands(lie)) {
                    trials.add(trial(lie, command, trials.size(), source));
                }
            }
        }
        var faults = new ArrayList<String>();
        try (var threads = Executors.newFixedThreadPool(BESIDE)) {
            for (var each : threads.invokeAll(trials)) {
                var outcome = each.get();
                if (!outcome.faults().isEmpty()) {
                    faults.add(outcome.name() + outcome.faults());
                }
            }
        }
        assertEquals(List.of(), faults);
    }

    private static boolean isTried(CompoundLie lie) {
        var wanted = System.getProperty("evil.lies");
        return wanted == null ? QUICK.contains(lie.word()) : lie.word().matches(wanted);
    }

    private static List<TrialCommand> commands(CompoundLie lie) {
        boolean isAll = System.getProperty("evil.lies") != null || lie.word().equals("truth");
        return lie.first().stream()
                .filter(each -> each != TrialCommand.LOCK_LONG)
                .limit(isAll ? Integer.MAX_VALUE : 1)
                .toList();
    }

    private Callable<CompoundTrial.Outcome> trial(
            CompoundLie lie, TrialCommand command, int number, Path source) {
        return () -> {
            var directory = Files.createDirectory(work.resolve("trial" + number));
            try {
                var outcome =
                        new CompoundTrial(lie, command, number % 2 == 1, directory, source).run();
                if (System.getProperty("evil.lies") != null) {
                    System.out.println(outcome);
                }
                return outcome;
            } finally {
                HostileTrials.delete(directory);
            }
        };
    }

    @Test
    void theQuickLiesExist() {
        var all = CompoundLies.all().stream().map(CompoundLie::word).toList();
        assertEquals(List.of(), QUICK.stream().filter(each -> !all.contains(each)).toList());
    }
}
