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
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: what a server said it does not have is not asked for again, and never keeps a client from
 * what a server has now. Method: servers of some versions, one after the other, under one name.
 */
@Timeout(60)
class RefusedVersionsTest {
    private static final NfsUrl.Server SERVER = NfsUrl.parse("rdma://server").server();
    private static final Predicate<RpcProgram> IS_FOUR =
            each -> each.id().lowestVersion() == Nfs4Binding.VERSION;
    private static final Predicate<RpcProgram> ALL = _ -> true;
    private static final List<NfsVersion> USUAL = ClientOptions.USUAL_VERSIONS;

    private final AtomicLong now = new AtomicLong();
    private final AtomicInteger connections = new AtomicInteger();
    private final RefusedVersions refused = new RefusedVersions(now::get);
    @TempDir private Path exported;

    /** Returns the version by which a server with some programs is reached. */
    private NfsVersion found(Predicate<RpcProgram> served) throws Exception {
        return found(served, refused);
    }

    private NfsVersion found(Predicate<RpcProgram> served, RefusedVersions refused)
            throws Exception {
        try (var nfs = new NfsServer(List.of(new Export("/data", exported, false)), new byte[32]);
                var server =
                        RpcRdmaServer.builder()
                                .provider(new IwarpProvider())
                                .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                                .programs(nfs.programs().stream().filter(served).toList())
                                .start()) {
            var plain =
                    RpcRdmaClient.builder()
                            .provider(new IwarpProvider())
                            .credential(ProcessCredential.read())
                            .bindings(ClientOptions.DEFAULT.bindings())
                            .connector(server.address());
            Connector connector =
                    () -> {
                        connections.incrementAndGet();
                        return plain.connect();
                    };
            var options = ClientOptions.DEFAULT.withCaller(ProcessCredential.read());
            try (var service = NfsClient.connect(SERVER, refused, connector, connector, options)) {
                service.ping();
                return service.version();
            }
        }
    }

    /** The process must remember nothing: another test's server may have had this port. */
    @Test
    void anotherObjectRemembersNothing() throws Exception {
        assertEquals(NfsVersion.VERSION_3, found(IS_FOUR.negate()));
        assertEquals(NfsVersion.VERSION_4_2, found(ALL, new RefusedVersions()));
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
        now.addAndGet(RefusedVersions.KEPT.toNanos());
        assertEquals(NfsVersion.VERSION_3, found(ALL));
        now.addAndGet(1);
        assertEquals(NfsVersion.VERSION_4_2, found(ALL));
    }

    @Test
    void theOrderOfTheUserStays() {
        refused.refused(SERVER, EnumSet.of(NfsVersion.VERSION_4_2));
        var own = List.of(NfsVersion.VERSION_3, NfsVersion.VERSION_4_2, NfsVersion.VERSION_4_1);
        assertEquals(
                List.of(NfsVersion.VERSION_3, NfsVersion.VERSION_4_1),
                refused.without(SERVER, own));
    }

    @Test
    void theOldestServersAreForgotten() {
        for (int i = 0; i <= RefusedVersions.SERVERS_MAX; i++) {
            now.addAndGet(Duration.ofSeconds(1).toNanos());
            refused.refused(server(i), EnumSet.of(NfsVersion.VERSION_4_2));
        }
        assertEquals(USUAL, refused.without(server(0), USUAL));
        assertEquals(USUAL.subList(1, USUAL.size()), refused.without(server(1), USUAL));
    }

    private static NfsUrl.Server server(int number) {
        return NfsUrl.parse("rdma://server" + number).server();
    }
}
