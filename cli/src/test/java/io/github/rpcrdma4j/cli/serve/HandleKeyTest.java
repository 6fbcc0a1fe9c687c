package io.github.rpcrdma4j.cli.serve;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.server.stable.StableDirectory.Step;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Goal: file handles survive restarts and crashes. Method: a fault at every step. */
class HandleKeyTest {
    private static final int KEY_BYTES = 32;

    @TempDir private Path directory;

    /** Aborts a start without any clean-up, as a crash does. */
    private static final class Crash extends Error {
        private static final long serialVersionUID = 1;
    }

    /** Loads a key and prints it, in a process of its own. */
    static final class Start {
        private Start() {}

        public static void main(String[] args) throws IOException {
            System.out.println(HexFormat.of().formatHex(HandleKey.load(Path.of(args[0]))));
        }
    }

    private Path keyFile() {
        return directory.resolve("state").resolve("rpcrdma4j").resolve("handle.key");
    }

    @Test
    void takesTheKeyThatSystemdHandsToTheService() throws Exception {
        var environment =
                Map.of(
                        "XDG_STATE_HOME",
                        directory.resolve("state").toString(),
                        "CREDENTIALS_DIRECTORY",
                        directory.toString());
        assertEquals(keyFile(), HandleKey.path(environment));
        var credential = Files.createFile(directory.resolve("rpcrdma4j.handle-key"));
        assertEquals(credential, HandleKey.path(environment));
        assertThrows(IOException.class, () -> HandleKey.load(credential));
        Files.write(credential, HandleKey.random());
        assertArrayEquals(Files.readAllBytes(credential), HandleKey.load(credential));
    }

    @Test
    void keepsAKeyThatItsOwnerAloneReads() throws Exception {
        byte[] key = HandleKey.load(keyFile());
        assertEquals(KEY_BYTES, key.length);
        assertArrayEquals(key, Files.readAllBytes(keyFile()));
        assertArrayEquals(key, HandleKey.load(keyFile()));
        assertEquals(
                "rw-------",
                PosixFilePermissions.toString(Files.getPosixFilePermissions(keyFile())));
    }

    @Test
    void leavesNoTemporaryFile() throws Exception {
        HandleKey.load(keyFile());
        assertFalse(Files.exists(keyFile().resolveSibling("handle.key.new")));
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "REMOVE")
    void aCrashBeforeAnyStepLeavesAWholeKeyOrNone(Step crashed) throws Exception {
        assertThrows(
                Crash.class,
                () ->
                        HandleKey.load(
                                keyFile(),
                                step -> {
                                    if (step == crashed) {
                                        throw new Crash();
                                    }
                                }));
        boolean isThere = Files.exists(keyFile());
        assertEquals(crashed == Step.FORCE_DIRECTORY, isThere);
        byte[] left = isThere ? Files.readAllBytes(keyFile()) : new byte[KEY_BYTES];
        assertEquals(KEY_BYTES, left.length);
        byte[] key = HandleKey.load(keyFile());
        assertArrayEquals(key, HandleKey.load(keyFile()));
        if (isThere) {
            assertArrayEquals(left, key);
        }
    }

    @Test
    void takesItsStepsInTheOrderThatCrashesNeed() throws Exception {
        var steps = new ArrayList<Step>();
        HandleKey.load(keyFile(), steps::add);
        var taken = new ArrayList<>(List.of(Step.values()));
        taken.remove(Step.REMOVE);
        assertEquals(taken, steps);
        HandleKey.load(keyFile(), steps::add);
        assertEquals(taken, steps, "a key that is there is only read");
    }

    @Test
    void anUnfinishedFileOfACrashIsNoObstacle() throws Exception {
        Files.createDirectories(keyFile().getParent());
        Files.write(keyFile().resolveSibling("handle.key.new"), new byte[5]);
        Files.write(keyFile().resolveSibling("handle.key.lock"), new byte[5]);
        assertEquals(KEY_BYTES, HandleKey.load(keyFile()).length);
    }

    @Test
    void refusesAKeyOfTheWrongLength() throws Exception {
        Files.createDirectories(keyFile().getParent());
        Files.write(keyFile(), new byte[KEY_BYTES - 1]);
        var refused = assertThrows(IOException.class, () -> HandleKey.load(keyFile()));
        assertTrue(refused.getMessage().contains("is damaged"), refused::getMessage);
    }

    @Test
    void threadsThatStartTogetherAgreeOnOneKey() throws Exception {
        int count = 8;
        var together = new CyclicBarrier(count);
        try (var threads = Executors.newFixedThreadPool(count)) {
            var starts = new ArrayList<Callable<String>>();
            for (int i = 0; i < count; i++) {
                starts.add(
                        () -> {
                            together.await();
                            return HexFormat.of().formatHex(HandleKey.load(keyFile()));
                        });
            }
            var keys = new HashSet<String>();
            for (var key : threads.invokeAll(starts)) {
                keys.add(key.get());
            }
            assertEquals(1, keys.size(), keys::toString);
        }
    }

    @Test
    void processesThatStartTogetherAgreeOnOneKey() throws Exception {
        var processes = new ArrayList<Process>();
        for (int i = 0; i < 4; i++) {
            processes.add(
                    new ProcessBuilder(
                                    Path.of(System.getProperty("java.home"), "bin", "java")
                                            .toString(),
                                    "-cp",
                                    System.getProperty("java.class.path"),
                                    Start.class.getName(),
                                    keyFile().toString())
                            .redirectErrorStream(true)
                            .start());
        }
        var keys = new HashSet<String>();
        for (var process : processes) {
            try (var reader = process.inputReader()) {
                keys.add(reader.readLine());
            }
            assertEquals(0, process.waitFor());
        }
        assertEquals(
                new HashSet<>(List.of(HexFormat.of().formatHex(Files.readAllBytes(keyFile())))),
                keys);
    }

    /** Who knows the key can name any file of the exported file systems. */
    @Test
    void takesNoKeyThatAnotherUserMayHavePlanted() throws Exception {
        var key = HandleKey.load(keyFile());
        var state = keyFile().getParent();
        allow(keyFile(), "rw-rw-rw-");
        assertThrows(IOException.class, () -> HandleKey.load(keyFile()));
        allow(keyFile(), "rw-------");
        allow(state, "rwxrwxrwx");
        assertThrows(IOException.class, () -> HandleKey.load(keyFile()));
        assertThrows(IOException.class, () -> HandleKey.load(state.resolve("other.key")));
        allow(state, "rwx------");
        allow(state.getParent(), "rwxrwxrwx");
        assertThrows(IOException.class, () -> HandleKey.load(keyFile()));
        allow(state.getParent(), "rwxr-xr-x");
        assertArrayEquals(key, HandleKey.load(keyFile()));
    }

    private static void allow(Path file, String permissions) throws IOException {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    }
}
