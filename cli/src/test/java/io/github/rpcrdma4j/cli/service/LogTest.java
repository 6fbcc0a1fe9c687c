package io.github.rpcrdma4j.cli.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.cli.Console;
import io.github.rpcrdma4j.cli.ServerProcess;
import io.github.rpcrdma4j.testing.Eventually;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Goal: an operator gets one line for each entry, where it was asked for, and loses none. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LogTest {
    private static final int LINES = 20_000;
    private static final int ROTATIONS = 20;
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @TempDir private Path directory;
    private final Console console = new Console();

    private static String utf8(byte[] line) {
        return new String(line, StandardCharsets.UTF_8);
    }

    @Test
    void anEntryHasATimeWithItsOffsetAndALevel() {
        var time = Instant.parse("2026-07-01T10:11:12.345678Z");
        assertEquals(
                "2026-07-01T12:11:12.345+02:00 WARNING look here\n",
                utf8(LogLine.timed(time, ZoneId.of("Europe/Berlin"), Level.WARNING, "look here")));
        assertEquals(
                "2026-07-01T10:11:12.345+00:00 INFO all is well\n",
                utf8(LogLine.timed(time, ZoneId.of("UTC"), Level.INFO, "all is well")));
    }

    /** The numbers are those of {@code syslog(3)}, as {@code sd-daemon(3)} has them. */
    @Test
    void journaldGetsThePriorityAndNoTime() {
        assertEquals("<3>broken\n", utf8(LogLine.ofJournal(Level.ERROR, "broken")));
        assertEquals("<4>look here\n", utf8(LogLine.ofJournal(Level.WARNING, "look here")));
        assertEquals("<6>all is well\n", utf8(LogLine.ofJournal(Level.INFO, "all is well")));
        assertEquals("<7>a detail\n", utf8(LogLine.ofJournal(Level.DEBUG, "a detail")));
    }

    @Test
    void whatAClientSendsMakesNoSecondLineAndNoLongOne() {
        assertEquals(
                "no export /a\\n<0>forged\\u001b[2J\\u202e",
                LogLine.text("no export /a\n<0>forged\u001b[2J\u202e", null));
        for (var filler : List.of("x", "\0", "\n", "\ud83d\ude00")) {
            var line = LogLine.text(filler.repeat(1 << 20), null);
            assertEquals(LogLine.CHARACTERS_MAX, line.length());
            assertTrue(line.endsWith("..."), filler);
        }
    }

    @Test
    void anErrorOfThisProgramNamesItsPlaceInTheLine() {
        var line = LogLine.text("in READ", new IllegalStateException("a\nb"));
        var pattern =
                "in READ: java\\.lang\\.IllegalStateException: a\\\\nb"
                        + " \\[LogTest\\.anErrorOf\\w+:\\d+ < .*]";
        assertTrue(Pattern.matches(pattern, line), line);
        assertEquals(
                "in READ: /dev/sdx is gone",
                LogLine.text("in READ", new FileNotFoundException("/dev/sdx is gone")));
    }

    @Test
    void noLineIsLostWhenTheFileGetsAnotherName() throws Exception {
        var path = directory.resolve("log");
        var log = new Log(false);
        log.setFile(LogFile.open(path));
        var written = new AtomicInteger();
        var writing =
                CompletableFuture.runAsync(
                        () -> {
                            for (int i = 0; i < LINES; i++) {
                                log.write(Level.INFO, "line " + i, null);
                                written.incrementAndGet();
                            }
                        });
        for (int i = 0; i < ROTATIONS; i++) {
            int next = LINES / (ROTATIONS + 1) * (i + 1);
            Eventually.await(() -> written.get() >= next);
            Files.move(path, directory.resolve("log." + i));
            log.setFile(LogFile.open(path));
        }
        writing.join();
        log.setFile(null);
        var lines = new ArrayList<String>();
        for (int i = 0; i < ROTATIONS; i++) {
            lines.addAll(Files.readAllLines(directory.resolve("log." + i)));
        }
        lines.addAll(Files.readAllLines(path));
        var numbers = lines.stream().map(each -> each.replaceFirst(".* INFO line ", "")).toList();
        assertEquals(IntStream.range(0, LINES).mapToObj(Integer::toString).toList(), numbers);
    }

    @Test
    void aNewFileIsNotForAllUsersAndAnOldOneGoesOn() throws Exception {
        var path = directory.resolve("log");
        LogFile.open(path).close();
        var mode = PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
        assertTrue(mode.endsWith("---"), mode);
        Files.writeString(path, "before\n");
        try (var file = LogFile.open(path)) {
            file.write("after\n".getBytes(StandardCharsets.UTF_8));
        }
        assertEquals("before\nafter\n", Files.readString(path));
    }

    @Test
    void theLevelLeavesOutWhatIsLessSevere() {
        var log = new Log(false);
        assertTrue(log.isWritten("io.github.rpcrdma4j.A", Level.INFO));
        assertFalse(log.isWritten("io.github.rpcrdma4j.A", Level.DEBUG));
        log.setLevel(LogLevel.DEBUG);
        assertTrue(log.isWritten("io.github.rpcrdma4j.A", Level.DEBUG));
        assertFalse(log.isWritten("sun.net.A", Level.DEBUG));
        log.setLevel(LogLevel.ERROR);
        assertFalse(log.isWritten("io.github.rpcrdma4j.A", Level.WARNING));
        assertTrue(log.isWritten("sun.net.A", Level.ERROR));
    }

    @Test
    void whereNoFileCanBeTheServerDoesNotStart() {
        var missing = directory.resolve("missing").resolve("log").toString();
        console.failsWithOneLine(
                "there is no directory for the log", "serve", "mem:", "--log-file", missing);
        console.failsWithOneLine(
                "is no regular file", "serve", "mem:", "--log-file", directory.toString());
    }

    @Test
    void aServerWritesToItsFileAndOpensItAgain() throws Exception {
        var path = directory.resolve("log");
        var old = directory.resolve("log.1");
        try (var server =
                new ServerProcess("--listen", "127.0.0.1:0", "--log-file", path.toString())) {
            Files.move(path, old);
            console.succeeds("reload", "--control", server.control().toString());
            assertEquals("opened " + path + " again\n", console.out());
        }
        var line = "[-0-9]{10}T[:.0-9]{12}[-+:0-9]{6} ";
        assertMatches(line + "INFO started: .* serves 1 export at .* over RDMA\n", old);
        assertMatches(line + "INFO stopping\n" + line + "INFO stopped\n", path);
    }

    @Test
    void aGatewayWritesToItsFileAndOpensItAgainAtSighup() throws Exception {
        var path = directory.resolve("log");
        var old = directory.resolve("log.1");
        try (var gateway =
                ServerProcess.gateway(
                        "rdma://127.0.0.1:0", "tcp://127.0.0.1:1", "--log-file", path.toString())) {
            Files.move(path, old);
            gateway.hangUp();
            awaitFile(path);
        }
        var line = "[-0-9]{10}T[:.0-9]{12}[-+:0-9]{6} ";
        assertMatches(line + "INFO started: passes calls from rdma://.* to tcp://.*\n", old);
        assertMatches(line + "INFO stopping\n" + line + "INFO stopped\n", path);
    }

    private static void awaitFile(Path path) {
        assertTimeoutPreemptively(
                PATIENCE,
                () -> {
                    Eventually.await(() -> Files.exists(path));
                });
    }

    @Test
    void aServerThatNohupHasStartedOpensItsFileAgainAtSighup() throws Exception {
        var path = directory.resolve("log");
        try (var server =
                ServerProcess.ignoringHangUp(
                        "--listen", "127.0.0.1:0", "--log-file", path.toString())) {
            Files.move(path, directory.resolve("log.1"));
            server.hangUp();
            awaitFile(path);
        }
    }

    /** Goal: an interrupted thread neither loses its line nor closes the log. */
    @Test
    void anInterruptedThreadWritesItsLine() throws Exception {
        var path = directory.resolve("log");
        try (var file = LogFile.open(path)) {
            Thread.currentThread().interrupt();
            file.write("one\n".getBytes(StandardCharsets.UTF_8));
            assertTrue(Thread.interrupted());
            file.write("two\n".getBytes(StandardCharsets.UTF_8));
        }
        assertEquals("one\ntwo\n", Files.readString(path));
    }

    /** Method: the file has another name, as one that another user has linked to the log. */
    @Test
    void takesNoFileThatHasAnotherName() throws Exception {
        var path = directory.resolve("log");
        var victim = Files.writeString(directory.resolve("victim"), "kept");
        Files.createLink(path, victim);
        var refusal = path + " has 2 names, and one may be another user's: remove the other ones";
        assertThrows(IOException.class, () -> LogFile.open(path));
        console.failsWithOneLine(refusal, "serve", "mem:", "--log-file", path.toString());
        Files.delete(path);
        try (var server =
                new ServerProcess("--listen", "127.0.0.1:0", "--log-file", path.toString())) {
            Files.delete(path);
            Files.createLink(path, victim);
            console.failsWithOneLine(refusal, "reload", "--control", server.control().toString());
        }
        assertEquals("kept", Files.readString(victim));
    }

    @Test
    void aReloadOpensTheFileAgainAndChangesTheLevel() throws Exception {
        var path = directory.resolve("log");
        var config = directory.resolve("serve.toml");
        write(config, "warning", path);
        try (var server = ServerProcess.configured(config)) {
            assertEquals("", Files.readString(path));
            write(config, "info", path);
            console.succeeds("reload", "--control", server.control().toString());
            assertTrue(Files.readString(path).contains("INFO reloaded "), console::out);
            assertFalse(console.out().contains("next start"), console::out);
            Files.move(path, directory.resolve("log.1"));
            Files.writeString(config, "broken");
            console.failsWithOneLine("", "reload", "--control", server.control().toString());
            assertTrue(Files.readString(path).contains(" WARNING not reloaded"));
        }
        assertTrue(Files.readString(path).endsWith(" INFO stopped\n"));
    }

    private void write(Path config, String level, Path log) throws IOException {
        Files.writeString(
                config,
                """
                listen = "127.0.0.1:0"
                log-level = "%s"
                log-file = "%s"
                [export."/x"]
                directory = "%s"
                allow = ["any"]
                """
                        .formatted(level, log, directory));
    }

    /** The server opens its log again at each SIGHUP. */
    @Test
    void followsNoLinkThatAnotherUserMayHavePlanted() throws Exception {
        var open = Files.createDirectory(directory.resolve("open"));
        var log = open.resolve("log");
        LogFile.open(log).close();
        Files.delete(log);
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
        var victim = Files.writeString(directory.resolve("victim"), "kept");
        Files.createSymbolicLink(log, victim);
        var refused = assertThrows(IOException.class, () -> LogFile.open(log));
        assertEquals(
                "cannot log to %s: %s is open to other users: chmod go-w %s"
                        .formatted(log, open, open),
                refused.getMessage());
        assertEquals("kept", Files.readString(victim));
        // One of this user leads to its log.
        var link = Files.createSymbolicLink(directory.resolve("link"), victim);
        LogFile.open(link).close();
    }

    @Test
    void underSystemdALineHasAPriorityInsteadOfATime() throws Exception {
        var printed = new ArrayList<String>();
        try (var server = ServerProcess.withJournal(directory)) {
            printed.addAll(server.printed);
        }
        var started = printed.stream().filter(each -> each.contains("started: ")).toList();
        assertEquals(1, started.size(), printed::toString);
        assertTrue(started.getFirst().startsWith("<6>started: "), started::toString);
    }

    private static void assertMatches(String pattern, Path file) throws IOException {
        var text = Files.readString(file);
        assertTrue(Pattern.matches(pattern, text), text);
    }
}
