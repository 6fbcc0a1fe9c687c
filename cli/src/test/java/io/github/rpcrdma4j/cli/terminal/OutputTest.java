package io.github.rpcrdma4j.cli.terminal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.cli.CommandProcess;
import io.github.rpcrdma4j.cli.CommandProcess.Ended;
import io.github.rpcrdma4j.cli.ServedDirectory;
import io.github.rpcrdma4j.nfs.server.export.Export;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a command never exits with 0 if its output was lost. Method: commands as processes, with
 * pipes without a reader and a full device.
 */
@Timeout(180)
class OutputTest {
    /** A dissect command that needs no server. */
    private static final String[] DISSECT = {"dissect", "--hex", "00", "--layer", "rpcrdma"};

    @TempDir private Path directory;
    private ServedDirectory served;
    private String url;

    @BeforeEach
    void serve() throws Exception {
        Files.writeString(directory.resolve("file"), "content");
        served = ServedDirectory.of(new Export("/data", directory, true));
        url = served.url();
    }

    @AfterEach
    void stop() {
        served.close();
    }

    private static void endsQuietly(String... arguments) throws Exception {
        assertEquals(
                new Ended(StandardOutput.READER_GONE, List.of()),
                CommandProcess.withoutReader(null, arguments),
                () -> String.join(" ", arguments));
    }

    private static void failsWithOneLine(String... arguments) throws Exception {
        var ended = CommandProcess.to(new File("/dev/full"), arguments);
        assertEquals(1, ended.status(), () -> String.join(" ", arguments) + ended.errLines());
        assertEquals(1, ended.errLines().size(), ended.errLines()::toString);
        assertTrue(ended.errLines().getFirst().startsWith("rpcrdma: "), ended.errLines()::toString);
    }

    @Test
    void endsAsBySigpipeWhenNothingReadsWhatItPrints() throws Exception {
        endsQuietly("ls", url);
        endsQuietly("tree", url);
        endsQuietly("stat", url);
        endsQuietly("cat", url + "/file");
        endsQuietly("ping", "-n", "1", url);
        endsQuietly(DISSECT);
        endsQuietly("--help");
        endsQuietly("serve", "mem:", "--listen", "127.0.0.1:0");
    }

    @Test
    void aServerEndsWhenNothingReadsItsReports() throws Exception {
        assertEquals(
                new Ended(StandardOutput.READER_GONE, List.of()),
                CommandProcess.withoutReader(
                        "Serving.",
                        "serve",
                        "mem:",
                        "--listen",
                        "127.0.0.1:0",
                        "--report",
                        "1",
                        "--log-level",
                        "warning"));
    }

    @Test
    void failsWhenItsOutputCannotBeWritten() throws Exception {
        assumeTrue(Files.exists(Path.of("/dev/full")), "this system has no device that is full");
        failsWithOneLine("ls", url);
        failsWithOneLine("ls", "--json", url);
        failsWithOneLine("stat", url);
        failsWithOneLine("cat", url + "/file");
        failsWithOneLine("ping", "-n", "1", url);
        failsWithOneLine(DISSECT);
        failsWithOneLine("--version");
        failsWithOneLine("serve", "mem:", "--listen", "127.0.0.1:0");
    }
}
