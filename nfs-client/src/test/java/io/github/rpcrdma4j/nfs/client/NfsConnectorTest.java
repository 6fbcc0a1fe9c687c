package io.github.rpcrdma4j.nfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.v4.Nfs4Binding;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.ProcessCredential;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: what a server said it does not have is not asked for again, and never keeps a client from
 * what a server has now. Method: servers of some versions, one after the other, under one name.
 */
@Timeout(60)
class NfsConnectorTest {
    private static final Predicate<RpcProgram> IS_FOUR =
            each -> each.id().lowestVersion() == Nfs4Binding.VERSION;
    private static final Predicate<RpcProgram> ALL = _ -> true;
    private final AtomicLong now = new AtomicLong();
    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicReference<InetSocketAddress> address = new AtomicReference<>();
    private final NfsConnector connector = connector(ClientOptions.USUAL_VERSIONS);
    @TempDir private Path exported;

    /** Returns what connects to the present server. */
    private NfsConnector connector(List<NfsVersion> versions) {
        var options =
                ClientOptions.DEFAULT.withCaller(ProcessCredential.read()).withVersions(versions);
        Connector connecting =
                () -> {
                    connections.incrementAndGet();
                    return RpcRdmaClient.builder()
                            .provider(new IwarpProvider())
                            .credential(options.caller())
                            .bindings(options.bindings())
                            .connect(address.get());
                };
        return new NfsConnector(connecting, connecting, options, now::get);
    }

    /** Returns the version by which a server with some programs is reached. */
    private NfsVersion found(Predicate<RpcProgram> served) throws Exception {
        return found(served, connector);
    }

    private NfsVersion found(Predicate<RpcProgram> served, NfsConnector connector)
            throws Exception {
        try (var nfs = new NfsServer(List.of(new Export("/data", exported, false)), new byte[32]);
                var server =
                        RpcRdmaServer.builder()
                                .provider(new IwarpProvider())
                                .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                                .programs(nfs.programs().stream().filter(served).toList())
                                .start()) {
            address.set(server.address());
            try (var service = connector.connect()) {
                service.ping();
                return service.version();
            }
        }
    }

    /** The process must remember nothing: another test's server may have had this port. */
    @Test
    void anotherConnectorRemembersNothing() throws Exception {
        assertEquals(NfsVersion.VERSION_3, found(IS_FOUR.negate()));
        assertEquals(NfsVersion.VERSION_4_2, found(ALL, connector(ClientOptions.USUAL_VERSIONS)));
    }

    @Test
    void aServerIsAskedOnceForWhatItDoesNotHave() throws Exception {
        assertEquals(NfsVersion.VERSION_3, found(IS_FOUR.negate()));
        assertEquals(2, connections.getAndSet(0));
        assertEquals(NfsVersion.VERSION_3, found(IS_FOUR.negate()));
        assertEquals(1, connections.get());
    }

    @Test
    void aServerThatHasOtherVersionsNowIsAskedForAll() throws Exception {
        assertEquals(NfsVersion.VERSION_3, found(IS_FOUR.negate()));
        assertEquals(NfsVersion.VERSION_4_2, found(IS_FOUR));
        connections.set(0);
        assertEquals(NfsVersion.VERSION_4_2, found(ALL));
        assertEquals(1, connections.get());
    }

    @Test
    void whatAServerSaidIsForgottenAfterMinutes() throws Exception {
        assertEquals(NfsVersion.VERSION_3, found(IS_FOUR.negate()));
        now.addAndGet(NfsConnector.KEPT.toNanos());
        assertEquals(NfsVersion.VERSION_3, found(ALL));
        now.addAndGet(1);
        assertEquals(NfsVersion.VERSION_4_2, found(ALL));
    }

    @Test
    void theOrderOfTheUserStays() throws Exception {
        var own = connector(ClientOptions.USUAL_VERSIONS.reversed());
        assertEquals(NfsVersion.VERSION_4_1, found(IS_FOUR, own));
        assertEquals(
                NfsVersion.VERSION_3,
                found(ALL, connector(ClientOptions.USUAL_VERSIONS.reversed())));
    }
}
