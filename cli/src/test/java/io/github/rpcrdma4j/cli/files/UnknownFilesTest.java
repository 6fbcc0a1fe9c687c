package io.github.rpcrdma4j.cli.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.cli.Console;
import io.github.rpcrdma4j.cli.ServedDirectory;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.export.ExportRule;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a file of which the server tells nothing but its name hides no others, and is neither
 * removed nor passed over in silence. Method: a directory that all may list, but not search, so
 * that each of its names is refused.
 */
@Timeout(120)
class UnknownFilesTest {
    private final Console console = new Console();
    @TempDir private Path directory;
    private Path exported;
    private Path hidden;
    private ServedDirectory served;

    @BeforeEach
    void serve() throws Exception {
        exported = Files.createDirectories(directory.resolve("exported/t"));
        Files.writeString(exported.resolve("z"), "z");
        hidden = Files.createDirectory(exported.resolve("hidden"));
        Files.writeString(hidden.resolve("a"), "a");
        Files.createDirectory(hidden.resolve("b"));
        allow("r--r--r--");
        var rule = ExportRule.trusting(false).withSquash(ExportRule.Squash.ROOT);
        var top = exported.getParent();
        Files.setPosixFilePermissions(top, PosixFilePermissions.fromString("rwxrwxrwx"));
        served =
                ServedDirectory.of(
                        new Export("/data", top, List.of(rule), List.of(SecurityFlavor.SYS)));
    }

    private void allow(String permissions) throws Exception {
        Files.setPosixFilePermissions(hidden, PosixFilePermissions.fromString(permissions));
    }

    @AfterEach
    void stop() throws Exception {
        served.close();
        allow("rwxr-xr-x");
    }

    private String tree() {
        return served.url() + "/t";
    }

    private int run(String version, String command, String... arguments) {
        var all = new ArrayList<>(List.of(command, "--vers", version));
        all.addAll(List.of(arguments));
        return console.run(all.toArray(String[]::new));
    }

    @ParameterizedTest
    @ValueSource(strings = {"4.2", "4.1", "4.0", "3", "2"})
    void aListingShowsThemAsTheSystemDoes(String version) {
        assertEquals(0, run(version, "ls", tree() + "/hidden"), console::err);
        assertEquals("a\nb\n", console.out());
        assertEquals(1, run(version, "ls", "-l", tree() + "/hidden"));
        var lines = console.out().lines().toList();
        assertEquals(2, lines.size(), lines::toString);
        assertTrue(lines.getFirst().matches("\\?{10}( +\\?){5} a"), lines::toString);
        assertEquals(2, console.errLines().size(), console::err);
        requireNamed("cannot access /data/t/hidden/a", "cannot access /data/t/hidden/b");
        assertEquals(1, run(version, "ls", "-lR", tree()));
        assertEquals(2, console.errLines().size(), console::err);
        assertTrue(console.out().contains(" z\n"), console::out);
        assertEquals(1, run(version, "ls", "--json", tree() + "/hidden"));
        assertTrue(
                console.out().startsWith("[{\"name\":\"a\",\"error\":\"permission denied\"}"),
                console::out);
    }

    @ParameterizedTest
    @ValueSource(strings = {"4.2", "4.1", "4.0", "3", "2"})
    void copiesSayThatTheyAreMissingAndRemoveNothing(String version) throws Exception {
        var copy = Files.createDirectories(directory.resolve("copy/hidden"));
        Files.writeString(copy.resolve("a"), "older");
        Files.writeString(copy.resolve("extra"), "extra");
        Files.writeString(copy.resolve("b"), "a file");
        assertEquals(1, run(version, "sync", "--delete", tree() + "/", copy.getParent() + "/"));
        requireNamed("/t/hidden/a", "/t/hidden/b");
        assertEquals("older", Files.readString(copy.resolve("a")));
        assertEquals("extra", Files.readString(copy.resolve("extra")));
        assertEquals("a file", Files.readString(copy.resolve("b")));
        assertEquals("z", Files.readString(directory.resolve("copy/z")));
        assertEquals(1, run(version, "get", "-a", tree(), directory + "/got"));
        requireNamed("/t/hidden/a", "/t/hidden/b");
        assertEquals("z", Files.readString(directory.resolve("got/z")));
        assertFalse(Files.exists(directory.resolve("got/hidden/a")));
        for (var command : List.of("find", "du", "tree")) {
            assertEquals(1, run(version, command, tree()), command);
            requireNamed("/t/hidden/a", "/t/hidden/b");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"4.2", "3", "2"})
    void nothingOfTheServerIsReplacedOrRemoved(String version) throws Exception {
        var source = Files.createDirectories(directory.resolve("source/hidden/a"));
        Files.writeString(source.resolve("new"), "new");
        assertEquals(1, run(version, "sync", "--delete", directory + "/source/", tree()));
        assertFalse(console.errLines().isEmpty());
        assertEquals(1, run(version, "rm", "-r", tree() + "/hidden"));
        requireNamed("/t/hidden/a", "/t/hidden/b");
        allow("rwxr-xr-x");
        assertEquals("a", Files.readString(hidden.resolve("a")));
        assertTrue(Files.isDirectory(hidden.resolve("b")));
    }

    private void requireNamed(String... paths) {
        for (var each : paths) {
            assertTrue(console.err().contains(each + ": permission denied"), console::err);
        }
    }
}
