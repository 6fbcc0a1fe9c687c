package io.github.rpcrdma4j.nfs.client.v4;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.copy.Copier;
import io.github.rpcrdma4j.nfs.client.copy.CopyListener;
import io.github.rpcrdma4j.nfs.client.copy.PreservedAttributes;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import io.github.rpcrdma4j.nfs.client.service.OutcomeUnknownException;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.client.service.Status;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/**
 * Goal: a file that must be new is made once, with its mode and with times that are times, also if
 * the server forgets what it was asked before its answer arrives. Method: over RDMA, with a server
 * that restarts when it has made the file.
 */
@Timeout(120)
class ExclusiveCreationTest {
    private static final AttributeChanges MODE = AttributeChanges.ofMode(0600);

    @TempDir private Path directory;
    @TempDir private Path local;
    private WatchedServer server;
    private Nfs4Service service;
    private FileHandle root;

    private void connect(NfsVersion version) throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        server = new WatchedServer(directory, Optional.empty(), Duration.ofSeconds(1));
        service = server.connect(version);
        root = service.mount(PathName.of("/data"));
    }

    @AfterEach
    void stop() throws Exception {
        service.close();
        server.close();
    }

    private <T> FutureTask<T> forgetting(Callable<T> call) throws Exception {
        return forgetting(call, () -> {});
    }

    /**
     * Lets the server carry out the call that makes a file, lose the connection, and forget its
     * clients.
     *
     * @param meanwhile what happens before the call is sent again
     */
    private <T> FutureTask<T> forgetting(Callable<T> call, WatchedServer.Event meanwhile)
            throws Exception {
        var made = new CountDownLatch(1);
        server.after(() -> loseWhenMade(made));
        var calling = new FutureTask<>(call);
        Thread.startVirtualThread(calling);
        made.await();
        server.restart();
        meanwhile.run();
        server.relay().release();
        return calling;
    }

    private void loseWhenMade(CountDownLatch made) throws Exception {
        if (directory.toFile().list().length == 0) {
            server.after(() -> loseWhenMade(made));
            return;
        }
        server.relay().cutAndHold();
        made.countDown();
    }

    private void requireFile(String name, String rights) throws Exception {
        var path = directory.resolve(name);
        assertEquals(rights, PosixFilePermissions.toString(Files.getPosixFilePermissions(path)));
        var told = Files.readAttributes(path, BasicFileAttributes.class);
        for (var time :
                new Instant[] {
                    told.lastAccessTime().toInstant(), told.lastModifiedTime().toInstant()
                }) {
            var age = Duration.between(time, Instant.now());
            assertTrue(age.abs().toHours() < 1, () -> name + " has the time " + time);
        }
    }

    private void requireNames(int count) throws Exception {
        try (var names = Files.list(directory)) {
            assertEquals(count, names.count());
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.MATCH_ANY, names = "VERSION_4_.")
    void aFileThatWasMadeBeforeItsAnswerWasLostIsFound(NfsVersion version) throws Exception {
        connect(version);
        var place = new RemotePlace(root, "file");
        var made = forgetting(() -> service.makeFile(place, MODE, true, "no")).get();
        assertEquals(made.handle(), Optional.of(service.lookup(place, "no").handle()));
        requireFile("file", "rw-------");
        requireNames(1);
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.MATCH_ANY, names = "VERSION_4_.")
    void anOpenFileThatWasMadeBeforeItsAnswerWasLostCanBeUsed(NfsVersion version) throws Exception {
        connect(version);
        var place = new RemotePlace(root, "file");
        var making =
                forgetting(() -> service.makeOpen(place, MODE, true, OpenFile.Mode.WRITE, "no"));
        try (var open = making.get().open();
                var arena = Arena.ofShared()) {
            var data = arena.allocate(9);
            var stable = Stability.FILE_SYNC;
            assertEquals(9, service.write(open, 0, stable, data, "no").count());
        }
        requireFile("file", "rw-------");
        requireNames(1);
    }

    /** It must not be taken for that of this call. */
    @ParameterizedTest
    @EnumSource(mode = Mode.MATCH_ANY, names = "VERSION_4_.")
    void aFileThatAnotherOneMadeMeanwhileIsNotTaken(NfsVersion version) throws Exception {
        connect(version);
        var place = new RemotePlace(root, "file");
        var calling =
                forgetting(
                        () -> service.makeFile(place, MODE, true, "cannot make file"),
                        () -> {
                            Files.delete(directory.resolve("file"));
                            Files.createFile(directory.resolve("file"));
                        });
        var told = assertThrows(ExecutionException.class, calling::get);
        assertEquals(OutcomeUnknownException.class, told.getCause().getClass());
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.MATCH_ANY, names = "VERSION_4_.")
    void aFileThatIsThereIsAFailure(NfsVersion version) throws Exception {
        connect(version);
        var place = new RemotePlace(root, "file");
        service.makeFile(place, MODE, true, "no");
        for (int i = 0; i < 2; i++) {
            var told =
                    assertThrows(
                            NfsException.class, () -> service.makeFile(place, MODE, true, "no"));
            assertEquals(Status.EXIST, told.status());
        }
        requireFile("file", "rw-------");
        assertEquals(0, server.administration().opens(9).size());
    }

    @ParameterizedTest
    @CsvSource({
        "VERSION_4_0,0", "VERSION_4_0,400", "VERSION_4_0,666", "VERSION_4_1,0",
        "VERSION_4_1,400", "VERSION_4_2,0", "VERSION_4_2,644", "VERSION_4_2,777"
    })
    void aNewFileHasItsModeAndCanBeWritten(NfsVersion version, String mode) throws Exception {
        connect(version);
        int bits = Integer.parseInt(mode, 8);
        var place = new RemotePlace(root, "file");
        var attributes = AttributeChanges.ofMode(bits);
        var opened = service.makeOpen(place, attributes, true, OpenFile.Mode.WRITE, "no");
        assertEquals(bits, opened.file().attributes().mode());
        try (var open = opened.open();
                var arena = Arena.ofShared()) {
            var stable = Stability.FILE_SYNC;
            service.write(open, 0, stable, arena.allocate(9), "no");
        }
        assertEquals(bits, service.lookup(place, "no").attributes().mode());
    }

    /** The bytes are in the file, so its times are no verifier any more: it is made once more. */
    @ParameterizedTest
    @CsvSource({
        "VERSION_4_0,9",
        "VERSION_4_1,9",
        "VERSION_4_2,9",
        "VERSION_4_2,0",
        "VERSION_4_2,3000000"
    })
    void aCopyWhoseFileWasMadeBeforeItsAnswerWasLostIsWhole(NfsVersion version, int length)
            throws Exception {
        connect(version);
        var source = local.resolve("source");
        Files.write(source, new byte[length]);
        try (var mount = NfsMount.of(server.connect(version), "/data")) {
            var copier = new Copier(mount, WatchedServer.OPTIONS, new CopyListener() {});
            var place = mount.place("/data/copy");
            forgetting(
                            () -> {
                                copier.put(source, place, "/data/copy");
                                return null;
                            })
                    .get();
        }
        assertArrayEquals(new byte[length], Files.readAllBytes(directory.resolve("copy")));
        requireFile("copy", "rw-r--r--");
        requireNames(1);
        assertEquals(0, server.administration().opens(9).size());
    }

    /** A copy that can be resumed makes its file as any other one does. */
    @ParameterizedTest
    @EnumSource(mode = Mode.MATCH_ANY, names = "VERSION_4_[02]")
    void aLongCopyWhoseFileNobodyKnowsIsMadeUnderAnotherName(NfsVersion version) throws Exception {
        connect(version);
        var source = local.resolve("source");
        Files.write(source, new byte[65 << 20]);
        try (var mount = NfsMount.of(server.connect(version), "/data")) {
            var copier =
                    new Copier(
                            mount,
                            WatchedServer.OPTIONS,
                            new CopyListener() {},
                            PreservedAttributes.PERMISSIONS,
                            true);
            var place = mount.place("/data/copy");
            forgetting(
                            () -> {
                                copier.put(source, place, "/data/copy");
                                return null;
                            },
                            this::replaceTheOnlyFile)
                    .get();
        }
        assertEquals(65 << 20, Files.size(directory.resolve("copy")));
        requireNames(1);
    }

    private void replaceTheOnlyFile() throws Exception {
        try (var names = Files.list(directory)) {
            var only = names.findFirst().orElseThrow();
            Files.delete(only);
            Files.createFile(only);
        }
    }
}
