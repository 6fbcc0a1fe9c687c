package io.github.rpcrdma4j.cli.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.cli.Console;
import io.github.rpcrdma4j.cli.ServedCopies;
import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: {@code lock} does what {@code flock(1)} does with the same words. */
@Timeout(120)
class LockTest extends ServedCopies {
    private static final int USAGE = 2;

    private String file;

    private int lock(String... arguments) {
        return console.run(arguments);
    }

    /** Runs other commands while the file is locked: between two FIFOs. */
    private interface Meanwhile {
        void run() throws Exception;
    }

    private void whileLocked(String option, Meanwhile meanwhile) throws Exception {
        file = url + "/lock";
        make("rm -f begun go && mkfifo begun go", local);
        var script = "echo > " + local + "/begun; read x < " + local + "/go; exit 7";
        var locking =
                new FutureTask<>(
                        () -> new Console().run("lock", option, file, "--", "sh", "-c", script));
        Thread.ofPlatform().start(locking);
        Files.readAllBytes(local.resolve("begun"));
        try {
            meanwhile.run();
        } finally {
            Files.writeString(local.resolve("go"), "\n");
        }
        assertEquals(7, locking.get());
    }

    @Test
    void aCommandRunsWhileTheFileIsLocked() throws Exception {
        whileLocked(
                "-x",
                () -> {
                    assertEquals(1, lock("lock", "-n", file, "true"));
                    assertEquals(
                            List.of("cannot lock " + file + ": another has locked it"),
                            console.errLines());
                    assertEquals(5, lock("lock", "-n", "-E", "5", file, "true"));
                    assertEquals(1, lock("lock", "-s", "-n", file, "true"));
                    assertEquals(1, lock("lock", "-w", "0.1", file, "true"));
                });
        assertEquals(0, lock("lock", "-n", file, "true"));
        assertTrue(Files.exists(exported.resolve("lock")));
    }

    @Test
    void aSharedLockExcludesThoseThatDoNotShareIt() throws Exception {
        whileLocked(
                "--shared",
                () -> {
                    assertEquals(0, lock("lock", "-s", "-n", file, "true"));
                    assertEquals(1, lock("lock", "-n", file, "true"));
                });
    }

    /** Options behind the URL are those of the command. */
    @Test
    void whatFollowsTheUrlIsTheCommand() throws Exception {
        var made = local.resolve("made").toString();
        var script = "printf '%s\\n' \"$@\" > " + made;
        assertEquals(0, lock("lock", url + "/a", "sh", "-c", script, "-", "-n"));
        assertEquals("-n\n", Files.readString(local.resolve("made")));
        assertEquals(0, lock("lock", url + "/a", "--", "sh", "-c", "exit 0"));
        assertEquals(3, lock("lock", url + "/a", "--", "sh", "-c", "exit 3"));
    }

    @Test
    void aCommandThatCannotStartLeavesNoLock() {
        assertEquals(127, lock("lock", url + "/a", local + "/none"));
        assertEquals(1, console.errLines().size(), console::err);
        assertEquals(0, lock("lock", "-n", url + "/a", "true"));
    }

    @Test
    void whatMakesNoSenseIsRefusedBeforeAnythingIsSent() {
        assertEquals(USAGE, lock("lock", "-s", "-x", url + "/a", "true"));
        assertEquals(USAGE, lock("lock", "-w", "-1", url + "/a", "true"));
        assertEquals(USAGE, lock("lock", "-E", "256", url + "/a", "true"));
        assertEquals(USAGE, lock("lock", url + "/a"));
        assertEquals(USAGE, lock("lock", url + "/a", "--"));
        assertTrue(Files.notExists(exported.resolve("a")));
    }

    @Test
    void onlyVersionsWithLocksLock() throws Exception {
        Files.createFile(exported.resolve("a"));
        fails(
                "cannot lock " + url + "/a: versions 2 and 3 of NFS have no locks here",
                "lock",
                "--vers",
                "3",
                url + "/a",
                "true");
        assertEquals(0, lock("lock", "--vers", "4.1", url + "/a", "true"));
        assertEquals(0, lock("lock", "--vers", "4.0", url + "/a", "true"));
        fails("cannot open " + url + "/: is a directory", "lock", url + "/", "true");
    }
}
