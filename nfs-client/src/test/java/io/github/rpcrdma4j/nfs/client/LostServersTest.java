package io.github.rpcrdma4j.nfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.ForwardingProgram;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: a client notices that its server is gone, and goes on over another connection. */
@Timeout(60)
class LostServersTest {
    private static final ClientOptions OPTIONS =
            ClientOptions.DEFAULT
                    .withVersion(NfsVersion.VERSION_3)
                    .withRetry(Duration.ofSeconds(20));
    private static final Duration SILENCE = Duration.ofMillis(200);

    private final CountDownLatch probes = new CountDownLatch(2);
    private final CountDownLatch letGo = new CountDownLatch(1);
    private final AtomicInteger links = new AtomicInteger();
    private final AtomicInteger connections = new AtomicInteger();
    private NfsServer nfs;
    private RpcRdmaServer rdma;

    /** Does not answer the first READLINK, nor NULL until there was a second one. */
    private final class Hanging implements ForwardingProgram {
        private final RpcProgram program;

        Hanging(RpcProgram program) {
            this.program = program;
        }

        @Override
        public RpcProgram program() {
            return program;
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results)
                throws XdrException, InterruptedException {
            if (program.id().number() == Nfs3.PROGRAM) {
                boolean isNull = request.procedure() == Procedure.NULL.number();
                boolean isLink = request.procedure() == Procedure.READLINK.number();
                if (isNull) {
                    probes.countDown();
                }
                int before = isLink ? links.incrementAndGet() : links.get();
                if ((isNull || isLink) && before == 1) {
                    letGo.await();
                }
            }
            return program.call(request, results);
        }
    }

    @BeforeEach
    void serve() throws Exception {
        Path root = Jimfs.newFileSystem(Configuration.unix()).getPath("/exported");
        Files.createDirectory(root);
        Files.createSymbolicLink(root.resolve("link"), root.resolve("target"));
        nfs = new NfsServer(List.of(new Export("/data", root, false)), new byte[32]);
        rdma =
                RpcRdmaServer.builder()
                        .provider(new IwarpProvider())
                        .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .programs(nfs.programs().stream().<RpcProgram>map(Hanging::new).toList())
                        .start();
    }

    @AfterEach
    void close() {
        letGo.countDown();
        rdma.close();
        nfs.close();
    }

    private NfsMount mount() throws Exception {
        Connector connector =
                () -> {
                    connections.incrementAndGet();
                    return RpcRdmaClient.builder()
                            .provider(new IwarpProvider())
                            .keepAlive(SILENCE)
                            .idleProbe(SILENCE)
                            .binding(NfsVersion.VERSION_3.binding())
                            .connect(rdma.address());
                };
        return NfsMount.of(NfsClient.connect(connector, connector, OPTIONS), "/data");
    }

    @Test
    @Tag("8267-6.7.2-1")
    void anIdleClientAsksItsServerAndKeepsTheConnection() throws Exception {
        links.set(2);
        try (var mount = mount()) {
            probes.await();
            int before = connections.get();
            assertEquals("/exported/target", target(mount));
            assertEquals(before, connections.get());
        }
    }

    private static String target(NfsMount mount) throws Exception {
        var link = mount.resolve(PathName.of("/data/link"), false);
        return mount.service().readLink(link.handle(), "cannot read the link").toString();
    }

    @Test
    @Tag("8267-6.7.2-1")
    @Tag("8267-6.7.2-4")
    void aCallToAServerThatAnswersNoProbeIsSentOverAnotherConnection() throws Exception {
        try (var mount = mount()) {
            int before = connections.get();
            assertEquals("/exported/target", target(mount));
            assertEquals(2, links.get());
            assertTrue(connections.get() > before);
        }
    }
}
