package io.github.rpcrdma4j.cli.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.capture.PacketReader;
import io.github.rpcrdma4j.cli.Console;
import io.github.rpcrdma4j.cli.ServerProcess;
import io.github.rpcrdma4j.cli.serve.Trees;
import io.github.rpcrdma4j.dissect.CallReport;
import io.github.rpcrdma4j.dissect.ChunkReport;
import io.github.rpcrdma4j.dissect.ConnectionReport;
import io.github.rpcrdma4j.dissect.Dissector;
import io.github.rpcrdma4j.dissect.Version1Document;
import io.github.rpcrdma4j.rpcrdma.rfc5666.ConfRdma;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a user sees what RFC 8166 removed from RFC 5666. Method: a server process and commands with
 * {@code --rfc5666}, whose traces are dissected; and the same commands without it.
 */
class Rfc5666CommandsTest {
    private static final int NAMES = 60;

    /** Fits a Send, and is long enough to be aligned. */
    private static final int SMALL_BYTES = 2000;

    @TempDir private Path directory;
    private final Console console = new Console();
    private int traces;

    private Path tree() throws IOException {
        var tree = Files.createDirectory(directory.resolve("tree"));
        Files.write(tree.resolve("small"), new byte[SMALL_BYTES]);
        Files.write(tree.resolve("large"), new byte[70_001]);
        for (int i = 0; i < NAMES; i++) {
            Files.writeString(tree.resolve("a-name-of-a-certain-length-" + i), "data");
        }
        return tree;
    }

    /** Runs a command and returns its calls. */
    private List<CallReport> calls(Version1Document document, String... arguments)
            throws Exception {
        var trace = directory.resolve("trace" + traces++);
        var all = new ArrayList<>(List.of(arguments));
        all.addAll(1, List.of("--vers", "3", "--trace", trace.toString()));
        console.succeeds(all.toArray(String[]::new));
        try (var in = Files.newInputStream(trace)) {
            var connections = Dissector.dissect(PacketReader.of(in), true, document).connections();
            assertEquals(
                    List.of(),
                    connections.stream()
                            .flatMap(each -> each.frames().stream())
                            .flatMap(each -> each.findings().stream())
                            .toList());
            return connections.stream().map(ConnectionReport::calls).flatMap(List::stream).toList();
        }
    }

    private static List<String> forms(List<CallReport> calls) {
        return calls.stream().flatMap(Rfc5666CommandsTest::forms).distinct().toList();
    }

    private static Stream<String> forms(CallReport call) {
        return Stream.concat(
                Stream.of("call " + call.form()),
                call.answer().stream().map(answer -> "reply " + answer.form()));
    }

    private static boolean configures(CallReport call) {
        return call.message().filter(each -> each.program() == ConfRdma.PROGRAM).isPresent();
    }

    private static boolean isFetched(CallReport call) {
        return call.chunks().stream()
                .anyMatch(chunk -> chunk.kind() == ChunkReport.Kind.REPLY_READ);
    }

    @Test
    @Tag("5666-3.5-3")
    @Tag("5666-6.2-1")
    void aTraceShowsWhatRfc8166Removed() throws Exception {
        var tree = tree();
        try (var serving = new ServerProcess("--listen", "127.0.0.1:0", "--rfc5666")) {
            var put =
                    calls(
                            Version1Document.RFC_5666,
                            "put",
                            "--rfc5666",
                            "-r",
                            tree.toString(),
                            serving.url());
            assertTrue(configures(put.getFirst()), "CONF_RDMA is the first call");
            assertTrue(forms(put).contains("call RDMA_MSGP"), () -> forms(put).toString());

            var back = directory.resolve("back");
            var get =
                    calls(
                            Version1Document.RFC_5666,
                            "get",
                            "--rfc5666",
                            "-r",
                            "-v",
                            serving.url() + "/tree",
                            back.toString());
            assertTrue(forms(get).contains("reply RDMA_MSGP"), () -> forms(get).toString());
            var listings = get.stream().filter(Rfc5666CommandsTest::isFetched).toList();
            assertTrue(
                    listings.stream().anyMatch(call -> call.name().contains("READDIR")),
                    () -> listings.toString());
            for (var listing : listings) {
                assertEquals("RDMA_NOMSG", listing.answer().orElseThrow().form());
                assertTrue(listing.done().isPresent(), listing::toString);
            }
            assertTrue(console.err().contains("RDMA_MSGP"), console::err);
            assertTrue(
                    console.err().contains("replies reported as fetched: RDMA_DONE"), console::err);
            assertEquals(NAMES + 2, Trees.requireSameTree(tree, back, _ -> true));
        }
    }

    @Test
    void withoutTheOptionATraceShowsNoneOfIt() throws Exception {
        var tree = tree();
        try (var serving = new ServerProcess("--listen", "127.0.0.1:0")) {
            var put = calls(Version1Document.RFC_8166, "put", "-r", tree.toString(), serving.url());
            var list = calls(Version1Document.RFC_8166, "ls", "-l", serving.url() + "/tree");
            for (var calls : List.of(put, list)) {
                assertTrue(
                        calls.stream().noneMatch(call -> configures(call) || isFetched(call)),
                        calls::toString);
                assertTrue(
                        forms(calls).stream().noneMatch(form -> form.contains("MSGP")),
                        () -> forms(calls).toString());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"--rpcrdma-version=2", "--rpcrdma-version=auto", "--extensions=placement"})
    void theOptionAndVersion2ExcludeEachOther(String other) {
        assertEquals(2, console.run("ls", "--rfc5666", other, "rdma://127.0.0.1:1/mem"));
        assertTrue(
                console.err().contains("--rfc5666 is for RPC-over-RDMA version 1"), console::err);
    }

    @Test
    void aServerTakesNoVersion2WithTheOption() {
        assertEquals(2, console.run("serve", "mem:", "--rfc5666", "--rpcrdma-version=2"));
        assertTrue(
                console.err().contains("--rfc5666 is for RPC-over-RDMA version 1"), console::err);
    }
}
