package io.github.rpcrdma4j.interop.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Clients;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.export.ExportRule;
import io.github.rpcrdma4j.nfs.server.export.ExportRule.Squash;
import io.github.rpcrdma4j.nfs.server.users.KerberosUsers;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: without a power cut, the files are those that the steps expect. Method: make all kinds of
 * changes on a server in this process.
 */
class StepsTest {
    private static final int ROUNDS = 3;

    @TempDir private Path base;

    @Test
    void expectWhatTheServerMakesOfThem() throws Exception {
        assumeTrue(
                (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0,
                "only root can make files of all owners");
        long seed = Long.getLong("seed", System.nanoTime());
        var rule = ExportRule.of(new Clients.Everybody()).withSquash(Squash.NONE).withSync(false);
        var export = new Export("/export", base, List.of(rule), List.of(SecurityFlavor.SYS));
        try (var nfs = new NfsServer(List.of(export), new byte[16], KerberosUsers.NONE);
                var server =
                        TcpRpcServer.listen(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                                new RpcDispatcher(nfs.programs(), List.of()),
                                TcpRpcOptions.DEFAULT);
                var client = new StorageClient(server.address(), "/export")) {
            var steps = new Steps(client, seed);
            for (int round = 0; round < ROUNDS; round++) {
                for (var kind : Steps.Kind.values()) {
                    steps.make(kind);
                    assertEquals(
                            List.of(),
                            steps.expected().differences(FileTree.read(base)),
                            () -> kind + ", seed=" + seed);
                }
            }
        }
    }
}
