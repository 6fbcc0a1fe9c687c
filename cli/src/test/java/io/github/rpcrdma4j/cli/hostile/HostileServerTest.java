package io.github.rpcrdma4j.cli.hostile;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: whatever a server sends, a command ends soon, in little memory, with an exit code and at
 * most a line for each file, and changes nothing outside its target. Method: a server that lies in
 * one way, and the commands that the lie is meant for, each in a process of its own; {@code
 * dev/evil} tries all commands with all lies.
 */
class HostileServerTest {
    @TempDir private Path work;

    @Test
    @Timeout(600)
    void commandsBearWhatAServerSends() throws Exception {
        var trials = new EnumMap<Lie, Set<Tried>>(Lie.class);
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
}
