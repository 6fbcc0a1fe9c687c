package io.github.rpcrdma4j.nfs.client.v4;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.client.ForwardingProgram;
import io.github.rpcrdma4j.nfs.client.Relay;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.ProcessCredential;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: each call of a session is carried out once, also if its connection is lost, and a session
 * that the server forgets is made anew. Method: over RDMA, through a relay that the program of the
 * server cuts.
 */
@Timeout(120)
class Nfs4SessionTest {
    private static final ClientOptions OPTIONS =
            ClientOptions.DEFAULT
                    .withVersion(NfsVersion.VERSION_4_2)
                    .withRetry(Duration.ofSeconds(30))
                    .withCaller(ProcessCredential.read());

    /**
     * Bytes of a compound of SEQUENCE alone, with an empty tag: the client renews its lease and
     * asks about a slot by it, at times of its own. The events of the tests are not for it.
     */
    private static final int SEQUENCE_ALONE = 48;

    /** What happens at a call of version 4, before its execution or after it. */
    private interface Event {
        void run() throws InterruptedException;
    }

    private record WatchedProgram(
            RpcProgram program, AtomicReference<Event> before, AtomicReference<Event> after)
            implements ForwardingProgram {
        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results)
                throws XdrException, InterruptedException {
            if (request.arguments().remaining() <= SEQUENCE_ALONE) {
                return program.call(request, results);
            }
            before.getAndSet(() -> {}).run();
            var status = program.call(request, results);
            after.getAndSet(() -> {}).run();
            return status;
        }
    }

    @TempDir private Path directory;
    private final AtomicReference<Event> before = new AtomicReference<>(() -> {});
    private final AtomicReference<Event> after = new AtomicReference<>(() -> {});
    private NfsServer nfs;
    private RpcRdmaServer server;
    private Relay relay;
    private Nfs4Service service;
    private FileHandle root;

    private void serve(InetSocketAddress address) throws IOException {
        nfs = new NfsServer(List.of(new Export("/data", directory, false)), new byte[32]);
        server =
                RpcRdmaServer.builder()
                        .provider(new IwarpProvider())
                        .address(address)
                        .programs(nfs.programs().stream().map(this::watched).toList())
                        .start();
    }

    private RpcProgram watched(RpcProgram program) {
        return program.id().number() == NfsVersion.PROGRAM
                ? new WatchedProgram(program, before, after)
                : program;
    }

    @BeforeEach
    void connect() throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        serve(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        relay = new Relay(server.address());
        Connector connector =
                () ->
                        RpcRdmaClient.builder()
                                .provider(new IwarpProvider())
                                .credential(ProcessCredential.read())
                                .binding(NfsVersion.VERSION_4_2.binding())
                                .connect(relay.address());
        service = Nfs4Service.connect(connector, OPTIONS);
        root = service.mount(PathName.of("/data"));
    }

    @AfterEach
    void stop() throws Exception {
        service.close();
        relay.close();
        server.close();
        nfs.close();
    }

    private RemotePlace place(String name) {
        return new RemotePlace(root, name);
    }

    private interface Change {
        void make() throws Exception;
    }

    /** Makes a change whose connection is lost, and requires that another one was made for it. */
    private void surviving(AtomicReference<Event> when, Change change) throws Exception {
        int connections = relay.connections();
        when.set(relay::cut);
        change.make();
        assertTrue(relay.connections() > connections, "the connection was not lost");
    }

    private void changeAll(AtomicReference<Event> when) throws Exception {
        var mode = AttributeChanges.ofMode(0700);
        surviving(when, () -> service.makeFile(place("file"), mode, true, "no"));
        surviving(when, () -> service.makeDirectory(place("directory"), mode, "no"));
        surviving(when, () -> service.makeLink(place("link"), PathName.of("x"), "no"));
        var file = service.lookup(place("file"), "no").handle();
        surviving(when, () -> service.link(file, place("second"), "no"));
        surviving(when, () -> service.rename(place("second"), place("third"), "no"));
        surviving(when, () -> service.remove(place("third"), "no"));
        surviving(when, () -> service.removeDirectory(place("directory"), "no"));
        surviving(when, () -> service.remove(place("link"), "no"));
        try (var names = Files.list(directory)) {
            assertEquals(List.of(directory.resolve("file")), names.toList());
        }
    }

    @Test
    void aChangeWhoseReplyIsLostIsMadeOnce() throws Exception {
        changeAll(after);
    }

    @Test
    void aChangeWhoseCallIsLostIsMadeOnce() throws Exception {
        changeAll(before);
    }

    @Test
    void anOpenFileStaysOpenOverALostConnection() throws Exception {
        service.makeFile(place("file"), AttributeChanges.ofMode(0600), true, "no");
        var handle = service.lookup(place("file"), "no").handle();
        try (var arena = Arena.ofShared()) {
            var data = arena.allocate(100_000).fill((byte) 7);
            var open = new AtomicReference<OpenFile>();
            surviving(after, () -> open.set(service.open(handle, OpenFile.Mode.BOTH, "no")));
            surviving(after, () -> service.write(open.get(), 0, Stability.FILE_SYNC, data, "no"));
            surviving(after, () -> service.read(open.get(), 0, data.fill((byte) 0), "no"));
            assertArrayEquals(
                    Files.readAllBytes(directory.resolve("file")),
                    data.toArray(ValueLayout.JAVA_BYTE));
            assertEquals(1, nfs.administration().opens(9).size());
            surviving(after, open.get()::close);
        }
        assertEquals(0, nfs.administration().opens(9).size());
    }

    @Test
    void aSessionThatARestartedServerForgetsIsMadeAnew() throws Exception {
        service.makeFile(place("one"), AttributeChanges.ofMode(0600), true, "no");
        server.close();
        nfs.close();
        serve(server.address());
        service.makeFile(place("two"), AttributeChanges.ofMode(0600), true, "no");
        assertTrue(Files.exists(directory.resolve("two")));
        assertEquals(1, nfs.administration().clients(9).size());
    }

    /** The slot of the interrupted call is found out by a probe; no other call sees anything. */
    @Test
    void aCallThatIsInterruptedCostsNoSlot() throws Exception {
        for (int i = 0; i < 200; i++) {
            var directory = place("directory" + i);
            var arrived = new CountDownLatch(1);
            var goOn = new CountDownLatch(1);
            before.set(
                    () -> {
                        arrived.countDown();
                        goOn.await();
                    });
            var call =
                    new FutureTask<>(
                            () -> {
                                var mode = AttributeChanges.ofMode(0700);
                                return service.makeDirectory(directory, mode, "no");
                            });
            var caller = Thread.startVirtualThread(call);
            arrived.await();
            caller.interrupt();
            assertThrows(ExecutionException.class, call::get);
            goOn.countDown();
            assertTrue(service.attributes(root, "no").isDirectory());
        }
    }
}
