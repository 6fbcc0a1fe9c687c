package io.github.rpcrdma4j.cli.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.cli.Console;
import io.github.rpcrdma4j.cli.JsonText;
import io.github.rpcrdma4j.cli.metrics.MetricSamples;
import io.github.rpcrdma4j.cli.serve.HandleKey;
import io.github.rpcrdma4j.cli.service.ControlSocket;
import io.github.rpcrdma4j.cli.service.ControlledServer;
import io.github.rpcrdma4j.cli.terminal.FullScreen;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: an administrator sees what a server does. */
class TopTest {
    private static final String BEFORE =
            """
            # TYPE rpcrdma_rpc_ended_calls_total counter
            rpcrdma_rpc_ended_calls_total{outcome="success"} 100.0
            rpcrdma_nfs_duration_seconds_bucket{procedure="READ",version="3",le="0.001"} 100
            rpcrdma_nfs_duration_seconds_bucket{procedure="READ",version="3",le="0.01"} 100
            rpcrdma_nfs_duration_seconds_bucket{procedure="READ",version="3",le="+Inf"} 100
            rpcrdma_connection_credits_used{peer="192.0.2.1:700"} 1.0
            rpcrdma_connection_calls_total{peer="192.0.2.1:700"} 100.0
            """;
    private static final String AFTER =
            """
            # TYPE rpcrdma_rpc_ended_calls_total counter
            rpcrdma_rpc_ended_calls_total{outcome="success"} 300.0
            rpcrdma_rpc_ended_calls_total{outcome="denied"} 20.0
            rpcrdma_nfs_duration_seconds_bucket{procedure="READ",version="3",le="0.001"} 200
            rpcrdma_nfs_duration_seconds_bucket{procedure="READ",version="3",le="0.01"} 296
            rpcrdma_nfs_duration_seconds_bucket{procedure="READ",version="3",le="+Inf"} 300
            rpcrdma_nfs_duration_seconds_bucket{procedure="OPEN",version="4",le="0.001"} 0
            rpcrdma_nfs_duration_seconds_bucket{procedure="OPEN",version="4",le="0.01"} 1000
            rpcrdma_nfs_duration_seconds_bucket{procedure="OPEN",version="4",le="+Inf"} 1000
            rpcrdma_nfs_read_bytes_total 2.097152E7
            rpcrdma_rdma_connections 3.0
            rpcrdma_connection_credits_used{peer="192.0.2.1:700"} 1.0
            rpcrdma_connection_credits_used{peer="192.0.2.1:701"} 2.0
            rpcrdma_connection_credits_used{peer="[fd00::1]:5"} 0.0
            rpcrdma_connection_calls_total{peer="192.0.2.1:700"} 150.0
            rpcrdma_connection_calls_total{peer="192.0.2.1:701"} 50.0
            rpcrdma_connection_calls_total{peer="[fd00::1]:5"} 900.0
            """;

    @TempDir private Path directory;
    private final Console console = new Console();

    private static TopFigures figures() throws IOException {
        return TopFigures.between(
                MetricSamples.parse(BEFORE.lines()), MetricSamples.parse(AFTER.lines()), 2);
    }

    @Test
    void computesRatesAndTimesBetweenTwoLooks() throws Exception {
        var figures = figures();
        assertEquals(110, figures.rate(TopFigures.CALLS));
        assertEquals(10 << 20, figures.rate(TopFigures.READ_BYTES));
        var open = figures.procedures().getFirst();
        assertEquals(List.of("4", "OPEN"), List.of(open.version(), open.name()));
        assertEquals(500, open.rate());
        assertEquals(1000, open.total());
        assertEquals(0.0055, open.median(), 1e-9);
        assertEquals(0.00991, open.nearlyAll(), 1e-9);
        var read = figures.procedures().getLast();
        // Of 200, half are in the first bucket, 96 in the next, and 4 in none with a bound.
        assertEquals(100, read.rate());
        assertEquals(0.001, read.median(), 1e-9);
        assertEquals(Double.POSITIVE_INFINITY, read.nearlyAll());
        assertEquals(
                List.of(
                        new TopFigures.Client("[fd00::1]", 1, 0, 450, 0, 0),
                        new TopFigures.Client("192.0.2.1", 2, 3, 50, 0, 0)),
                figures.clients());
    }

    @Test
    void fitsEveryTerminal() throws Exception {
        var figures = figures();
        for (int columns = 1; columns < 120; columns++) {
            for (int rows = 1; rows < 40; rows++) {
                var lines = new TopScreen(columns, rows).lines("a server", figures);
                assertTrue(lines.size() <= rows, () -> lines.toString());
                for (var line : lines) {
                    assertTrue(line.length() <= columns, line);
                }
            }
        }
        var usual = String.join("\n", new TopScreen(80, 24).lines("a server", figures));
        assertTrue(
                usual.contains("v4 OPEN                           500     5.5ms     9.9ms"), usual);
        assertTrue(usual.contains("\n[fd00::1] "), usual);
        var narrow = String.join("\n", new TopScreen(40, 24).lines("a server", figures));
        assertTrue(narrow.contains("v4 OPEN                 500    9.9ms"), narrow);
    }

    @Test
    void givesTheTerminalBack() throws Exception {
        var out = new StringWriter();
        long begun = System.nanoTime();
        var keys = new ByteArrayInputStream("xq".getBytes(StandardCharsets.UTF_8));
        try (var screen = new FullScreen(new PrintWriter(out), keys)) {
            screen.show(List.of("a", "HEAD of a table"), List.of("HEAD"));
            assertTrue(screen.isEndedUntil(begun + TimeUnit.MINUTES.toNanos(1)));
            // No key is left, and the time is over.
            assertFalse(screen.isEndedUntil(begun));
            assertTrue(screen.size().rows() > 0);
        }
        var text = out.toString();
        assertTrue(text.startsWith("\u001b[?1049h"), text);
        assertTrue(text.contains("a\u001b[K\r\n\u001b[7mHEAD of a table\u001b[0m"), text);
        assertTrue(text.endsWith("\u001b[?1049l"), text);
    }

    @Test
    void writesNumbersInFewCharacters() {
        assertEquals("0", TopScreen.number(0));
        assertEquals("0.3", TopScreen.number(0.3));
        assertEquals("9999", TopScreen.number(9999));
        assertEquals("10.0k", TopScreen.number(10_000));
        assertEquals("123M", TopScreen.number(123_456_789));
        assertEquals("1.0M", TopScreen.number(999_999));
        assertEquals("1023B", TopScreen.bytes(1023));
        assertEquals("1.5KiB", TopScreen.bytes(1536));
        assertEquals("1.0MiB", TopScreen.bytes((1 << 20) - 1));
        assertEquals("-", TopScreen.time(Double.NaN));
        assertEquals("12us", TopScreen.time(12e-6));
        assertEquals("1.5ms", TopScreen.time(0.0015));
        assertEquals("2.5s", TopScreen.time(2.5));
        assertEquals("long", TopScreen.time(Double.POSITIVE_INFINITY));
    }

    @Test
    void everyCorruptLineIsAnError() throws Exception {
        var line = "a_b{x=\"1\",y=\"a\\\"\\\\\\n\"} 1.5";
        var sample = MetricSamples.parse(List.of(line).stream()).all("a_b").getFirst();
        assertEquals("a\"\\\n", sample.label("y"));
        assertEquals(1.5, sample.value());
        for (var wrong :
                List.of(
                        "a_b",
                        "a_b{} x",
                        "a_b{x} 1",
                        "a_b{x=1} 1",
                        "a_b{x=\"1} 1",
                        "a_b{x=\"1\"y=\"2\"} 1",
                        "a_b{x=\"1\\\"} 1",
                        "1 1",
                        "\u001b[2J")) {
            var failure =
                    assertThrows(
                            IOException.class, () -> MetricSamples.parse(List.of(wrong).stream()));
            assertTrue(!failure.getMessage().contains("\u001b"), failure::getMessage);
        }
        for (int i = 0; i < line.length(); i++) {
            // It is a value or an error, and nothing else.
            try {
                MetricSamples.parse(List.of(line.substring(0, i)).stream());
            } catch (IOException expected) {
                assertTrue(expected.getMessage().startsWith("the server sent "));
            }
        }
    }

    @Test
    void printsOnceForPipesAndForPrograms() throws Exception {
        var exported = Files.createDirectory(directory.resolve("exported"));
        var path = directory.resolve("control").resolve("s.sock");
        Queue<String> looks = new ArrayDeque<>(List.of(BEFORE, AFTER, BEFORE, AFTER));
        try (var nfs =
                        new NfsServer(
                                List.of(new Export("/data", exported, false)), HandleKey.random());
                var _ =
                        ControlSocket.listen(
                                path,
                                new ControlledServer(
                                        nfs.administration(),
                                        ControlledServer.Reload.NONE,
                                        looks::remove))) {
            console.succeeds("top", "--once", "--control", path.toString());
            assertTrue(console.out().startsWith("rpcrdma top, server at " + path), console::out);
            assertTrue(console.out().contains("v4 OPEN "), console::out);
            assertTrue(!console.out().contains("\u001b"), console::out);
            console.succeeds("top", "--once", "--json", "--control", path.toString());
            var line = new JsonText(console.out()).whole();
            assertTrue(line.contains("\"procedure\":\"OPEN\""), line);
            assertTrue(line.contains("\"p99Seconds\":null"), line);
        }
        console.failsWithOneLine(
                "no server listens at " + path, "top", "--once", "--control", path.toString());
    }
}
