package io.github.rpcrdma4j.nfs.client.v4;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import io.github.rpcrdma4j.nfs.client.service.OutcomeUnknownException;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.client.service.Status;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/**
 * Goal: what a server forgets is claimed, opened once more, or told as lost, and a change that it
 * may have made is not told as made or refused. Method: over RDMA, with a server that restarts, or
 * whose administrator ends clients.
 */
@Timeout(120)
class LostStateTest {
    private static final String TEXT = "as it was written";

    @TempDir private Path directory;
    @TempDir private Path records;
    private WatchedServer server;
    private Nfs4Service service;
    private FileHandle root;

    private void connect(NfsVersion version, Optional<Path> records) throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        server = new WatchedServer(directory, records);
        service = server.connect(version);
        root = service.mount(PathName.of("/data"));
    }

    @AfterEach
    void stop() throws Exception {
        service.close();
        server.close();
    }

    private OpenFile opened(String name) throws Exception {
        var place = new RemotePlace(root, name);
        service.makeFile(place, AttributeChanges.ofMode(0600), true, "no");
        Files.writeString(directory.resolve(name), TEXT);
        return service.open(service.lookup(place, "no").handle(), OpenFile.Mode.BOTH, "no");
    }

    private void requireUsable(OpenFile file) throws Exception {
        try (var arena = Arena.ofShared()) {
            var data = arena.allocate(TEXT.length());
            assertEquals(TEXT.length(), service.read(file, 0, data, "cannot read"));
            var bytes = MemorySegment.ofArray(TEXT.getBytes(StandardCharsets.UTF_8));
            assertEquals(-1, data.mismatch(bytes));
            service.write(file, 0, Stability.FILE_SYNC, data, "cannot write");
        }
        assertEquals(1, server.administration().opens(9).size());
    }

    /** Another client is awaited, so the grace period goes on, and only claims are taken. */
    @ParameterizedTest
    @EnumSource(mode = Mode.MATCH_ANY, names = "VERSION_4_.")
    void anOpenFileIsClaimedWhenTheServerHasRestarted(NfsVersion version) throws Exception {
        connect(version, Optional.of(records));
        var other = server.connect(version);
        try (var file = opened("file")) {
            server.relay().cutAndHold();
            server.restart();
            // It leaves without a word, because nothing reaches the server.
            var leaving = Thread.startVirtualThread(other::close);
            server.relay().release();
            requireUsable(file);
            leaving.join();
        }
        assertEquals(0, server.administration().opens(9).size());
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.MATCH_ANY, names = "VERSION_4_.")
    void anOpenFileThatCannotBeClaimedIsOpenedOnceMore(NfsVersion version) throws Exception {
        connect(version, Optional.empty());
        try (var file = opened("file")) {
            server.restart();
            requireUsable(file);
        }
        assertEquals(0, server.administration().opens(9).size());
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.MATCH_ANY, names = "VERSION_4_.")
    void anOpenFileThatAnAdministratorEndsIsOpenedOnceMore(NfsVersion version) throws Exception {
        connect(version, Optional.empty());
        try (var file = opened("file")) {
            endClient();
            requireUsable(file);
        }
        assertEquals(0, server.administration().opens(9).size());
    }

    private void endClient() throws Exception {
        var clients = server.administration().clients(9);
        assertEquals(1, clients.size());
        assertTrue(server.administration().end(clients.getFirst().id()).isPresent());
        assertEquals(0, server.administration().opens(9).size());
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.MATCH_ANY, names = "VERSION_4_.")
    void aLostFileThatIsGoneIsTold(NfsVersion version) throws Exception {
        connect(version, Optional.empty());
        try (var file = opened("file")) {
            server.restart();
            Files.delete(directory.resolve("file"));
            try (var arena = Arena.ofShared()) {
                var data = arena.allocate(9);
                for (int i = 0; i < 2; i++) {
                    var told =
                            assertThrows(
                                    NfsException.class,
                                    () -> service.read(file, 0, data, "cannot read"));
                    assertTrue(
                            told.status() == Status.STALE || told.status() == Status.NOT_OPEN,
                            told::getMessage);
                }
            }
        }
    }

    /** The server has renamed the file, restarts before its reply, and finds no file any more. */
    @ParameterizedTest
    @EnumSource(mode = Mode.MATCH_ANY, names = "VERSION_4_.")
    void aChangeThatMayHaveBeenMadeIsToldAsUnknown(NfsVersion version) throws Exception {
        connect(version, Optional.empty());
        opened("one").close();
        var renamed = new CountDownLatch(1);
        server.after(
                () -> {
                    server.relay().cutAndHold();
                    renamed.countDown();
                });
        var call =
                new FutureTask<>(
                        () ->
                                assertThrows(
                                        OutcomeUnknownException.class,
                                        () ->
                                                service.rename(
                                                        new RemotePlace(root, "one"),
                                                        new RemotePlace(root, "two"),
                                                        "cannot rename one")));
        Thread.startVirtualThread(call);
        renamed.await();
        server.restart();
        server.relay().release();
        assertEquals(
                "cannot rename one: it is not known whether the server has done it"
                        + (version == NfsVersion.VERSION_4_0
                                ? ": the connection was lost, and now no such file or directory"
                                : " before its restart: no such file or directory"),
                call.get().getMessage());
        assertTrue(Files.exists(directory.resolve("two")));
    }

    /** The call reaches the server once alone, after its restart. */
    @ParameterizedTest
    @EnumSource(mode = Mode.MATCH_ANY, names = "VERSION_4_.")
    void aChangeThatWasNotMadeBeforeARestartIsMade(NfsVersion version) throws Exception {
        connect(version, Optional.empty());
        opened("one").close();
        server.restart();
        service.rename(new RemotePlace(root, "one"), new RemotePlace(root, "two"), "no");
        assertFalse(Files.exists(directory.resolve("one")));
        var told =
                assertThrows(
                        NfsException.class,
                        () -> service.remove(new RemotePlace(root, "one"), "cannot remove one"));
        assertEquals(Status.NOENT, told.status());
    }
}
