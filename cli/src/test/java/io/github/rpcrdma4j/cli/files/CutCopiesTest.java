package io.github.rpcrdma4j.cli.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.cli.CommandProcess;
import io.github.rpcrdma4j.cli.ServedCopies;
import io.github.rpcrdma4j.cli.ServerProcess;
import io.github.rpcrdma4j.testing.Eventually;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Goal: a user knows what was copied, what is left of it, and what helps. */
class CutCopiesTest extends ServedCopies {
    private static final int MIB = 1 << 20;
    private static final int WRITTEN = 64 * MIB;

    /** More than all outstanding calls hold, so that some of them have been answered. */
    private static final int ARRIVED = 32 * MIB;

    private Path half;

    /** Starts a copy of a pipe. */
    private Process start(String to) throws Exception {
        make("mkfifo half", local);
        half = local.resolve("half");
        return CommandProcess.start("put", half.toString(), to + "/half");
    }

    private void awaitArrival() throws IOException {
        Eventually.await(
                () ->
                        !names(exported).isEmpty()
                                && Files.size(exported.resolve(names(exported).getFirst()))
                                        >= ARRIVED);
    }

    @Test
    void namesTheFileAndWhatIsLeftWhenTheServerGoesAway() throws Exception {
        Process process;
        OutputStream writer;
        try (var server =
                ServerProcess.serving(
                        exported, "--listen", "127.0.0.1:0", "--allow", "any,no_root_squash")) {
            process = start(server.url());
            writer = Files.newOutputStream(half);
            writer.write(new byte[WRITTEN]);
            awaitArrival();
        }
        writer.close();
        var ended = CommandProcess.ended(process);
        assertEquals(1, ended.status());
        var words = String.join("\n", ended.errLines());
        assertTrue(words.contains("; the copy of " + half + " is not complete; "), words);
        assertTrue(words.contains(" MiB of incomplete files were copied; "), words);
        assertTrue(
                words.contains("are left on the server (ls -a shows them), the next put"), words);
        assertTrue(words.contains("with --retry SECONDS, "), words);
        assertTrue(ended.errLines().getLast().contains("cannot connect to "), words);
    }

    /** Where others may rename files nothing is kept, and --resume is no help then. */
    @Test
    void recommendsNothingThatWasAskedFor() throws Exception {
        Files.setPosixFilePermissions(exported, PosixFilePermissions.fromString("rwxrwxrwx"));
        var large = local.resolve("large");
        try (var file = new RandomAccessFile(large.toFile(), "rw")) {
            file.setLength(2L * WRITTEN);
        }
        Process process;
        String notice;
        try (var server =
                ServerProcess.serving(
                        exported, "--listen", "127.0.0.1:0", "--allow", "any,no_root_squash")) {
            process =
                    CommandProcess.start(
                            "put", "--resume", "--bwlimit", "32M", "" + large, server.url());
            notice = process.errorReader().readLine();
        }
        var words = CommandProcess.ended(process).errLines().toString();
        assertTrue(notice.contains("--resume does not work for "), notice);
        assertTrue(words.contains("; the copy of " + large + " is not complete"), words);
        assertFalse(words.contains("with --resume"), words);
    }

    @Test
    void saysHowMuchOfAnIncompleteFileWasCopied() throws Exception {
        var process = start(url);
        try (var writer = Files.newOutputStream(half)) {
            writer.write(new byte[WRITTEN]);
            awaitArrival();
            process.toHandle().destroy();
            var words = CommandProcess.ended(process).errLines().toString();
            assertTrue(words.contains("rpcrdma: interrupted after 0 files, 0 bytes"), words);
            assertTrue(
                    words.contains(
                            " MiB of incomplete files were copied; the copy of "
                                    + half
                                    + " is not complete; temporary files are removed"),
                    words);
        }
    }

    @Test
    void namesEachFileOnRequest() throws Exception {
        make("mkdir -p t/d && echo 1 > t/d/a && echo 1 > t/b", local);
        console.succeeds("put", "-rv", local + "/t", url);
        var lines = console.errLines();
        assertTrue(lines.containsAll(List.of("/data/t/d/a", "/data/t/b")), console::err);
        assertEquals("", console.out());
        Files.delete(local.resolve("t/b"));
        console.succeeds("sync", "-av", "--delete", local + "/t", url);
        assertTrue(console.errLines().contains("removed /data/t/b"), console::err);
        console.succeeds("get", "-rv", url + "/t", local + "/back");
        assertTrue(console.errLines().contains(local + "/back/d/a"), console::err);
        console.succeeds("get", "-r", url + "/t", local + "/again");
        assertEquals(1, console.errLines().size(), console::err);
        console.succeeds("rm", "-rv", url + "/t");
        assertTrue(console.errLines().contains("/data/t/d/a"), console::err);
    }

    @Test
    void explainsWhichCommandsTakePatterns() throws Exception {
        Files.writeString(exported.resolve("a.jpg"), "");
        var hint = ": no such file or directory (no command takes a pattern here)";
        fails("cannot find /data/*.jpg" + hint, "stat", url + "/*.jpg");
        fails("cannot find /data/?.jpg" + hint, "cp", url + "/?.jpg", "/data/b");
        fails("cannot find /data/b.jpg: no such file or directory", "ls", url + "/b.jpg");
    }

    @Test
    void saysWhatACommandNeedsAndWhatAnExportIs() {
        assertEquals(2, console.run("put", "a"));
        assertEquals("rpcrdma: put needs SOURCE... URL", console.errLines().getFirst());
        assertEquals(2, console.run("mv", url + "/a"));
        assertEquals("rpcrdma: mv needs URL... TARGET", console.errLines().getFirst());
        fails(
                "/data is the export itself: it cannot be made, renamed or removed",
                "rm",
                "-r",
                url + "/");
    }

    @Test
    void aServerOfThisHostIsNamedByItsPort() throws Exception {
        var state = Map.of("XDG_STATE_HOME", local.toString());
        for (var host : List.of("127.0.0.1", "")) {
            try (var server = ServerProcess.with(state, exported, "--listen", host + ":0")) {
                var socket = server.control().getFileName().toString();
                var port = socket.replaceAll(".*:", "").replace(".sock", "");
                var ended = CommandProcess.with(state, "clients", "--port", port);
                assertEquals(0, ended.status(), ended.errLines()::toString);
            }
        }
        var ended = CommandProcess.with(state, "clients", "--port", "1");
        assertEquals(1, ended.status());
        assertTrue(ended.errLines().getFirst().contains("/1.sock"), ended.errLines()::toString);
        assertEquals(2, console.run("clients", "--port", "1", "--control", "/x"));
        assertEquals(2, console.run("clients", "--port", "0"));
    }
}
