package io.github.rpcrdma4j.nfs.server.host;

import static java.util.stream.Collectors.toSet;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.rpcbind.Registry;
import io.github.rpcrdma4j.oncrpc.rpcbind.Rpcb;
import io.github.rpcrdma4j.oncrpc.rpcbind.UniversalAddress;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcClient;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServerBuilder;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a program that embeds a host has all that a client looks for. Method: calls of clients. */
@Timeout(60)
class NfsHostTest {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final InetSocketAddress ANY_PORT =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final int NFS = 100003;
    private static final int MOUNT = 100005;
    private static final int NLM = 100021;
    private static final int NSM = 100024;
    private static final int NFS_ACL = 100227;

    @TempDir private Path directory;
    private NfsServer server;
    private final List<String> notices = new ArrayList<>();

    @BeforeEach
    void makeServer() throws Exception {
        server = new NfsServer(List.of(new Export("/data", directory, false)), new byte[16]);
    }

    @AfterEach
    void closeServer() {
        server.close();
    }

    private static RpcRdmaServerBuilder rdma() {
        return RpcRdmaServer.builder().address(ANY_PORT);
    }

    private NfsHostBuilder host() {
        return NfsHost.of(server).rdma(rdma()).notices(notices::add);
    }

    /** Returns whether a program takes calls in a version. */
    private static boolean answers(RpcClient client, int program, int version) throws Exception {
        var call = new RpcCall(program, version, 0, _ -> {}, 0);
        try (var _ = client.call(call, PATIENCE)) {
            return true;
        } catch (RpcException.Refused _) {
            return false;
        }
    }

    private static RpcRdmaClient overRdma(NfsHost host) throws Exception {
        return RpcRdmaClient.builder().connect(host.rdmaAddresses().getFirst());
    }

    private static TcpRpcClient overTcp(NfsHost host) throws Exception {
        return TcpRpcClient.connect(
                host.tcpAddresses().getFirst(), new Credential.None(), PATIENCE);
    }

    @Test
    void servesVersions3And4OverRdmaAlone() throws Exception {
        try (var host = host().start();
                var client = overRdma(host)) {
            assertTrue(answers(client, NFS, 3));
            assertTrue(answers(client, NFS, 4));
            assertTrue(answers(client, MOUNT, 3));
            assertFalse(answers(client, NFS, 2));
            assertFalse(answers(client, NLM, 4), "nobody finds locks without TCP");
            assertEquals(List.of(), host.tcpAddresses());
            assertFalse(host.hasLocks());
        }
    }

    @Test
    void servesTheVersionsOfItsBuilder() throws Exception {
        for (var versions : List.of(Set.of(2), Set.of(3), Set.of(4), Set.of(2, 3, 4))) {
            try (var host = host().versions(versions).tcp(List.of(ANY_PORT)).start();
                    var rdma = overRdma(host);
                    var tcp = overTcp(host)) {
                for (var client : List.of(rdma, tcp)) {
                    for (int version : List.of(2, 3, 4)) {
                        assertEquals(versions.contains(version), answers(client, NFS, version));
                    }
                    assertEquals(versions.contains(2), answers(client, MOUNT, 1));
                    assertEquals(!versions.equals(Set.of(4)), answers(client, NSM, 1));
                }
            }
        }
        assertThrows(IllegalArgumentException.class, () -> host().versions(Set.of()));
        assertThrows(IllegalArgumentException.class, () -> host().versions(Set.of(3, 5)));
    }

    @Test
    void isKnownToRpcbindWhileItRuns() throws Exception {
        var registry = new Registry(2, 4);
        try (var rpcbind =
                TcpRpcServer.listen(ANY_PORT, List.of(registry), TcpRpcOptions.DEFAULT)) {
            var at = new Rpcbind.AtPort(rpcbind.address().getPort());
            try (var host = host().tcp(List.of(ANY_PORT)).rpcbind(at).start()) {
                assertTrue(host.hasLocks());
                assertEquals(
                        Set.of(NFS, MOUNT, NLM, NSM, NFS_ACL),
                        registry.registrations().stream().map(Rpcb::program).collect(toSet()));
                assertTrue(notices.getLast().startsWith("registered "), notices::toString);
            }
            assertEquals(List.of(), registry.registrations());
        }
    }

    /** Any user of a machine may register anything with its rpcbind. */
    @Test
    void showsNoControlCharactersOfRegistrations() throws Exception {
        var registry = new Registry(2, 4);
        try (var others = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var rpcbind =
                        TcpRpcServer.listen(ANY_PORT, List.of(registry), TcpRpcOptions.DEFAULT)) {
            var address =
                    UniversalAddress.format((InetSocketAddress) others.getLocalSocketAddress());
            registry.add(new Rpcb(NFS, 3, "tcp", address, "\u001b[2Jforged\nline"));
            var at = new Rpcbind.AtPort(rpcbind.address().getPort());
            try (var _ = host().tcp(List.of(ANY_PORT)).rpcbind(at).start()) {
                assertTrue(
                        notices.stream().anyMatch(each -> each.contains("forged")),
                        notices::toString);
                assertTrue(
                        notices.stream().flatMapToInt(String::chars).noneMatch(each -> each < ' '),
                        notices::toString);
            }
        }
    }

    @Test
    void goesOnWithoutAnRpcbind() throws Exception {
        // A bound port where nobody listens.
        try (var closed = SocketChannel.open().bind(ANY_PORT)) {
            int port = ((InetSocketAddress) closed.getLocalAddress()).getPort();
            var rpcbind = new Rpcbind.AtPort(port);
            try (var host = host().tcp(List.of(ANY_PORT)).rpcbind(rpcbind).start();
                    var client = overTcp(host)) {
                assertTrue(answers(client, NFS, 3));
                assertFalse(host.hasLocks());
                assertEquals(1, notices.size());
                var notice = notices.getFirst();
                assertTrue(notice.startsWith("rpcbind: "), notice);
                assertTrue(notice.endsWith("; nothing is registered with it"), notice);
            }
        }
    }

    @Test
    void saysWhichTransportCannotListenAndListensNowhere() throws Exception {
        try (var first = host().tcp(List.of(ANY_PORT)).start()) {
            var tcp = first.tcpAddresses().getFirst();
            var refused =
                    assertThrows(ListenException.class, () -> host().tcp(List.of(tcp)).start());
            assertEquals(Transport.TCP, refused.transport());
            assertTrue(refused.getMessage().contains("" + tcp.getPort()), refused::getMessage);
            var rdma = RpcRdmaServer.builder().address(first.rdmaAddresses().getFirst());
            assertEquals(
                    Transport.RDMA,
                    assertThrows(ListenException.class, () -> NfsHost.of(server).rdma(rdma).start())
                            .transport());
        }
    }

    @Test
    void listensNowhereIfItCannotListenEverywhere() throws Exception {
        // No connection of others takes the port of this address meanwhile.
        var own = new InetSocketAddress(InetAddress.ofLiteral("127.7.7.7"), 0);
        InetSocketAddress address;
        try (var first = NfsHost.of(server).rdma(RpcRdmaServer.builder().address(own)).start()) {
            address = first.rdmaAddresses().getFirst();
        }
        var rdma = RpcRdmaServer.builder().address(address);
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var at = (InetSocketAddress) taken.getLocalSocketAddress();
            var builder = NfsHost.of(server).rdma(rdma).tcp(List.of(at));
            assertThrows(ListenException.class, builder::start);
        }
        try (var again =
                NfsHost.of(server).rdma(RpcRdmaServer.builder().address(address)).start()) {
            assertEquals(List.of(address), again.rdmaAddresses());
        }
    }

    @Test
    void waitsUntilItIsClosed() throws Exception {
        var host = host().start();
        var ended = new CompletableFuture<Void>();
        Thread.ofPlatform()
                .start(
                        () -> {
                            try {
                                host.await();
                                ended.complete(null);
                            } catch (InterruptedException interrupted) {
                                ended.completeExceptionally(interrupted);
                            }
                        });
        assertFalse(ended.isDone());
        host.close();
        host.close();
        ended.get(10, TimeUnit.SECONDS);
        assertFalse(host.failure().toCompletableFuture().isDone());
    }
}
