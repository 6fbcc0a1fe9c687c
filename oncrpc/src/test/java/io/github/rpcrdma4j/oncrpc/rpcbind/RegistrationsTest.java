package io.github.rpcrdma4j.oncrpc.rpcbind;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.tcp.TcpClientOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcClient;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
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
            var made = new Registrations("7", false, DEADLINE);
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
    void registersTheFirstAddressOfEachNetwork() throws Exception {
        var registry = new Registry(2, 4);
        var made = new Registrations("7", false, DEADLINE);
        talk(
                registry,
                rpcbind -> {
                    for (var each :
                            List.of(
                                    at("192.0.2.1", 2049),
                                    at("192.0.2.2", 2050),
                                    at("::1", 2051),
                                    at("::", 2052))) {
                        assertEquals(List.of(), made.addTcp(rpcbind, NFS, 3, each));
                    }
                    assertEquals(
                            Set.of("tcp 192.0.2.1.8.1", "tcp6 0:0:0:0:0:0:0:1.8.3"),
                            addresses(registry));
                    made.removeAll(rpcbind);
                    assertEquals(List.of(), made.addTcp(rpcbind, NFS, 3, at("192.0.2.2", 2050)));
                    assertEquals(Set.of("tcp 192.0.2.2.8.2"), addresses(registry));
                });
    }

    @Test
    void registersOneInterfaceInItsFamily() throws Exception {
        var registry = new Registry(2, 4);
        var made = new Registrations("7", false, DEADLINE);
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
        var made = new Registrations("7", false, DEADLINE);
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
        var others = new Rpcb(NFS, 3, "rdma", "127.0.0.1.78.81", "1");
        registry.add(others);
        var made = new Registrations("7", false, DEADLINE);
        talk(
                registry,
                rpcbind -> {
                    var refused = made.addRdma(rpcbind, NFS, 3, at("192.0.2.7", 20049));
                    assertEquals(
                            List.of(
                                    "program 100003 version 3 over rdma: another server has it:"
                                            + " 127.0.0.1.78.81 of 1"),
                            refused);
                    made.removeAll(rpcbind);
                });
        assertEquals(List.of(others), registry.registrations());
    }

    /** Returns a port of loopback at which nobody listens. */
    private static int freePort() throws Exception {
        try (var closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return closed.getLocalPort();
        }
    }

    private static Rpcb nfs(int port, String owner) {
        return new Rpcb(NFS, 3, "tcp", UniversalAddress.format(at("127.0.0.1", port)), owner);
    }

    /** Registers NFS over TCP as root, and returns what was refused. */
    private static List<String> registerAsRoot(Registrations made, Registry registry, int port)
            throws Exception {
        registry.knowCaller(Registration.SUPERUSER);
        var refused = new ArrayList<String>();
        talk(
                registry,
                rpcbind -> refused.addAll(made.addTcp(rpcbind, NFS, 3, at("127.0.0.1", port))));
        return refused;
    }

    /** Any user of a host may register any program there. */
    @Test
    void rootTakesAPlaceFromAnotherUserWhoListensThere() throws Exception {
        var registry = new Registry(2, 4);
        try (var listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var theirs = nfs(listening.getLocalPort(), "1001");
            registry.addRivals(List.of(theirs), 3);
            var made = new Registrations("root", true, DEADLINE);
            int port = freePort();
            assertEquals(List.of(), registerAsRoot(made, registry, port));
            assertEquals(List.of(nfs(port, Registration.SUPERUSER)), registry.registrations());
            assertEquals(
                    List.of(
                            "rpcbind had from another user program 100003 version 3 over tcp: "
                                    + theirs.address()
                                    + " of 1001"),
                    made.warnings());
            assertEquals(1, made.count());
        }
    }

    /** Goal: what another user can take away at any time does not count as done. */
    @Test
    void rootDoesNotTakeARegistrationOfOthersForItsOwn() throws Exception {
        var registry = new Registry(2, 4);
        int port = freePort();
        registry.addRivals(List.of(nfs(port, "1001"), nfs(port, "1002")), 1000);
        var made = new Registrations("root", true, DEADLINE);
        var refused = registerAsRoot(made, registry, port);
        assertEquals(1, refused.size(), refused::toString);
        assertTrue(
                refused.getFirst()
                        .startsWith(
                                "program 100003 version 3 over tcp: another user registers it"
                                        + " again and again: "
                                        + nfs(port, "").address()
                                        + " of 100"),
                refused::toString);
        assertEquals(0, made.count());
    }

    @Test
    void rootGivesUpIfAnotherUserIsAlwaysFirst() throws Exception {
        var registry = new Registry(2, 4);
        try (var listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var theirs = nfs(listening.getLocalPort(), "1001");
            registry.addRivals(List.of(theirs), 1000);
            var made = new Registrations("root", true, DEADLINE);
            assertEquals(
                    List.of(
                            "program 100003 version 3 over tcp: another user registers it again"
                                    + " and again: "
                                    + theirs.address()
                                    + " of 1001"),
                    registerAsRoot(made, registry, freePort()));
            assertEquals(0, made.count());
        }
    }

    /** An rpcbind may know root by another name. */
    @Test
    void anOperatorLearnsThatRpcbindHasAnotherNameForRoot() throws Exception {
        var registry = new Registry(2, 4);
        registry.knowCaller("unknown");
        int port = freePort();
        var made = new Registrations("root", true, DEADLINE);
        talk(
                registry,
                rpcbind ->
                        assertEquals(
                                List.of(), made.addTcp(rpcbind, NFS, 3, at("127.0.0.1", port))));
        assertEquals(List.of(nfs(port, "unknown")), registry.registrations());
        assertEquals(
                List.of("rpcbind says that program 100003 version 3 over tcp is of unknown"),
                made.warnings());
        assertEquals(1, made.count());
    }

    /** Goal: no user keeps others from registering by many programs, or by strange addresses. */
    @Test
    void registersBesideAnythingThatOthersHave() throws Exception {
        var registry = new Registry(2, 4);
        for (int i = 0; i < 20_000; i++) {
            registry.add(new Rpcb(0x20000000 + i, 1, "tcp", "127.0.0.1.8.1", "1001"));
        }
        registry.add(new Rpcb(0x30000000, 1, "tcp", "x".repeat(9000), "1001"));
        int before = registry.registrations().size();
        var made = new Registrations("7", false, DEADLINE);
        talk(
                registry,
                rpcbind -> {
                    int port = freePort();
                    assertEquals(List.of(), made.addTcp(rpcbind, NFS, 3, at("127.0.0.1", port)));
                    assertEquals(before + 1, registry.registrations().size());
                    var client = new RpcbindClient(rpcbind, RpcbindClient.VERSION_4, DEADLINE);
                    assertEquals(port, client.listener(NFS, 3, Netid.TCP).orElseThrow().getPort());
                    made.removeAll(rpcbind);
                    assertEquals(before, registry.registrations().size());
                });
    }

    /** Goal: no user keeps root from registering by a list that is too long. */
    @Test
    void rootRegistersEvenIfTheListCannotBeRead() throws Exception {
        var registry = new Registry(2, 4);
        registry.add(nfs(freePort(), "1001"));
        registry.garbleList();
        var made = new Registrations("root", true, DEADLINE);
        int port = freePort();
        assertEquals(List.of(), registerAsRoot(made, registry, port));
        assertEquals(List.of(nfs(port, Registration.SUPERUSER)), registry.registrations());
        assertEquals(1, made.count());
        assertEquals(1, made.warnings().size());
        var another = new Registrations("7", false, DEADLINE);
        talk(
                registry,
                rpcbind ->
                        assertThrows(
                                RpcException.BadReply.class,
                                () -> another.addTcp(rpcbind, NFS, 3, at("127.0.0.1", port))));
    }

    @Test
    void rootRegistersOnAnotherConnectionIfTheListEndsOne() throws Exception {
        var registry = new Registry(2, 4);
        for (int i = 0; i < 2000; i++) {
            registry.add(new Rpcb(0x20000000 + i, 1, "tcp", "127.0.0.1.8.1", "1001"));
        }
        int port = freePort();
        var made = new Registrations("root", true, DEADLINE);
        try (var server =
                        TcpRpcServer.listen(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                                List.of(registry),
                                TcpRpcOptions.DEFAULT);
                var client =
                        TcpRpcClient.connect(
                                server.address(),
                                new Credential.None(),
                                new TcpClientOptions(
                                        DEADLINE,
                                        1 << 14,
                                        OptionalInt.empty(),
                                        Optional.empty()))) {
            assertThrows(
                    RpcException.class, () -> made.addTcp(client, NFS, 3, at("127.0.0.1", port)));
        }
        assertEquals(0, made.count());
        assertEquals(List.of(), registerAsRoot(made, registry, port));
        assertTrue(registry.registrations().contains(nfs(port, Registration.SUPERUSER)));
        assertEquals(1, made.warnings().size());
    }

    /** SET would succeed, and the other user could remove it later. */
    @Test
    void rootTakesItsOwnAddressFromAnotherUser() throws Exception {
        var registry = new Registry(2, 4);
        int port = freePort();
        registry.add(nfs(port, "unknown"));
        var made = new Registrations("root", true, DEADLINE);
        assertEquals(List.of(), registerAsRoot(made, registry, port));
        assertEquals(List.of(nfs(port, Registration.SUPERUSER)), registry.registrations());
    }

    @Test
    void rootLeavesAnotherServerOfRootAlone() throws Exception {
        var registry = new Registry(2, 4);
        try (var listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var theirs = nfs(listening.getLocalPort(), Registration.SUPERUSER);
            registry.add(theirs);
            var made = new Registrations("root", true, DEADLINE);
            assertEquals(
                    List.of(
                            "program 100003 version 3 over tcp: another server has it: "
                                    + theirs.address()
                                    + " of superuser"),
                    registerAsRoot(made, registry, freePort()));
            assertEquals(List.of(theirs), registry.registrations());
            assertEquals(List.of(), made.warnings());
            assertEquals(0, made.count());
        }
    }

    @Test
    void aServerThatHasEndedGivesWay() throws Exception {
        var registry = new Registry(2, 4);
        registry.add(nfs(freePort(), Registration.SUPERUSER));
        var made = new Registrations("root", true, DEADLINE);
        int port = freePort();
        assertEquals(List.of(), registerAsRoot(made, registry, port));
        assertEquals(List.of(nfs(port, Registration.SUPERUSER)), registry.registrations());
        assertEquals(List.of(), made.warnings());
    }

    /** Its port shows nothing over TCP if it has an adapter. */
    @Test
    void aServerOfRdmaGivesWayOnlyAtThePortOfTheNewOne() throws Exception {
        var registry = new Registry(2, 4);
        int port = freePort();
        var address = UniversalAddress.format(at("127.0.0.1", port));
        registry.add(new Rpcb(NFS, 3, "rdma", address, "7"));
        var made = new Registrations("7", false, DEADLINE);
        talk(
                registry,
                rpcbind -> {
                    int other = freePort();
                    assertEquals(1, made.addRdma(rpcbind, NFS, 3, at("127.0.0.1", other)).size());
                    assertEquals(List.of(), made.addRdma(rpcbind, NFS, 3, at("0.0.0.0", port)));
                });
        var registered = UniversalAddress.format(at("0.0.0.0", port));
        assertEquals(Set.of("rdma " + registered), addresses(registry));
    }

    @Test
    void aServerOfUdpGivesWayIfItsPortIsFree() throws Exception {
        var registry = new Registry(2, 4);
        var bound = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        var address = UniversalAddress.format(at("127.0.0.1", bound.getLocalPort()));
        registry.add(new Rpcb(100024, 1, "udp", address, "7"));
        var made = new Registrations("7", false, DEADLINE);
        talk(
                registry,
                rpcbind -> {
                    var wanted = at("127.0.0.1", freePort());
                    assertEquals(1, made.addUdp(rpcbind, 100024, 1, wanted).size());
                    bound.close();
                    assertEquals(List.of(), made.addUdp(rpcbind, 100024, 1, wanted));
                });
    }

    @Test
    void anOrdinaryUserLeavesTheRegistrationsOfOthersAlone() throws Exception {
        var registry = new Registry(2, 4);
        var theirs = nfs(freePort(), "1001");
        registry.add(theirs);
        registry.knowCaller("7");
        var made = new Registrations("7", false, DEADLINE);
        talk(
                registry,
                rpcbind ->
                        assertEquals(
                                List.of(
                                        "program 100003 version 3 over tcp: it cannot be taken"
                                                + " from "
                                                + theirs.address()
                                                + " of 1001"),
                                made.addTcp(rpcbind, NFS, 3, at("127.0.0.1", freePort()))));
        assertEquals(List.of(theirs), registry.registrations());
    }

    /** Goal: a server that ends does not take another one from its clients. */
    @Test
    void whatAnotherServerHasTakenOverStays() throws Exception {
        var registry = new Registry(2, 4);
        var made = new Registrations("7", false, DEADLINE);
        var theirs = nfs(freePort(), "7");
        talk(
                registry,
                rpcbind -> {
                    int port = freePort();
                    made.addTcp(rpcbind, NFS, 3, at("127.0.0.1", port));
                    var client = new RpcbindClient(rpcbind, RpcbindClient.VERSION_4, DEADLINE);
                    assertTrue(client.unset(nfs(port, "7")));
                    assertTrue(client.set(theirs));
                    made.removeAll(rpcbind);
                });
        assertEquals(List.of(theirs), registry.registrations());
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
            var made = new Registrations("7", false, DEADLINE);
            try (var rpcbind = TcpRpcClient.connect(address, new Credential.None(), DEADLINE)) {
                made.addRdma(rpcbind, NFS, 3, at("192.0.2.7", 20049));
                assertTrue(addresses(registry).contains("rdma 192.0.2.7.78.81"));
            }
            bridge.join();
        }
    }
}
