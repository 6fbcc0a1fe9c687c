package io.github.rpcrdma4j.cli.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.cli.CommandProcess;
import io.github.rpcrdma4j.cli.Console;
import io.github.rpcrdma4j.cli.JsonText;
import io.github.rpcrdma4j.cli.ServedDirectory;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.rdmacore.Adapter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: the choice of a provider works, or says in one line what is missing. */
class ProviderOptionsTest {
    private final Console console = new Console();

    @TempDir Path directory;

    @Test
    void refusesAnUnknownProvider() {
        assertEquals(2, console.run("ls", "--provider", "tcp", "rdma://127.0.0.1/x"));
        assertEquals(
                "rpcrdma: --provider is iwarp, rdma-core or auto, not tcp", console.err().strip());
    }

    /** No adapter routes to the loopback address. */
    @Test
    void saysInOneLineWhyNoAdapterIsUsed() {
        console.failsWithOneLine("rdma-core", "ls", "--provider", "rdma-core", "rdma://127.0.0.1/");
        boolean namesTheRemedy =
                console.err().contains("install")
                        || console.err().contains("rdma link add")
                        || console.err().contains("rpcrdma devices");
        assertTrue(namesTheRemedy, console::err);
    }

    @Test
    void aGatewaySaysInOneLineWhyNoAdapterIsUsed() {
        var to = "rdma://127.0.0.1:20049";
        console.failsWithOneLine(
                "--provider rdma-core: ",
                "gateway",
                "--provider",
                "rdma-core",
                "--listen",
                "tcp://127.0.0.1:0",
                "--to",
                to);
    }

    /** A library of no bytes cannot be loaded, as if it was not there. */
    @ParameterizedTest
    @ValueSource(strings = {"libibverbs.so.1", "librdmacm.so.1"})
    void saysInOneLineWhatToInstall(String library) throws Exception {
        Files.createFile(directory.resolve(library));
        var environment = Map.of("LD_LIBRARY_PATH", directory.toString());
        for (var command :
                List.of(
                        List.of("ls", "--provider", "rdma-core", "rdma://127.0.0.1/"),
                        List.of("devices"))) {
            var ended = CommandProcess.with(environment, command.toArray(String[]::new));
            assertEquals(1, ended.status());
            assertEquals(1, ended.errLines().size(), ended::toString);
            var line = ended.errLines().getFirst();
            assertTrue(line.contains(library + " was not found: install rdma-core"), line);
            assertTrue(line.contains("apt install ibverbs-providers librdmacm1"), line);
        }
    }

    @Test
    void fallsBackToSoftIwarp() throws Exception {
        Files.createDirectory(directory.resolve("exported"));
        Files.writeString(directory.resolve("exported/file"), "text");
        var export = new Export("/data", directory.resolve("exported"), true);
        try (var served = ServedDirectory.of(export)) {
            console.succeeds("ls", "--provider", "auto", served.url());
            assertTrue(console.out().contains("file"), console::out);
        }
    }

    @Test
    void listsTheAdaptersOrSaysWhyThereAreNone() {
        if (Adapter.missing().isPresent()) {
            console.failsWithOneLine(Adapter.missing().orElseThrow(), "devices");
        } else {
            console.succeeds("devices");
            assertTrue(!console.out().isBlank());
            console.succeeds("devices", "127.0.0.1");
            assertTrue(console.out().contains("no adapter routes to it"), console::out);
        }
    }

    /** Goal: a user who asks for a route learns how to get an adapter. */
    @Test
    void saysBesideTheRouteWhyThereIsNoAdapter() {
        assumeTrue(Adapter.missing().isEmpty(), "rdma-core is not installed");
        assumeTrue(Adapter.unusable().isPresent(), "there is an adapter");
        console.succeeds("devices", "127.0.0.1");
        var lines = console.out().lines().toList();
        assertEquals(2, lines.size(), console::out);
        assertEquals(Adapter.unusable().orElseThrow(), lines.getFirst());
    }

    @Test
    void printsOneJsonObjectForTheRouteBesideThoseOfTheAdapters() {
        assumeTrue(Adapter.missing().isEmpty(), "rdma-core is not installed");
        console.succeeds("devices", "--json", "127.0.0.1");
        var lines = console.out().lines().toList();
        assertEquals(Adapter.all().size() + 1, lines.size(), console::out);
        lines.forEach(line -> new JsonText(line).whole());
        assertTrue(lines.getLast().contains("\"adapter\":\"\""), console::out);
    }
}
