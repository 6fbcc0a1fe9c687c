package io.github.rpcrdma4j.cli.files;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.cli.CallsWithChanges;
import io.github.rpcrdma4j.cli.Console;
import io.github.rpcrdma4j.cli.ServedDirectory;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: {@code mkdir -m} sets the mode of no directory but the one that it has made. Method: while
 * the directory is made, another user exchanges names on its path, or makes it first.
 */
@Timeout(120)
class NewDirectoriesTest {
    @TempDir private Path directory;
    private Path exported;
    private Path secret;
    private final Console console = new Console();

    @BeforeEach
    void make() throws IOException {
        exported = Files.createDirectory(directory.resolve("exported"));
        Files.createDirectory(exported.resolve("theirs"));
        secret = closed(Files.createDirectories(exported.resolve("victim/new")));
    }

    private static Path closed(Path made) throws IOException {
        return Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rwx------"));
    }

    private static String mode(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    private interface Change {
        void run() throws IOException;
    }

    private static IntConsumer atMkdir(Change change) {
        return procedure -> {
            if (procedure == Procedure.MKDIR.number()) {
                try {
                    change.run();
                } catch (IOException failed) {
                    throw new UncheckedIOException(failed);
                }
            }
        };
    }

    private void run(IntConsumer before, IntConsumer after, String... options) throws Exception {
        try (var served =
                ServedDirectory.of(
                        exported, program -> new CallsWithChanges(program, before, after))) {
            var words = new ArrayList<>(List.of(options));
            words.addAll(0, List.of("mkdir", "--vers", "3"));
            words.add(served.url() + "/theirs/new");
            console.succeeds(words.toArray(String[]::new));
        }
    }

    @Test
    void theModeGoesToTheDirectoryThatWasMade() throws Exception {
        run(
                _ -> {},
                atMkdir(
                        () -> {
                            // The server has given the directory another mode than the command.
                            closed(exported.resolve("theirs/new"));
                            Files.move(exported.resolve("theirs"), exported.resolve("moved"));
                            Files.createSymbolicLink(exported.resolve("theirs"), Path.of("victim"));
                        }),
                "-m",
                "755");
        assertEquals("rwx------", mode(secret));
        assertEquals("rwxr-xr-x", mode(exported.resolve("moved/new")));
    }

    @Test
    void aDirectoryThatAnotherUserMadeFirstKeepsItsMode() throws Exception {
        run(
                atMkdir(() -> closed(Files.createDirectory(exported.resolve("theirs/new")))),
                _ -> {},
                "-p",
                "-m",
                "755");
        assertEquals("rwx------", mode(exported.resolve("theirs/new")));
    }

    /** As with mkdir(1): the command names it no more than the other bits above 0777. */
    @Test
    void aDirectoryKeepsTheSetGroupIdBitOfTheOneAbove() throws Exception {
        Files.setAttribute(exported.resolve("theirs"), "unix:mode", 02755);
        run(_ -> {}, _ -> {}, "-m", "750");
        var made = (int) Files.getAttribute(exported.resolve("theirs/new"), "unix:mode");
        assertEquals("2750", Integer.toOctalString(made & 07777));
    }
}
