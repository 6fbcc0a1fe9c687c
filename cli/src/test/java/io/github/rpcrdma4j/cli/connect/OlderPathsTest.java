package io.github.rpcrdma4j.cli.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.cli.Console;
import io.github.rpcrdma4j.cli.serve.HandleKey;
import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.v4.Nfs4Binding;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: commands use version 3 for a path that version 4 does not have, and say so to who asks.
 * Method: a server whose export has another path in each version, as old servers of Linux have.
 */
@Timeout(120)
class OlderPathsTest {
    private static final String OLDER = "/srv/data";
    private static final String NOTICE =
            "using version 3 of NFS: /srv/data is no path of the server in version 4";

    private final Console console = new Console();
    @TempDir private Path directory;
    private Path exported;
    private NfsServer newer;
    private NfsServer older;
    private RpcRdmaServer rdma;
    private TcpRpcServer tcp;

    @BeforeEach
    void serve() throws Exception {
        exported = Files.createDirectory(directory.resolve("exported"));
        Files.writeString(exported.resolve("file"), "text");
        newer = new NfsServer(List.of(new Export("/data", exported, false)), HandleKey.random());
        older = new NfsServer(List.of(new Export(OLDER, exported, false)), HandleKey.random());
        var programs = new ArrayList<RpcProgram>();
        newer.programs().stream().filter(OlderPathsTest::isVersion4).forEach(programs::add);
        older.programs().stream().filter(each -> !isVersion4(each)).forEach(programs::add);
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        rdma =
                RpcRdmaServer.builder()
                        .provider(new IwarpProvider())
                        .address(address)
                        .programs(programs)
                        .start();
        tcp = TcpRpcServer.listen(address, programs, TcpRpcOptions.DEFAULT);
    }

    private static boolean isVersion4(RpcProgram program) {
        return program.id().number() == Nfs4Binding.PROGRAM
                && program.id().lowestVersion() == Nfs4Binding.VERSION;
    }

    @AfterEach
    void stop() {
        rdma.close();
        tcp.close();
        newer.close();
        older.close();
    }

    private List<String> servers() {
        return List.of(
                "rdma://127.0.0.1:" + rdma.address().getPort(),
                "nfs://127.0.0.1:" + tcp.address().getPort());
    }

    @Test
    void aPathOfVersion3IsUsedByVersion3() throws Exception {
        for (var server : servers()) {
            var copy = directory.resolve("copy").toString();
            console.succeeds("get", server + OLDER + "/file", copy);
            assertEquals("text", Files.readString(Path.of(copy)));
            console.succeeds("put", copy, server + OLDER + "/copy");
            assertTrue(!console.err().contains("using version 3"), console::err);
            console.succeeds("ls", "-v", server + OLDER, server + OLDER + "/copy");
            assertEquals(1, console.err().lines().filter(NOTICE::equals).count(), console::err);
            console.succeeds("rm", server + OLDER + "/copy");
        }
    }

    /** A command that has mounted the root of version 4 looks for another path there, too. */
    @Test
    void aPathOfVersion3IsUsedByVersion3AlsoBesideTheRootOfVersion4() {
        for (var server : servers()) {
            var none = server + "/none";
            var file = server + OLDER + "/file";
            assertEquals(1, console.run("ls", "-v", none, file, server + OLDER, server + "/no"));
            assertEquals(1, console.err().lines().filter(NOTICE::equals).count(), console::err);
            assertEquals("file\n\n/srv/data:\nfile\n", console.out());
            assertTrue(console.err().contains("cannot find /none: no such file"), console::err);
            assertTrue(console.err().contains("cannot find /no: no such file"), console::err);
            assertEquals(1, console.run("ls", "--vers", "4.2", none, file));
            assertEquals("", console.out());
        }
    }

    @Test
    void aPathOfVersion4IsUsedByVersion4() {
        for (var server : servers()) {
            console.succeeds("ls", "-v", server + "/data");
            assertEquals("file\n", console.out());
            assertTrue(!console.err().contains("using version 3"), console::err);
        }
    }

    @Test
    void whoAsksForVersion4GetsNoOther() {
        for (var server : servers()) {
            assertEquals(1, console.run("ls", "-v", "--vers", "4.2", server + OLDER));
            assertTrue(console.err().contains("cannot find /srv"), console::err);
            assertTrue(!console.err().contains("using version 3"), console::err);
        }
    }
}
