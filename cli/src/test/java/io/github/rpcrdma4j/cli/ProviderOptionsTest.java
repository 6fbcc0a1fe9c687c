package io.github.rpcrdma4j.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.rdmacore.Adapter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
            console.failsWithOneLine("", "devices");
        } else {
            console.succeeds("devices");
            assertTrue(!console.out().isBlank());
            console.succeeds("devices", "127.0.0.1");
            assertTrue(console.out().contains("no adapter routes to it"), console::out);
        }
    }
}
