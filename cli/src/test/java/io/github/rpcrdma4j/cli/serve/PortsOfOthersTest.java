package io.github.rpcrdma4j.cli.serve;

import static io.github.rpcrdma4j.cli.OtherUser.allow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.cli.OtherUser;
import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.client.v3.Nfs3Client;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Clients;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.export.ExportRule;
import io.github.rpcrdma4j.nfs.server.export.ExportRule.Ports;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import io.github.rpcrdma4j.oncrpc.spi.CallService;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcClient;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: no port makes a user of the server's machine another one. Method: connections of another
 * user, through a process that passes bytes on, to a server of this process, which root runs.
 */
class PortsOfOthersTest {
    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final Credential CLAIM = new Credential.Sys(0, "box", 1000, 1000, List.of());
    private static final List<Object> NOBODY = List.of(65534, 65534);

    enum Transport {
        RDMA,
        TCP
    }

    @TempDir private Path directory;
    private OtherUser other;
    private Path exported;
    private NfsServer nfs;
    private HeldCalls held;
    private AutoCloseable server;
    private IntSupplier clients;
    private Process relay;
    private BufferedReader printed;
    private InetSocketAddress relayed;

    @BeforeEach
    void serve() throws Exception {
        other = new OtherUser(directory);
        exported = allow(Files.createDirectory(directory.resolve("exported")), "rwxrwxrwx");
        var usual = ExportRule.of(new Clients.Everybody());
        nfs =
                new NfsServer(
                        List.of(
                                export("/usual", usual),
                                export("/secure", usual.withPorts(Ports.PRIVILEGED))),
                        HandleKey.random());
        held = new HeldCalls(new RpcDispatcher(nfs.programs()));
    }

    private Export export(String name, ExportRule rule) {
        return new Export(name, exported, List.of(rule), List.of(SecurityFlavor.SYS));
    }

    @AfterEach
    void stop() throws Exception {
        if (relay != null) {
            relay.destroyForcibly();
        }
        if (held != null) {
            held.goOn.countDown();
            held.readOn.countDown();
        }
        if (server != null) {
            server.close();
        }
        if (nfs != null) {
            nfs.close();
        }
    }

    /** Starts the server, and the process of the other user in front of it. */
    private InetSocketAddress start(Transport transport, CallService calls, String from)
            throws Exception {
        var any = new InetSocketAddress(LOOPBACK, 0);
        InetSocketAddress address;
        if (transport == Transport.TCP) {
            var tcp = TcpRpcServer.listen(any, calls, TcpRpcOptions.DEFAULT);
            server = tcp;
            clients = tcp::clients;
            address = tcp.address();
        } else {
            var rdma =
                    RpcRdmaServer.builder()
                            .provider(new IwarpProvider())
                            .address(any)
                            .calls(calls)
                            .start();
            server = rdma;
            clients = rdma::clients;
            address = rdma.address();
        }
        relay =
                other.start(
                        RelayOfUser.class,
                        from.equals("privileged"),
                        LOOPBACK.getHostAddress(),
                        "" + address.getPort(),
                        from);
        printed = relay.inputReader();
        relayed = new InetSocketAddress(LOOPBACK, port());
        return address;
    }

    private int port() throws IOException {
        return Integer.parseInt(printed.readLine());
    }

    private Nfs3Client client(Transport transport) throws Exception {
        Connector connector =
                transport == Transport.TCP
                        ? () -> TcpRpcClient.connect(relayed, CLAIM, TIMEOUT)
                        : () ->
                                RpcRdmaClient.builder()
                                        .credential(CLAIM)
                                        .binding(NfsVersion.VERSION_3.binding())
                                        .connect(relayed);
        return new Nfs3Client(
                connector,
                connector,
                ClientOptions.DEFAULT.withVersion(NfsVersion.VERSION_3),
                NfsVersion.VERSION_3);
    }

    private static void make(Nfs3Client client, FileHandle root, String name) throws Exception {
        var where = new DirOpArgs(root, name);
        client.call(new Nfs3Call.MakeDirectory(where, SetAttributes.NONE));
    }

    private Thread makeLater(Nfs3Client client, FileHandle root, String name) {
        return Thread.ofVirtual()
                .start(
                        () -> {
                            try {
                                make(client, root, name);
                            } catch (Exception _) {
                                // Its connection ends.
                            }
                        });
    }

    private List<Object> owners(String name) throws IOException {
        var file = exported.resolve(name);
        return List.of(
                Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS),
                Files.getAttribute(file, "unix:gid", LinkOption.NOFOLLOW_LINKS));
    }

    /**
     * The server has read a call, and not that its connection has ended. Root, who is believed for
     * everyone, connects from the same port before the call is carried out.
     */
    @ParameterizedTest
    @EnumSource
    void theNextUserOfAPortDoesNotGetTheCallsOfTheLast(Transport transport) throws Exception {
        var address = start(transport, held, "any");
        try (var client = client(transport)) {
            var root = client.mount(PathName.of("/usual"));
            client.call(new Nfs3Call.GetAttributes(root));
            int port = port();
            // Of the connections for MOUNT and for NFS, the last one makes directories.
            while (printed.ready()) {
                port = port();
            }
            makeLater(client, root, "first");
            held.arrived.await();
            makeLater(client, root, "second");
            held.unread.await();
            relay.getOutputStream().close();
            assertTrue(relay.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS));
            try (var ofRoot = new Socket()) {
                ofRoot.setReuseAddress(true);
                ofRoot.bind(new InetSocketAddress(LOOPBACK, port));
                ofRoot.connect(address);
                if (transport == Transport.TCP) {
                    // The server has accepted it.
                    callNull(ofRoot);
                }
                held.goOn.countDown();
                held.carriedOut.await();
            }
            assertEquals(NOBODY, owners("first"));
            held.readOn.countDown();
        }
    }

    private static void callNull(Socket socket) throws IOException {
        var call = ByteBuffer.allocate(44).putInt(1 << 31 | 40).putInt(1).putInt(0).putInt(2);
        socket.getOutputStream().write(call.putInt(100_003).putInt(3).array());
        assertTrue(socket.getInputStream().read() >= 0);
    }

    /** A machine may let its users have ports below 1024. */
    @ParameterizedTest
    @EnumSource
    void aPortBelow1024MakesNobodyRoot(Transport transport) throws Exception {
        start(transport, new RpcDispatcher(nfs.programs()), "privileged");
        try (var client = client(transport)) {
            make(client, client.mount(PathName.of("/usual")), "made");
            assertTrue(port() < 1024);
            assertEquals(NOBODY, owners("made"));
            assertThrows(IOException.class, () -> client.mount(PathName.of("/secure")));
        }
    }

    /** A user has all of 127.0.0.0/8, and one share of everything. */
    @ParameterizedTest
    @EnumSource
    void theAddressesOfAUserAreOneClient(Transport transport) throws Exception {
        start(transport, new RpcDispatcher(nfs.programs()), "many");
        try (var first = client(transport);
                var second = client(transport)) {
            var root = first.mount(PathName.of("/usual"));
            first.call(new Nfs3Call.GetAttributes(root));
            second.call(new Nfs3Call.GetAttributes(root));
            assertEquals(1, clients.getAsInt());
        }
    }
}
