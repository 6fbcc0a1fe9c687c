package io.github.rpcrdma4j.nfs.client.v4;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.client.Relay;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
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
    @TempDir private Path directory;
    private WatchedServer server;
    private Relay relay;
    private Nfs4Service service;
    private FileHandle root;

    @BeforeEach
    void connect() throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        server = new WatchedServer(directory, Optional.empty());
        relay = server.relay();
        service = server.connect();
        root = service.mount(PathName.of("/data"));
    }

    @AfterEach
    void stop() throws Exception {
        service.close();
        server.close();
    }

    private RemotePlace place(String name) {
        return new RemotePlace(root, name);
    }

    private interface Change {
        void make() throws Exception;
    }

    /** Makes a change whose connection is lost, and requires that another one was made for it. */
    private void surviving(Consumer<WatchedServer.Event> when, Change change) throws Exception {
        int connections = relay.connections();
        when.accept(relay::cut);
        change.make();
        assertTrue(relay.connections() > connections, "the connection was not lost");
    }

    private void changeAll(Consumer<WatchedServer.Event> when) throws Exception {
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
        changeAll(server::after);
    }

    @Test
    void aChangeWhoseCallIsLostIsMadeOnce() throws Exception {
        changeAll(server::before);
    }

    @Test
    void anOpenFileStaysOpenOverALostConnection() throws Exception {
        service.makeFile(place("file"), AttributeChanges.ofMode(0600), true, "no");
        var handle = service.lookup(place("file"), "no").handle();
        try (var arena = Arena.ofShared()) {
            var data = arena.allocate(100_000).fill((byte) 7);
            var open = new AtomicReference<OpenFile>();
            surviving(
                    server::after, () -> open.set(service.open(handle, OpenFile.Mode.BOTH, "no")));
            surviving(
                    server::after,
                    () -> service.write(open.get(), 0, Stability.FILE_SYNC, data, "no"));
            surviving(server::after, () -> service.read(open.get(), 0, data.fill((byte) 0), "no"));
            assertArrayEquals(
                    Files.readAllBytes(directory.resolve("file")),
                    data.toArray(ValueLayout.JAVA_BYTE));
            assertEquals(1, server.administration().opens(9).size());
            surviving(server::after, open.get()::close);
        }
        assertEquals(0, server.administration().opens(9).size());
    }

    @Test
    void aSessionThatARestartedServerForgetsIsMadeAnew() throws Exception {
        service.makeFile(place("one"), AttributeChanges.ofMode(0600), true, "no");
        server.restart();
        service.makeFile(place("two"), AttributeChanges.ofMode(0600), true, "no");
        assertTrue(Files.exists(directory.resolve("two")));
        assertEquals(1, server.administration().clients(9).size());
    }

    /** The slot of the interrupted call is found out by a probe; no other call sees anything. */
    @Test
    void aCallThatIsInterruptedCostsNoSlot() throws Exception {
        for (int i = 0; i < 200; i++) {
            var directory = place("directory" + i);
            var arrived = new CountDownLatch(1);
            var goOn = new CountDownLatch(1);
            server.before(
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
