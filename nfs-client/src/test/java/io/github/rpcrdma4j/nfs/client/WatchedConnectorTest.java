package io.github.rpcrdma4j.nfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.client.service.Waits;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.ProcessCredential;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: it is known while a lost connection is made again, and when that has ended. Method: a
 * server over RDMA that is gone, and another one in its place after some tries, or none.
 */
@Timeout(60)
class WatchedConnectorTest {
    private final Waits waits = new Waits();

    /** What is waited for at each try to connect. */
    private final List<Optional<Waits.Reason>> seen =
            Collections.synchronizedList(new ArrayList<>());

    @TempDir private Path exported;
    private NfsServer nfs;
    private RpcRdmaServer server;
    private volatile int refusals;

    @BeforeEach
    void serve() throws Exception {
        nfs = new NfsServer(List.of(new Export("/data", exported, false)), new byte[32]);
        server = started();
    }

    private RpcRdmaServer started() throws Exception {
        return RpcRdmaServer.builder()
                .provider(new IwarpProvider())
                .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .programs(nfs.programs())
                .start();
    }

    @AfterEach
    void stop() {
        server.close();
        nfs.close();
    }

    private NfsConnector connector(NfsVersion version, Duration retry) {
        var options =
                ClientOptions.DEFAULT
                        .withCaller(ProcessCredential.read())
                        .withVersion(version)
                        .withRetry(retry)
                        .withWaits(waits);
        Connector connecting =
                () -> {
                    seen.add(waits.now().map(Waits.Wait::reason));
                    if (refusals-- > 0) {
                        throw new RpcException.Unreachable("not yet", null);
                    }
                    return RpcRdmaClient.builder()
                            .provider(new IwarpProvider())
                            .credential(options.caller())
                            .bindings(options.bindings())
                            .connect(server.address());
                };
        return new NfsConnector(connecting, connecting, options);
    }

    @ParameterizedTest
    @EnumSource(names = {"VERSION_3", "VERSION_4_0", "VERSION_4_1", "VERSION_4_2"})
    void aLostConnectionIsWaitedForUntilThereIsAnother(NfsVersion version) throws Exception {
        try (var service = connector(version, Duration.ofSeconds(30)).connect()) {
            service.ping();
            seen.clear();
            server.close();
            server = started();
            refusals = 2;
            service.ping();
            var lost = Optional.of(Waits.Reason.CONNECTION);
            assertEquals(List.of(lost, lost, lost), seen.subList(0, 3));
            waits.awaitEnd(Waits.Reason.CONNECTION);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"VERSION_3", "VERSION_4_2"})
    void aConnectionThatIsGivenUpIsWaitedForNoMore(NfsVersion version) throws Exception {
        try (var service = connector(version, Duration.ZERO).connect()) {
            service.ping();
            server.close();
            refusals = Integer.MAX_VALUE;
            assertThrows(RpcException.class, service::ping);
            waits.awaitEnd(Waits.Reason.CONNECTION);
        }
    }
}
