package io.github.rpcrdma4j.oncrpc.rpcbind;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcClient;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a server is registered at an rpcbind of any version only as long as it serves. */
class RegistrationsTest {
    private static final Duration DEADLINE = Duration.ofSeconds(20);
    private static final int NFS = 100003;

    private interface Conversation {
        void with(TcpRpcClient rpcbind) throws Exception;
    }

    private static void talk(Registry registry, Conversation conversation) throws Exception {
        try (var server =
                        TcpRpcServer.listen(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                                List.of(registry),
                                TcpRpcOptions.DEFAULT);
                var client =
                        TcpRpcClient.connect(server.address(), new Credential.None(), DEADLINE)) {
            conversation.with(client);
        }
    }

    private static InetSocketAddress at(String host, int port) {
        return new InetSocketAddress(InetAddress.ofLiteral(host), port);
    }

    private static Set<String> addresses(Registry registry) {
        return registry.registrations().stream()
                .map(each -> each.netid() + " " + each.address())
                .collect(Collectors.toSet());
    }

    @Test
    @Tag("5666-10-1")
    void registersBothFamiliesOfAServerOfAllInterfaces() throws Exception {
        for (int version = 3; version <= 4; version++) {
            var registry = new Registry(2, version);
            var made = new Registrations("7", DEADLINE);
            talk(
                    registry,
                    rpcbind -> {
                        assertEquals(List.of(), made.addRdma(rpcbind, NFS, 3, at("::", 20049)));
                        assertEquals(List.of(), made.addTcp(rpcbind, NFS, 3, at("::", 2049)));
                        assertEquals(
                                Set.of(
                                        "rdma 0.0.0.0.78.81",
                                        "rdma6 0:0:0:0:0:0:0:0.78.81",
                                        "tcp 0.0.0.0.8.1",
                                        "tcp6 0:0:0:0:0:0:0:0.8.1"),
                                addresses(registry));
                        assertEquals(4, made.count());
                        made.removeAll(rpcbind);
                        assertEquals(0, made.count());
                    });
            assertEquals(Set.of(), addresses(registry));
        }
    }

    @Test
    void registersOneInterfaceInItsFamily() throws Exception {
        var registry = new Registry(2, 4);
        var made = new Registrations("7", DEADLINE);
        talk(
                registry,
                rpcbind -> {
                    made.addRdma(rpcbind, NFS, 3, at("192.0.2.7", 20049));
                    made.addTcp(rpcbind, NFS, 3, at("2001:db8::7", 2049));
                    assertEquals(
                            Set.of("rdma 192.0.2.7.78.81", "tcp6 2001:db8:0:0:0:0:0:7.8.1"),
                            addresses(registry));
                });
    }

    @Test
    void registersWithOldPortmappersWhatTheyCanExpress() throws Exception {
        var registry = new Registry(2, 2);
        var made = new Registrations("7", DEADLINE);
        talk(
                registry,
                rpcbind -> {
                    assertEquals(
                            List.of("program 100003 version 3 over tcp6"),
                            made.addTcp(rpcbind, NFS, 3, at("::", 2049)));
                    assertEquals(
                            List.of("program 100003 version 3 over rdma"),
                            made.addRdma(rpcbind, NFS, 3, at("192.0.2.7", 20049)));
                    assertEquals(
                            List.of(new Mapping(NFS, 3, Mapping.TCP, 2049)), registry.mappings());
                    assertEquals(
                            List.of("program 100024 version 1 over udp6"),
                            made.addUdp(rpcbind, 100024, 1, at("::", 2049)));
                    assertEquals(2, registry.mappings().size());
                    made.removeAll(rpcbind);
                });
        assertEquals(List.of(), registry.mappings());
    }

    @Test
    void leavesTheRegistrationsOfOthersAlone() throws Exception {
        var registry = new Registry(2, 4);
        var others = new Rpcb(NFS, 3, "rdma", "192.0.2.8.78.81", "1");
        registry.add(others);
        var made = new Registrations("7", DEADLINE);
        talk(
                registry,
                rpcbind -> {
                    var refused = made.addRdma(rpcbind, NFS, 3, at("192.0.2.7", 20049));
                    assertEquals(List.of("program 100003 version 3 over rdma"), refused);
                    made.removeAll(rpcbind);
                });
        assertEquals(List.of(others), registry.registrations());
    }

    /** The rpcbind of the system accepts registrations through a socket in the file system. */
    @Test
    void speaksOverSocketsInTheFileSystem(@TempDir Path directory) throws Exception {
        var address = UnixDomainSocketAddress.of(directory.resolve("rpcbind.sock"));
        assertThrows(
                RpcException.Unreachable.class,
                () -> TcpRpcClient.connect(address, new Credential.None(), DEADLINE));
        var registry = new Registry(2, 4);
        talk(registry, tcp -> bridge(address, registry));
    }

    private static void bridge(UnixDomainSocketAddress address, Registry registry)
            throws Exception {
        try (var listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
                var server =
                        TcpRpcServer.listen(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                                List.of(registry),
                                TcpRpcOptions.DEFAULT)) {
            listener.bind(address);
            var bridge = new Bridge(listener, server.address());
            var made = new Registrations("7", DEADLINE);
            try (var rpcbind = TcpRpcClient.connect(address, new Credential.None(), DEADLINE)) {
                made.addRdma(rpcbind, NFS, 3, at("192.0.2.7", 20049));
                assertTrue(addresses(registry).contains("rdma 192.0.2.7.78.81"));
            }
            bridge.join();
        }
    }
}
