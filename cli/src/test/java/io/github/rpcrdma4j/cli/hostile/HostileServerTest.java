package io.github.rpcrdma4j.cli.hostile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a command survives any hostile server. It ends soon, in little memory, with an exit code
 * and at most one line per file, and changes nothing outside its target. Method: each server tells
 * one lie, and the targeted commands run in separate processes. {@code dev/evil} tries all commands
 * with all lies.
 */
class HostileServerTest {
    private static final int SECONDS = 20;

    @TempDir private Path work;

    @Test
    @Timeout(600)
    void commandsSurviveEveryHostileServer() throws Exception {
        var trials = new EnumMap<Lie, Set<TrialCommand>>(Lie.class);
        for (var lie : Lie.values()) {
            trials.put(lie, lie.first);
        }
        var faults = new ArrayList<String>();
        HostileTrials.run(
                trials,
                work,
                2,
                outcome -> {
                    if (!outcome.faults().isEmpty()) {
                        faults.add(outcome.lie() + " " + outcome.command() + outcome.faults());
                    }
                });
        assertEquals(List.of(), faults);
    }

    @Test
    void aLinkThatCannotBeReadIsNamedAndTheRestIsShown() throws Exception {
        var out = work.resolve("out");
        var err = work.resolve("err");
        try (var server = new HostileServer(Lie.LINK_REFUSED.deviations)) {
            for (var command :
                    List.of(TrialCommand.LS_LONG, TrialCommand.LS_JSON, TrialCommand.TREE)) {
                var arguments = command.arguments(server.url(), "", SECONDS);
                var process = Trial.start(arguments, work, out.toFile(), err.toFile());
                assertEquals(1, process.waitFor());
                assertEquals(
                        List.of(
                                "rpcrdma: cannot read the link /data/link: input/output error on"
                                        + " the server"),
                        Files.readAllLines(err));
                for (var name : List.of("file", "directory", "link")) {
                    assertTrue(Files.readString(out).contains(name), command + " " + name);
                }
            }
        }
    }
}
