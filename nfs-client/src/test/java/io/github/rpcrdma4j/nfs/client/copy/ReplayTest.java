package io.github.rpcrdma4j.nfs.client.copy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import io.github.rpcrdma4j.iwarp.tcp.IwarpOptions;
import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.NfsClient;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.Relay;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Nfs3Binding;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ForwardingProgram;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcClient;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: if a connection is lost between the execution of a call and its reply, no caller sees an
 * error, and nothing is executed twice. Method: a relay between a client and a server, over each
 * transport, which the program cuts after it has executed a call.
 */
@Timeout(60)
class ReplayTest {
    private static final InetSocketAddress ANY =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final Credential ROOT = new Credential.Sys(0, "test", 0, 0, List.of());
    private static final ClientOptions RETRY =
            ClientOptions.DEFAULT
                    .withVersion(NfsVersion.VERSION_3)
                    .withRetry(Duration.ofSeconds(30));

    /** A program that cuts the connection of one call, between its execution and its reply. */
    private static final class CuttingProgram implements ForwardingProgram {
        private final RpcProgram program;
        private final AtomicInteger executed = new AtomicInteger();
        private volatile Optional<Procedure> cutAfter = Optional.empty();
        private volatile Runnable cut = () -> {};

        /** MKDIR returns only after this many NULL calls have arrived. */
        private volatile CountDownLatch waitsFor = new CountDownLatch(0);

        CuttingProgram(RpcProgram program) {
            this.program = program;
        }

        @Override
        public RpcProgram program() {
            return program;
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results)
                throws XdrException, InterruptedException {
            var status = program.call(request, results);
            if (request.procedure() == Procedure.NULL.number()) {
                waitsFor.countDown();
            } else if (request.procedure() == Procedure.MKDIR.number()) {
                waitsFor.await();
            }
            if (cutAfter.isPresent() && cutAfter.get().number() == request.procedure()) {
                if (executed.incrementAndGet() == 1) {
                    cut.run();
                }
            }
            return status;
        }
    }

    private Path root;
    private NfsServer nfs;
    private CuttingProgram program;
    private RpcDispatcher dispatcher;

    @BeforeEach
    void export() throws IOException {
        root = Jimfs.newFileSystem(Configuration.unix()).getPath("/exported");
        Files.createDirectory(root);
        nfs = new NfsServer(List.of(new Export("/data", root, false)), new byte[32]);
        program = new CuttingProgram(nfs.programs().getFirst());
        dispatcher = new RpcDispatcher(List.of(program, nfs.programs().getLast()));
    }

    @AfterEach
    void close() {
        nfs.close();
    }

    private interface Change {
        void make(NfsMount mount) throws IOException, InterruptedException;
    }

    /**
     * Makes a change over both transports; each time the connection is lost after the execution.
     */
    private void survivesTheLossOf(Procedure procedure, Change prepare, Change change)
            throws Exception {
        try (var server = listen();
                var relay = new Relay(server.address())) {
            var connector = rdma(relay, Duration.ofSeconds(30));
            survivesTheLossOf(procedure, relay, connector, prepare, change);
        }
        try (var server = TcpRpcServer.listen(ANY, dispatcher, TcpRpcOptions.DEFAULT);
                var relay = new Relay(server.address())) {
            Connector connector =
                    () -> TcpRpcClient.connect(relay.address(), ROOT, Duration.ofSeconds(10));
            survivesTheLossOf(procedure, relay, connector, prepare, change);
        }
    }

    private void survivesTheLossOf(
            Procedure procedure, Relay relay, Connector connector, Change prepare, Change change)
            throws Exception {
        try (var mount = mount(connector)) {
            prepare.make(mount);
            int before = relay.connections();
            program.cut = relay::cut;
            program.executed.set(0);
            program.cutAfter = Optional.of(procedure);
            change.make(mount);
            program.cutAfter = Optional.empty();
            if (!program.procedure(Nfs3.VERSION, procedure.number()).repeatable()) {
                assertEquals(1, program.executed.get());
            }
            assertTrue(before < relay.connections());
        }
    }

    private RpcRdmaServer listen() throws IOException {
        return RpcRdmaServer.builder()
                .provider(new IwarpProvider(IwarpOptions.DEFAULT))
                .address(ANY)
                .dispatcher(dispatcher)
                .start();
    }

    private static Connector rdma(Relay relay, Duration keepAlive) {
        return () ->
                RpcRdmaClient.builder()
                        .provider(new IwarpProvider(IwarpOptions.DEFAULT))
                        .credential(ROOT)
                        .binding(Nfs3Binding.BINDING)
                        .keepAlive(keepAlive)
                        .connect(relay.address());
    }

    private static NfsMount mount(Connector connector) throws IOException, InterruptedException {
        return NfsMount.of(NfsClient.connect(connector, connector, RETRY), "/data");
    }

    private static RemotePlace place(NfsMount mount, String name)
            throws IOException, InterruptedException {
        return new RemotePlace(root(mount).handle(), name);
    }

    private static RemoteFile root(NfsMount mount) throws IOException, InterruptedException {
        return mount.resolve("/data");
    }

    private void file(String name) throws IOException {
        Files.write(root.resolve(name), new byte[5]);
    }

    private void empty() throws IOException {
        try (var all = Files.list(root)) {
            for (var each : all.toList()) {
                Files.delete(each);
            }
        }
    }

    @Test
    @Tag("8267-4-2")
    @Tag("5666-8-1")
    void createsOnce() throws Exception {
        survivesTheLossOf(
                Procedure.CREATE,
                _ -> empty(),
                mount -> {
                    var mode = AttributeChanges.ofMode(0600);
                    var created =
                            mount.service()
                                    .makeFile(place(mount, "new"), mode, true, "cannot create");
                    assertEquals(
                            mount.resolve("/data/new").handle(), created.handle().orElseThrow());
                });
    }

    @Test
    void makesADirectoryOnce() throws Exception {
        survivesTheLossOf(
                Procedure.MKDIR,
                _ -> empty(),
                mount -> mount.makeDirectory(PathName.of("/data/directory")));
        assertTrue(Files.isDirectory(root.resolve("directory")));
    }

    @Test
    void removesOnce() throws Exception {
        survivesTheLossOf(
                Procedure.REMOVE,
                _ -> file("old"),
                mount -> mount.service().remove(place(mount, "old"), "cannot remove"));
        assertTrue(Files.notExists(root.resolve("old")));
    }

    @Test
    void renamesOnce() throws Exception {
        survivesTheLossOf(
                Procedure.RENAME,
                _ -> file("old"),
                mount ->
                        mount.service()
                                .rename(place(mount, "old"), place(mount, "new"), "cannot rename"));
        assertTrue(Files.exists(root.resolve("new")));
        assertTrue(Files.notExists(root.resolve("old")));
    }

    @Test
    void linksOnce() throws Exception {
        survivesTheLossOf(
                Procedure.LINK,
                _ -> {
                    empty();
                    file("file");
                },
                mount ->
                        mount.service()
                                .link(
                                        mount.resolve("/data/file").handle(),
                                        place(mount, "link"),
                                        "cannot link"));
        assertEquals(5, Files.size(root.resolve("link")));
    }

    /** Goal: a server that died silently is noticed long before the deadline of a call. */
    @Test
    void goesOnByANewConnectionWhenTheOldOneIsSilent() throws Exception {
        try (var server = listen();
                var relay = new Relay(server.address());
                var mount = mount(rdma(relay, Duration.ofMillis(300)))) {
            relay.freeze();
            mount.makeDirectory(PathName.of("/data/directory"));
            assertTrue(relay.connections() > 1);
        }
        assertTrue(Files.isDirectory(root.resolve("directory")));
    }

    /** Goal: a slow call keeps its connection. */
    @Test
    void keepsTheConnectionOfACallThatTakesLong() throws Exception {
        try (var server = listen();
                var relay = new Relay(server.address());
                var mount = mount(rdma(relay, Duration.ofMillis(500)))) {
            var place = place(mount, "directory");
            int before = relay.connections();
            // The call returns after the client has probed the server twice.
            program.waitsFor = new CountDownLatch(2);
            mount.makeDirectory(PathName.of("/data/directory"));
            assertEquals(0, program.waitsFor.getCount());
            assertEquals(before, relay.connections());
        }
    }

    /** Goal: a refusal whose reply was lost is repeated, and not taken for success. */
    @Test
    void repeatsARefusalWhoseReplyWasLost() throws Exception {
        survivesTheLossOf(
                Procedure.REMOVE,
                _ -> empty(),
                mount -> {
                    var refused =
                            assertThrows(
                                    NfsException.class,
                                    () ->
                                            mount.service()
                                                    .remove(place(mount, "none"), "cannot remove"));
                    assertEquals(Status.NOENT, refused.status());
                });
    }

    /** Goal: data in flight when a connection is lost still arrives, and arrives once. */
    @Test
    @Tag("5666-8-1")
    void finishesCopiesThatLoseTheirConnection(@TempDir Path local) throws Exception {
        byte[] bytes = new byte[20_000_001];
        new Random(bytes.length).nextBytes(bytes);
        var source = Files.write(local.resolve("source"), bytes);
        var target = local.resolve("target");
        var listener = new Counting();
        Change put =
                mount ->
                        new Copier(mount, RETRY, listener)
                                .put(source, place(mount, "file"), "file");
        Change get =
                mount ->
                        new Copier(mount, RETRY, listener)
                                .get(mount.resolve("/data/file"), "file", target);
        survivesTheLossOf(Procedure.WRITE, _ -> {}, put);
        assertArrayEquals(bytes, Files.readAllBytes(root.resolve("file")));
        survivesTheLossOf(Procedure.READ, _ -> {}, get);
        assertArrayEquals(bytes, Files.readAllBytes(target));
        assertEquals(4L * bytes.length, listener.copied.get());
    }

    /** Counts copied bytes. */
    private static final class Counting implements CopyListener {
        final AtomicLong copied = new AtomicLong();

        @Override
        public void copied(long bytes) {
            copied.addAndGet(bytes);
        }
    }
}
