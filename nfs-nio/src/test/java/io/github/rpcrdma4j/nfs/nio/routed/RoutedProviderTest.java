package io.github.rpcrdma4j.nfs.nio.routed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.client.NfsUrl.Transport;
import io.github.rpcrdma4j.nfs.nio.NfsOptions;
import io.github.rpcrdma4j.nfs.nio.ServedDirectory;
import io.github.rpcrdma4j.testing.Eventually;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.ProviderMismatchException;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class RoutedProviderTest {
    @TempDir private Path directory;
    @TempDir private Path here;
    private ServedDirectory served;
    private FileSystem files;
    private Path data;

    @BeforeEach
    void serve() throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        served = new ServedDirectory(directory, Transport.RDMA);
        files =
                new RoutedProvider(FileSystems.getDefault().provider())
                        .getFileSystem(URI.create("file:///"));
        data = files.getPath("/net/nfs+rdma", served.uri().getAuthority(), "data");
    }

    @AfterEach
    void close() throws Exception {
        try {
            FileSystems.getFileSystem(served.uri()).close();
        } finally {
            served.close();
        }
    }

    @Test
    void theFirstUseOfAPathConnects() throws Exception {
        Files.writeString(data.resolve("file"), "bytes");
        assertEquals("bytes", Files.readString(directory.resolve("file")));
        var connected = FileSystems.getFileSystem(served.uri());
        assertTrue(Files.exists(data.resolve("file")));
        assertEquals(connected, FileSystems.getFileSystem(served.uri()));
    }

    @Test
    void aFileSystemThatTheProgramOpenedIsUsed() throws Exception {
        var options = NfsOptions.DEFAULT.withWatch(Duration.ofMillis(50)).environment();
        FileSystems.newFileSystem(served.uri(), options);
        Files.createDirectory(data.resolve("made"));
        try (var watcher = files.newWatchService()) {
            var ofServer = data.register(watcher, StandardWatchEventKinds.ENTRY_CREATE);
            var local = files.getPath(here.toString());
            local.register(watcher, StandardWatchEventKinds.ENTRY_CREATE);
            Files.createFile(directory.resolve("new"));
            var key = watcher.poll(60, TimeUnit.SECONDS);
            assertEquals(ofServer, key);
            assertEquals(data, key.watchable());
            var name = (Path) key.pollEvents().getFirst().context();
            assertTrue(Files.exists(data.resolve(name)));
            assertTrue(key.reset());
            Files.createFile(here.resolve("other"));
            assertEquals(local, watcher.take().watchable());
            ofServer.cancel();
            assertFalse(ofServer.isValid());
        }
    }

    @Test
    void aClosedWatchServiceHasNoKeys() throws Exception {
        WatchService closed;
        try (var watcher = files.newWatchService()) {
            data.register(watcher, StandardWatchEventKinds.ENTRY_CREATE);
            closed = watcher;
        }
        assertThrows(ClosedWatchServiceException.class, closed::take);
        assertThrows(ClosedWatchServiceException.class, closed::poll);
    }

    @Test
    void linksStayAtTheirServer() throws Exception {
        Files.writeString(data.resolve("file"), "bytes");
        var absolute = Files.createSymbolicLink(data.resolve("absolute"), data.resolve("file"));
        var relative = Files.createSymbolicLink(data.resolve("relative"), files.getPath("file"));
        assertEquals(
                "/data/file", Files.readSymbolicLink(directory.resolve("absolute")).toString());
        assertEquals(data.resolve("file"), Files.readSymbolicLink(absolute));
        assertEquals(files.getPath("file"), Files.readSymbolicLink(relative));
        assertEquals("bytes", Files.readString(absolute));
        assertEquals(data.resolve("file"), relative.toRealPath());
        for (var other : List.of("/etc/passwd", "/net/nfs/other/data/file")) {
            assertThrows(
                    FileSystemException.class,
                    () -> Files.createSymbolicLink(data.resolve("x"), files.getPath(other)));
        }
        assertFalse(Files.exists(directory.resolve("x")));
        assertThrows(
                FileSystemException.class,
                () -> Files.createLink(data.resolve("x"), files.getPath(here.toString())));
    }

    @Test
    void filesAreCopiedAndMovedBetweenThisMachineAndAServer() throws Exception {
        var local = files.getPath(here.toString(), "file");
        Files.writeString(local, "bytes");
        Files.copy(local, data.resolve("copy"));
        assertEquals("bytes", Files.readString(directory.resolve("copy")));
        Files.delete(local);
        Files.move(data.resolve("copy"), local);
        assertEquals("bytes", Files.readString(here.resolve("file")));
        assertFalse(Files.exists(data.resolve("copy")));
    }

    @Test
    void aCopyAtAServerIsAsPrivateAsItsSource() throws Exception {
        var permissions = PosixFilePermissions.fromString("rwx------");
        var local = files.getPath(here.toString(), "file");
        Files.writeString(local, "bytes");
        Files.setPosixFilePermissions(local, permissions);
        Files.copy(local, data.resolve("copy"));
        assertEquals(permissions, Files.getPosixFilePermissions(directory.resolve("copy")));
        Files.copy(data.resolve("copy"), local.resolveSibling("back"));
        assertEquals(permissions, Files.getPosixFilePermissions(here.resolve("back")));
        assertThrows(
                FileAlreadyExistsException.class, () -> Files.copy(local, data.resolve("copy")));
        Files.writeString(local, "other");
        Files.copy(local, data.resolve("copy"), StandardCopyOption.REPLACE_EXISTING);
        assertEquals("other", Files.readString(directory.resolve("copy")));
        var inner = Files.createDirectory(local.resolveSibling("inner"));
        Files.setPosixFilePermissions(inner, permissions);
        Files.copy(inner, data.resolve("inner"));
        assertEquals(permissions, Files.getPosixFilePermissions(directory.resolve("inner")));
    }

    @Test
    void aFileThatIsItsOwnCopyIsNotLost() throws Exception {
        Files.writeString(directory.resolve("file"), "bytes");
        var local = files.getPath(directory.toString(), "file");
        var same = data.resolve("file");
        Files.copy(local, same, StandardCopyOption.REPLACE_EXISTING);
        assertEquals("bytes", Files.readString(directory.resolve("file")));
        assertThrows(
                FileSystemException.class,
                () -> Files.move(local, same, StandardCopyOption.REPLACE_EXISTING));
        assertEquals("bytes", Files.readString(directory.resolve("file")));
        try (var names = Files.list(directory)) {
            assertEquals(1, names.count());
        }
    }

    @Test
    void aNameThatHasNoTextIsNotChangedAtAServer() throws Exception {
        var name = files.provider().getPath(URI.create(here.toUri() + "%FF"));
        Files.writeString(name, "bytes");
        assertThrows(
                FileSystemException.class,
                () -> Files.copy(name, data.resolve(name.getFileName())));
        try (var names = Files.list(directory)) {
            assertEquals(0, names.count());
        }
        assertTrue(Files.exists(data));
    }

    @Test
    void anEventHasTheNameOfItsFile() throws Exception {
        var local = files.getPath(here.toString());
        try (var watcher = files.newWatchService()) {
            local.register(watcher, StandardWatchEventKinds.ENTRY_CREATE);
            Files.createFile(files.provider().getPath(URI.create(here.toUri() + "%FF")));
            var key = watcher.poll(60, TimeUnit.SECONDS);
            assertTrue(Files.exists(local.resolve((Path) key.pollEvents().getFirst().context())));
        }
        assertTrue(Files.exists(data));
    }

    @Test
    void aKeyThatIsCancelledEndsNoOtherKey() throws Exception {
        var local = files.getPath(here.toString());
        try (var watcher = files.newWatchService()) {
            for (int i = 0; i < 2000; i++) {
                var inner = Files.createDirectories(local.resolve("inner"));
                var key = inner.register(watcher, StandardWatchEventKinds.ENTRY_CREATE);
                Files.createFile(inner.resolve("file"));
                key.cancel();
                Files.delete(inner.resolve("file"));
            }
            var key = local.register(watcher, StandardWatchEventKinds.ENTRY_CREATE);
            Files.createFile(local.resolve("file"));
            WatchKey signalled;
            do {
                signalled = watcher.poll(20, TimeUnit.SECONDS);
            } while (signalled != null && !signalled.equals(key));
            assertEquals(key, signalled);
        }
        assertTrue(Files.exists(data));
    }

    @Test
    @Timeout(20)
    void aServerThatDoesNotAnswerDelaysNoWatchedDirectoryOfThisMachine() throws Exception {
        assertTrue(Files.exists(data));
        var local = files.getPath(here.toString());
        try (var watcher = files.newWatchService()) {
            served.hang();
            int before = served.calls();
            var other =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        try {
                                            data.register(
                                                    watcher, StandardWatchEventKinds.ENTRY_CREATE);
                                        } catch (IOException failed) {
                                            throw new UncheckedIOException(failed);
                                        }
                                    });
            Eventually.await(() -> served.calls() > before);
            var key = local.register(watcher, StandardWatchEventKinds.ENTRY_CREATE);
            Files.createFile(local.resolve("file"));
            assertEquals(key, watcher.take());
            served.goOn();
            other.join();
        } finally {
            served.goOn();
        }
    }

    @Test
    void aNameThatNoServerCanHaveChangesNothingHere() throws Exception {
        for (var each : List.of("user@host", "host:99999", "a b")) {
            var path = files.getPath("/net/nfs", each, "x");
            assertFalse(Files.exists(path));
            var failure =
                    assertThrows(FileSystemException.class, () -> Files.createDirectories(path));
            // It would make /net/nfs on this machine.
            assertFalse(failure instanceof NoSuchFileException, failure.toString());
        }
        assertFalse(Files.exists(Path.of("/net/nfs")));
        assertTrue(Files.exists(data));
    }

    @Test
    void aSecureDirectoryOfThisMachineHasNoFilesOfServers() throws Exception {
        Files.writeString(data.resolve("file"), "bytes");
        var local = files.getPath(here.toString());
        try (var names = (SecureDirectoryStream<Path>) Files.newDirectoryStream(local)) {
            var failure =
                    assertThrows(
                            FileSystemException.class,
                            () -> names.deleteFile(data.resolve("file")));
            assertFalse(failure instanceof NoSuchFileException, failure.toString());
        }
        assertTrue(Files.exists(directory.resolve("file")));
    }

    @Test
    void pathsOfOtherFileSystemsAreMatchedAndNotCompared() throws Exception {
        assertTrue(files.getPathMatcher("glob:*.txt").matches(Path.of("x.txt")));
        assertThrows(ClassCastException.class, () -> data.compareTo(here));
        assertTrue(Files.exists(data));
    }

    @Test
    void anAbsoluteLinkThatLeavesTheRootOfItsServerStaysThere() throws Exception {
        Files.createSymbolicLink(directory.resolve("link"), Path.of("/../../../../etc/passwd"));
        var target = Files.readSymbolicLink(data.resolve("link"));
        assertEquals(
                files.getPath("/net/nfs+rdma", served.uri().getAuthority(), "etc/passwd"), target);
    }

    @Test
    void noPathIsNoOtherPath() {
        assertTrue(Files.exists(data));
        assertThrows(NullPointerException.class, () -> data.startsWith((Path) null));
        assertThrows(NullPointerException.class, () -> data.endsWith((Path) null));
        assertThrows(NullPointerException.class, () -> data.resolve((Path) null));
        assertThrows(NullPointerException.class, () -> data.relativize(null));
        assertThrows(NullPointerException.class, () -> data.compareTo(null));
        assertThrows(NullPointerException.class, () -> Files.isSameFile(data, null));
    }

    @Test
    void temporaryFilesArePrivate() throws Exception {
        var made =
                Files.createTempFile(
                        data, "a", "b", PosixFilePermissions.asFileAttribute(Set.of()));
        assertEquals(Set.of(), Files.getPosixFilePermissions(made));
    }

    @Test
    void pathsOfThisMachineAreMappedAndReachedByJavaIo() throws Exception {
        var local = files.getPath(here.toString(), "file");
        Files.writeString(local, "bytes");
        assertEquals(5, local.toFile().length());
        try (var channel = FileChannel.open(local, StandardOpenOption.READ)) {
            assertEquals('b', channel.map(FileChannel.MapMode.READ_ONLY, 0, 5).get());
        }
        try (var names = Files.newDirectoryStream(local.getParent())) {
            var secure = assertInstanceOf(SecureDirectoryStream.class, names);
            assertEquals(local, secure.iterator().next());
        }
        assertThrows(UnsupportedOperationException.class, data::toFile);
        assertThrows(ProviderMismatchException.class, () -> local.resolve(here));
        assertThrows(NoSuchFileException.class, () -> Files.size(local.resolveSibling("x")));
        assertTrue(Files.exists(data));
    }

    @Test
    void aWalkAsksForDirectoriesAlone() throws Exception {
        for (int i = 0; i < 200; i++) {
            Files.createFile(directory.resolve("file" + i));
        }
        assertTrue(Files.exists(data));
        int before = served.calls();
        try (var found = Files.find(data, 2, (_, attributes) -> attributes.isRegularFile())) {
            assertEquals(200, found.count());
        }
        assertTrue(served.calls() - before < 20, "calls: " + (served.calls() - before));
    }

    @Test
    void aProgramThatKnowsNothingOfServersUsesTheirFiles() throws Exception {
        Files.writeString(directory.resolve("in"), "one\ntwo\n");
        var printed = run(CopyOfLines.class, data + "/in", "out");
        assertEquals(List.of("", "in", "out"), printed);
        assertEquals("1 one\n2 two\n", Files.readString(directory.resolve("out")));
        assertTrue(Files.exists(data));
    }

    /** Runs a program with the default file system, and a directory of the server as its own. */
    private List<String> run(Class<?> program, String... arguments) throws Exception {
        var command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                                "-Djava.nio.file.spi.DefaultFileSystemProvider="
                                        + RoutedProvider.class.getName(),
                                "-Duser.dir=" + data,
                                "-cp",
                                System.getProperty("java.class.path"),
                                program.getName()));
        command.addAll(List.of(arguments));
        var process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try (var printed = process.inputReader()) {
            var lines = printed.lines().toList();
            assertEquals(0, process.waitFor());
            return lines;
        }
    }
}
