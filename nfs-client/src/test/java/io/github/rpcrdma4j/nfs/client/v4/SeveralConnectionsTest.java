package io.github.rpcrdma4j.nfs.client.v4;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.client.Relay;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.LockRange;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.admin.ServedSession;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.ForwardingProgram;
import io.github.rpcrdma4j.oncrpc.ProcessCredential;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.tcp.TcpClientOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpConnector;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: the calls of one session go over several connections, and those of a lost one over the
 * others. Method: through a relay that cuts single connections, with a server that sees where calls
 * come from.
 */
@Timeout(120)
class SeveralConnectionsTest {
    private static final int COUNT = 3;

    @TempDir private Path directory;
    private NfsServer nfs;
    private AutoCloseable server;
    private Relay relay;
    private Nfs4Service service;
    private FileHandle root;

    /** The ports from which calls came. */
    private final Set<Integer> ports = ConcurrentHashMap.newKeySet();

    /** What happens with the port of the next call that has more than SEQUENCE, behind it. */
    private final AtomicReference<Behind> behind = new AtomicReference<>(_ -> {});

    private interface Behind {
        void run(int port);
    }

    /** The transports of NFS. */
    private enum Transport {
        RDMA,
        TCP
    }

    private final class Watched implements ForwardingProgram {
        private final RpcProgram program;

        Watched(RpcProgram program) {
            this.program = program;
        }

        @Override
        public RpcProgram program() {
            return program;
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results)
                throws XdrException, InterruptedException {
            ports.add(request.peer().getPort());
            boolean isOfFiles = request.arguments().remaining() > WatchedServer.SEQUENCE_ALONE;
            var status = program.call(request, results);
            if (isOfFiles) {
                behind.getAndSet(_ -> {}).run(request.peer().getPort());
            }
            return status;
        }
    }

    @BeforeEach
    void serve() throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        nfs = new NfsServer(List.of(new Export("/data", directory, false)), new byte[32]);
    }

    private void connect(Transport transport) throws Exception {
        var programs = nfs.programs().stream().<RpcProgram>map(Watched::new).toList();
        var loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        var caller = ProcessCredential.read();
        Connector connector;
        switch (transport) {
            case RDMA -> {
                var rdma =
                        RpcRdmaServer.builder()
                                .provider(new IwarpProvider())
                                .address(loopback)
                                .programs(programs)
                                .start();
                server = rdma;
                relay = new Relay(rdma.address());
                connector =
                        RpcRdmaClient.builder()
                                .provider(new IwarpProvider())
                                .credential(caller)
                                .binding(NfsVersion.VERSION_4_2.binding())
                                .connector(relay.address());
            }
            default -> {
                var tcp = TcpRpcServer.listen(loopback, programs, TcpRpcOptions.DEFAULT);
                server = tcp;
                relay = new Relay(tcp.address());
                connector =
                        new TcpConnector(
                                relay.address(),
                                caller,
                                TcpClientOptions.within(Duration.ofSeconds(30)));
            }
        }
        service =
                Nfs4Service.connect(
                        connector,
                        WatchedServer.OPTIONS.withConnections(COUNT),
                        NfsVersion.VERSION_4_2);
        root = service.mount(PathName.of("/data"));
    }

    @AfterEach
    void stop() throws Exception {
        service.close();
        relay.close();
        server.close();
        assertEquals(List.of(), nfs.administration().sessions(9));
        nfs.close();
    }

    /** Makes calls until the session is as it is wanted. */
    private ServedSession awaitSession(Predicate<ServedSession> wanted) throws Exception {
        while (true) {
            service.attributes(root, "no");
            var sessions = nfs.administration().sessions(9);
            if (sessions.size() == 1 && wanted.test(sessions.getFirst())) {
                return sessions.getFirst();
            }
        }
    }

    private void awaitAll() throws Exception {
        var session = awaitSession(each -> each.connections() == COUNT);
        assertEquals(1, session.backConnections());
        assertTrue(session.callsBack());
    }

    /** Makes calls at a time, until the server has seen so many connections. */
    private void requireCallsOver(int connections) throws Exception {
        ports.clear();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Callable<Void> calls =
                    () -> {
                        while (ports.size() < connections) {
                            service.attributes(root, "no");
                        }
                        return null;
                    };
            var running =
                    List.<Future<Void>>of(
                            threads.submit(calls),
                            threads.submit(calls),
                            threads.submit(calls),
                            threads.submit(calls));
            for (var each : running) {
                each.get();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void callsOfOneSessionGoOverAllConnections(Transport transport) throws Exception {
        connect(transport);
        awaitAll();
        requireCallsOver(COUNT);
        assertEquals(COUNT, relay.connections());
    }

    /** No other connection can be made, so the call arrives only on one that is there. */
    @ParameterizedTest
    @EnumSource
    void aChangeWhoseConnectionIsLostIsMadeOnceOverAnotherOne(Transport transport)
            throws Exception {
        connect(transport);
        awaitAll();
        relay.hold();
        for (var name : List.of("one", "two")) {
            behind.set(relay::cut);
            var place = new RemotePlace(root, name);
            service.makeDirectory(place, AttributeChanges.ofMode(0700), "no");
            assertTrue(Files.isDirectory(directory.resolve(name)));
        }
        relay.release();
        awaitAll();
    }

    /** The callbacks move to the connection that replaces the first one. */
    @ParameterizedTest
    @EnumSource
    void locksAreToldOverTheSuccessorOfTheFirstConnection(Transport transport) throws Exception {
        connect(transport);
        awaitAll();
        behind.set(relay::cut);
        service.attributes(root, "no");
        awaitAll();
        var place = new RemotePlace(root, "file");
        service.makeFile(place, AttributeChanges.ofMode(0600), true, "no");
        var file = service.lookup(place, "no").handle();
        try (var holder = service.open(file, OpenFile.Mode.BOTH, "no");
                var waiter = service.open(file, OpenFile.Mode.BOTH, "no");
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            assertTrue(service.lock(holder, LockRange.ALL, true, Duration.ZERO, "no"));
            long notices = ((OpenAtServer) waiter).notices();
            var denied = new CountDownLatch(1);
            behind.set(_ -> denied.countDown());
            var waiting =
                    threads.submit(
                            () ->
                                    service.lock(
                                            waiter,
                                            LockRange.ALL,
                                            true,
                                            Duration.ofSeconds(60),
                                            "no"));
            denied.await();
            service.unlock(holder, LockRange.ALL, "no");
            assertTrue(waiting.get(60, TimeUnit.SECONDS));
            awaitSession(_ -> ((OpenAtServer) waiter).notices() > notices);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aSessionThatIsMadeAnewHasAllConnections(Transport transport) throws Exception {
        connect(transport);
        awaitAll();
        var client = nfs.administration().clients(9).getFirst();
        assertTrue(nfs.administration().end(client.id()).isPresent());
        awaitAll();
        requireCallsOver(COUNT);
    }

    /** Goal: a long file is written and read over all connections, also when some are lost. */
    @ParameterizedTest
    @EnumSource
    void aPipelineGoesOnWhenAConnectionIsLost(Transport transport) throws Exception {
        connect(transport);
        awaitAll();
        var place = new RemotePlace(root, "file");
        service.makeFile(place, AttributeChanges.ofMode(0600), true, "no");
        var file = service.lookup(place, "no").handle();
        int calls = 200;
        int length = 10_000;
        try (var arena = Arena.ofShared();
                var open = service.open(file, OpenFile.Mode.BOTH, "no");
                var pipeline = service.pipeline()) {
            for (int i = 0; i < calls; i++) {
                var data = arena.allocate(length).fill((byte) i);
                pipeline.write(
                        open,
                        (long) i * length,
                        Stability.FILE_SYNC,
                        data,
                        "no",
                        written -> assertEquals(length, written.count()));
            }
            behind.set(relay::cut);
            boolean hasCalls = true;
            while (hasCalls) {
                hasCalls = pipeline.poll();
            }
        }
        var bytes = Files.readAllBytes(directory.resolve("file"));
        assertEquals(calls * length, bytes.length);
        for (int i = 0; i < bytes.length; i++) {
            assertEquals((byte) (i / length), bytes[i]);
        }
    }
}
