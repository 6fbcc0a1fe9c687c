package io.github.rpcrdma4j.nfs.client;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.ForwardingProgram;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: a program decides how long it waits for a server. */
@Timeout(25)
class SilentServersTest {
    private static final ClientOptions SOON =
            ClientOptions.DEFAULT
                    .withVersion(NfsVersion.VERSION_3)
                    .withTimeout(Duration.ofMillis(250));

    /** Gives no answer to READLINK until it is let go. */
    private record Holding(RpcProgram program, CountDownLatch letGo) implements ForwardingProgram {
        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results)
                throws XdrException, InterruptedException {
            if (program.id().number() == Nfs3.PROGRAM
                    && request.procedure() == Procedure.READLINK.number()) {
                letGo.await();
            }
            return program.call(request, results);
        }
    }

    @Test
    void theTimeoutBoundsTheConnecting() throws Exception {
        try (var silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var url = "rdma://127.0.0.1:" + silent.getLocalPort() + "/data";
            assertThrows(IOException.class, () -> NfsFiles.connect(url, SOON).close());
        }
    }

    @Test
    void theTimeoutBoundsEachCall() throws Exception {
        var root = Jimfs.newFileSystem(Configuration.unix()).getPath("/exported");
        Files.createDirectory(root);
        Files.createSymbolicLink(root.resolve("link"), root.resolve("target"));
        var letGo = new CountDownLatch(1);
        try (var nfs = new NfsServer(List.of(new Export("/data", root, false)), new byte[32]);
                var server =
                        RpcRdmaServer.builder()
                                .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                                .programs(
                                        nfs.programs().stream()
                                                .<RpcProgram>map(each -> new Holding(each, letGo))
                                                .toList())
                                .start();
                var files =
                        NfsFiles.connect(
                                "rdma://127.0.0.1:" + server.address().getPort() + "/data", SOON)) {
            var late =
                    assertThrows(RpcException.TimedOut.class, () -> files.readLink("/data/link"));
            assertTrue(late.getMessage().endsWith(" within 250 ms"), late.getMessage());
            letGo.countDown();
        }
    }
}
