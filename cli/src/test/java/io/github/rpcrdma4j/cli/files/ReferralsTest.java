package io.github.rpcrdma4j.cli.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.cli.Console;
import io.github.rpcrdma4j.cli.serve.HandleKey;
import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.export.ExportRule;
import io.github.rpcrdma4j.nfs.server.export.FileSystemLocation;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: commands name where a file system is that is at another server, go on beside it, follow it
 * nowhere, and lose nothing. Method: a server whose exports refer to other servers, one of them
 * within another export, over both transports.
 */
@Timeout(120)
class ReferralsTest {
    private static final String PLACES =
            "it is at another server: a.example:/data/new, b.example:/data/new; not followed";

    private final Console console = new Console();
    @TempDir private Path directory;
    private Path here;
    private NfsServer nfs;
    private RpcRdmaServer rdma;
    private TcpRpcServer tcp;

    @BeforeEach
    void serve() throws Exception {
        here = Files.createDirectories(directory.resolve("here"));
        Files.createDirectories(here.resolve("tree/inner"));
        Files.writeString(here.resolve("tree/inner/kept"), "kept");
        Files.writeString(here.resolve("tree/a"), "a");
        Files.writeString(here.resolve("tree/z"), "z");
        var places =
                List.of(
                        new FileSystemLocation(
                                List.of("a.example", "b.example"), PathName.of("/data/new")));
        nfs =
                new NfsServer(
                        List.of(
                                new Export("/data", here, false),
                                referring("/away", here, places),
                                referring("/data/tree/inner", here.resolve("tree/inner"), places)),
                        HandleKey.random());
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        rdma =
                RpcRdmaServer.builder()
                        .provider(new IwarpProvider())
                        .address(address)
                        .programs(nfs.programs())
                        .start();
        tcp = TcpRpcServer.listen(address, nfs.programs(), TcpRpcOptions.DEFAULT);
    }

    private static Export referring(String name, Path root, List<FileSystemLocation> places) {
        var rule = ExportRule.trusting(false).withMoved(places);
        return new Export(name, root, List.of(rule), List.of(SecurityFlavor.SYS));
    }

    @AfterEach
    void stop() {
        rdma.close();
        tcp.close();
        nfs.close();
    }

    private List<String> servers() {
        return List.of(
                "rdma://127.0.0.1:" + rdma.address().getPort(),
                "nfs://127.0.0.1:" + tcp.address().getPort());
    }

    @Test
    void aPathThatLeadsThereNamesThePlaces() {
        for (var server : servers()) {
            for (var version : List.of("4.0", "4.1", "4.2")) {
                console.failsWithOneLine(
                        "cannot find /away: " + PLACES,
                        "ls",
                        "--vers",
                        version,
                        server + "/away/x");
                console.failsWithOneLine(
                        "cannot find /data/tree/inner: " + PLACES,
                        "get",
                        "--vers",
                        version,
                        server + "/data/tree/inner/kept",
                        directory + "/copy");
            }
            var copy = directory.resolve("tree");
            console.failsWithOneLine(
                    "/away: " + PLACES, "put", here.resolve("tree/a").toString(), server + "/away");
            assertFalse(Files.exists(copy));
        }
    }

    @Test
    void aListingShowsItAsADirectory() {
        for (var server : servers()) {
            console.succeeds("ls", "-l", server + "/");
            var lines = console.out().lines().toList();
            assertEquals(2, lines.size(), lines::toString);
            assertTrue(lines.getFirst().startsWith("d---------"), lines::toString);
            assertTrue(lines.getFirst().endsWith(" away"), lines::toString);
            console.succeeds("ls", server + "/data/tree");
            assertEquals("a\ninner\nz\n", console.out());
            assertEquals(1, console.run("find", server + "/data/tree"));
            assertTrue(console.out().contains("/data/tree/z"), console::out);
            assertTrue(console.err().contains("/data/tree/inner: " + PLACES), console::err);
        }
    }

    @Test
    void treesAreCopiedBesideItAndSaidToBeIncomplete() throws Exception {
        int copies = 0;
        for (var server : servers()) {
            var copy = directory.resolve("copy" + copies++);
            Files.createDirectories(copy.resolve("inner"));
            Files.writeString(copy.resolve("inner/older"), "older");
            assertEquals(1, console.run("sync", "--delete", server + "/data/tree/", copy + "/"));
            assertTrue(console.err().contains(PLACES), console::err);
            assertEquals("z", Files.readString(copy.resolve("z")));
            assertEquals("older", Files.readString(copy.resolve("inner/older")));
            var got = directory.resolve("got" + copies);
            assertEquals(1, console.run("get", "-r", server + "/data/tree", got.toString()));
            assertTrue(console.err().contains(PLACES), console::err);
            assertEquals("z", Files.readString(got.resolve("z")));
        }
    }

    @Test
    void itIsNotRemovedWithATree() throws Exception {
        for (var server : servers()) {
            assertEquals(1, console.run("rm", "-r", server + "/data/tree"));
            assertTrue(console.err().contains(PLACES), console::err);
            assertEquals("kept", Files.readString(here.resolve("tree/inner/kept")));
            Files.writeString(here.resolve("tree/a"), "a");
        }
    }
}
