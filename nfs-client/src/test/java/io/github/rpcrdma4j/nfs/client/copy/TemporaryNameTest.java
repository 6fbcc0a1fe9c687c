package io.github.rpcrdma4j.nfs.client.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.client.copy.RunningProcess.State;
import io.github.rpcrdma4j.nfs.client.service.FileAttributes;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.FileSystemId;
import io.github.rpcrdma4j.nfs.client.service.NamedFile;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TemporaryNameTest {
    private static final RunningProcess CURRENT = RunningProcess.current();

    @Test
    void identifiesTheMakerOfAFileOfAnyName() {
        for (int length = 1; length <= 255; length++) {
            for (byte each : new byte[] {'a', (byte) 0xe9, '\n', '-', (byte) 0xe2}) {
                byte[] name = new byte[length];
                Arrays.fill(name, each);
                var temporary = TemporaryName.of(new FileName(name), CURRENT);
                assertTrue(temporary.length() <= 255);
                assertTrue(temporary.isSingle());
                assertEquals(Optional.of(CURRENT), TemporaryName.maker(temporary));
                assertNotEquals(temporary, TemporaryName.of(new FileName(name), CURRENT));
            }
        }
    }

    @Test
    void takesNoFileOfAUserForItsOwn() {
        for (var name :
                new String[] {
                    ".a.part",
                    "a.rpcrdma-1-2-3-4.part",
                    ".a.rpcrdma-1-2-3.part",
                    ".a.rpcrdma-1-2-3-4.part.bak",
                    ".a.rpcrdma-A-2-3-4.part",
                    ".a.rpcrdma-zzzzzzzzzzzzz-2-3-4.part",
                    ".rpcrdma-1-2-3-4.part"
                }) {
            assertFalse(TemporaryName.is(FileName.of(name)), name);
        }
        assertTrue(TemporaryName.is(FileName.of(".a.rpcrdma-1-2-3-4.part")));
    }

    @Test
    void saysHowFarACopyGot() {
        var checkpoint = new Checkpoint((1L << 60) - 1, Long.MAX_VALUE);
        for (int length = 1; length <= 255; length++) {
            byte[] name = new byte[length];
            Arrays.fill(name, (byte) 'a');
            var temporary = TemporaryName.of(new FileName(name), CURRENT, checkpoint);
            assertTrue(temporary.length() <= 255);
            assertEquals(Optional.of(CURRENT), TemporaryName.maker(temporary));
            assertEquals(Optional.of(checkpoint), TemporaryName.checkpoint(temporary));
        }
        assertEquals(
                Optional.empty(),
                TemporaryName.checkpoint(TemporaryName.of(FileName.of("a"), CURRENT)));
        assertFalse(TemporaryName.is(FileName.of(".a.rpcrdma-1-2-3-4-5.part")));
    }

    private static boolean isLeftover(RunningProcess maker, long modified, long changed, long now) {
        var attributes =
                new FileAttributes(
                        FileType.REGULAR,
                        0600,
                        1,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        new FileSystemId(1, 0),
                        1,
                        Instant.EPOCH,
                        Instant.ofEpochSecond(modified),
                        Instant.ofEpochSecond(changed));
        var name = TemporaryName.of(FileName.of("a"), maker);
        var file = new NamedFile(name, new FileHandle(new byte[] {1}), attributes);
        return RemoteFiles.isLeftover(file, Instant.ofEpochSecond(now));
    }

    @Test
    void takesAFileOfAnotherMachineForLeftBehindAfterADay() {
        long now = 1_700_000_000;
        long day = 24 * 60 * 60;
        var foreign = new RunningProcess(CURRENT.pidScope() + 1, 1, 1);
        assertTrue(isLeftover(foreign, now - day - 1, now - day - 1, now));
        assertFalse(isLeftover(foreign, now - day + 1, now - day - 1, now));
        // The file has the times of its source already, and is about to be renamed.
        assertFalse(isLeftover(foreign, 1, now - 1, now));
        assertFalse(isLeftover(CURRENT, 1, 1, now));
        var ended = new RunningProcess(CURRENT.pidScope(), CURRENT.process(), CURRENT.start() + 1);
        assertTrue(isLeftover(ended, now, now, now));
    }

    @Test
    void knowsWhetherTheMakerStillRuns() throws Exception {
        assertEquals(State.RUNNING, CURRENT.state());
        var another =
                new RunningProcess(CURRENT.pidScope() + 1, CURRENT.process(), CURRENT.start());
        assertEquals(State.UNKNOWN, another.state());
        // The process id of an ended process, which was reused.
        var reused = new RunningProcess(CURRENT.pidScope(), CURRENT.process(), CURRENT.start() + 1);
        assertEquals(State.ENDED, reused.state());
        var child = new ProcessBuilder("sleep", "100").start();
        child.destroyForcibly().waitFor();
        var ended = new RunningProcess(CURRENT.pidScope(), child.pid(), 1);
        assertEquals(State.ENDED, ended.state());
    }
}
