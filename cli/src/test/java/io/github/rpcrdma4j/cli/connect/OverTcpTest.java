package io.github.rpcrdma4j.cli.connect;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.cli.Console;
import io.github.rpcrdma4j.cli.serve.HandleKey;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: commands reach a server over TCP by each version. Method: one without RDMA. */
@Timeout(120)
class OverTcpTest {
    private static final int LENGTH = (3 << 20) + 5;

    @TempDir private Path directory;
    private Path exported;
    private NfsServer nfs;
    private TcpRpcServer server;
    private String url;
    private final Console console = new Console();

    @BeforeEach
    void serve() throws Exception {
        exported = Files.createDirectory(directory.resolve("exported"));
        nfs = new NfsServer(List.of(new Export("/data", exported, false)), HandleKey.random());
        var programs = new ArrayList<RpcProgram>(nfs.programs());
        programs.addAll(nfs.version2Programs());
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        server = TcpRpcServer.listen(address, programs, TcpRpcOptions.DEFAULT);
        url = "nfs://127.0.0.1:" + server.address().getPort() + "/data";
    }

    @AfterEach
    void stop() {
        server.close();
        nfs.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"2", "3", "4.0", "4.1", "4.2"})
    void filesAreCopiedBothWays(String version) throws Exception {
        byte[] bytes = new byte[LENGTH];
        new Random(LENGTH).nextBytes(bytes);
        var file = Files.write(directory.resolve("file"), bytes);
        var copy = directory.resolve("copy");
        console.succeeds("put", "--vers", version, file.toString(), url);
        assertArrayEquals(bytes, Files.readAllBytes(exported.resolve("file")));
        console.succeeds("get", "--vers", version, url + "/file", copy.toString());
        assertArrayEquals(bytes, Files.readAllBytes(copy));
        console.succeeds("ls", "--vers", version, url);
        assertEquals("file\n", console.out());
        console.succeeds("ping", "--vers", version, "-n", "1", url);
        assertTrue(console.out().contains(" over TCP to 127.0.0.1:"), console::out);
    }

    @Test
    void aFileIsLockedByVersion4() throws Exception {
        console.succeeds("lock", "-n", url + "/lock", "--", "true");
        assertTrue(Files.exists(exported.resolve("lock")));
    }

    @Test
    void pathsOfOtherCommandsKeepTheTransport() throws Exception {
        Files.writeString(exported.resolve("a"), "a");
        console.succeeds("mv", url + "/a", "/data/b");
        console.succeeds("find", url, "--name", "b");
        assertEquals(url + "/b\n", console.out());
        console.succeeds("cp", url + "/b", url + "/c");
        assertEquals("a", Files.readString(exported.resolve("c")));
        console.succeeds("rm", url + "/[bc]");
        assertTrue(Files.notExists(exported.resolve("c")));
    }

    @Test
    void aTraceIsOneOfRdma() {
        var trace = directory.resolve("trace.pcapng").toString();
        assertEquals(2, console.run("ls", "--trace", trace, url));
        assertTrue(console.err().contains("--trace records soft-iWARP, and " + url), console::err);
    }
}
