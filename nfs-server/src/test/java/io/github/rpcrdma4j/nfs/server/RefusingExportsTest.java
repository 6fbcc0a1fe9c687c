package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.mount.Mount3.MountResult;
import io.github.rpcrdma4j.nfs.mount.Mount3.MountStatus;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.CreateMode;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.nfs.v3.Status;
import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Goal: exports that are read-only, full or broken report this correctly. */
class RefusingExportsTest {
    @ParameterizedTest
    @MethodSource("io.github.rpcrdma4j.nfs.directories.TestDirectory#kinds")
    void readOnlyExportsStayAsTheyAre(TestDirectory.Kind kind) throws Exception {
        try (var testDirectory = TestDirectory.of(kind)) {
            Files.writeString(testDirectory.root().resolve("file"), "hello");
            Files.createDirectory(testDirectory.root().resolve("directory"));
            try (var server = TestServer.readOnly(testDirectory)) {
                var root = server.root();
                var file = server.lookup(root, "file");
                for (var call : changing(root, file)) {
                    assertEquals(Status.ROFS, server.status(call), call.toString());
                }
                assertEquals(Status.ROFS, server.status(new Nfs3Call.Commit(file, 0, 0)));
                assertEquals("hello", server.read(file, 0, 9));
                assertEquals(List.of(".", "..", "directory", "file"), server.names(root));
                int changing = Nfs3.ACCESS_MODIFY | Nfs3.ACCESS_EXTEND | Nfs3.ACCESS_DELETE;
                assertEquals(0, server.ok(new Nfs3Call.Access(root, changing)));
            }
        }
    }

    private static List<Nfs3Call<?, ?>> changing(FileHandle root, FileHandle file) {
        var fresh = new DirOpArgs(root, "new");
        var there = new DirOpArgs(root, "file");
        var none = SetAttributes.NONE;
        return List.of(
                TestServer.write(file, 0, Stability.UNSTABLE, "x"),
                new Nfs3Call.ChangeAttributes(file, SetAttributes.ofSize(0), Optional.empty()),
                new Nfs3Call.Create(fresh, new CreateMode.Guarded(none)),
                new Nfs3Call.Create(there, new CreateMode.Unchecked(SetAttributes.ofSize(0))),
                new Nfs3Call.MakeDirectory(fresh, none),
                new Nfs3Call.MakeSymbolicLink(fresh, none, PathName.of("x")),
                new Nfs3Call.MakeNode(fresh, FileType.FIFO, none, 0),
                new Nfs3Call.Remove(there),
                new Nfs3Call.RemoveDirectory(new DirOpArgs(root, "directory")),
                new Nfs3Call.Rename(there, fresh),
                new Nfs3Call.Link(file, fresh));
    }

    @Test
    void fullFileSystemsSaySo() throws Exception {
        int bytes = 1 << 20;
        try (var testDirectory = TestDirectory.small(bytes);
                var server = TestServer.of(testDirectory)) {
            var root = server.root();
            var file = server.create(root, "file");
            var piece = "x".repeat(64 << 10);
            var status = Status.OK;
            long offset = 0;
            while (status == Status.OK && offset <= bytes) {
                status = server.status(TestServer.write(file, offset, Stability.UNSTABLE, piece));
                offset += piece.length();
            }
            assertEquals(Status.NOSPC, status);
            var grow =
                    new Nfs3Call.ChangeAttributes(
                            file, SetAttributes.ofSize(2L * bytes), Optional.empty());
            assertEquals(Status.NOSPC, server.status(grow));
            assertTrue(server.ok(new Nfs3Call.FsStat(root)).availableBytes() < piece.length());
            var large =
                    new Nfs3Call.Create(
                            new DirOpArgs(root, "large"),
                            new CreateMode.Guarded(SetAttributes.ofSize(2L * bytes)));
            assertEquals(Status.NOSPC, server.status(large));
            assertEquals(List.of(".", "..", "file"), server.names(root));
            // Removing a file frees space for another.
            server.ok(new Nfs3Call.Remove(new DirOpArgs(root, "file")));
            server.write(server.create(root, "next"), 0, piece);
        }
    }

    @Test
    void aRegularFileIsNotServed() throws Exception {
        try (var testDirectory = TestDirectory.of(TestDirectory.Kind.LOCAL)) {
            var file = Files.createFile(testDirectory.root().resolve("file"));
            assertThrows(
                    IOException.class,
                    () -> new NfsServer(List.of(new Export("/file", file, true)), new byte[16]));
        }
    }

    @Test
    void archivesAreReadLikeDirectories() throws Exception {
        try (var testDirectory = TestDirectory.of(TestDirectory.Kind.LOCAL)) {
            var archive = URI.create("jar:" + testDirectory.root().resolve("archive.zip").toUri());
            try (var system = FileSystems.newFileSystem(archive, Map.of("create", "true"))) {
                Files.createDirectory(system.getPath("/directory"));
                Files.writeString(system.getPath("/directory/file"), "hello");
                Files.writeString(system.getPath("/directory/other"), "others");
            }
            try (var system = FileSystems.newFileSystem(archive, Map.of());
                    var server =
                            TestServer.of(List.of(new Export("/zip", system.getPath("/"), true)))) {
                var directory = server.lookup(server.root("/zip"), "directory");
                assertEquals(List.of(".", "..", "file", "other"), server.names(directory));
                assertEquals("hello", server.read(server.lookup(directory, "file"), 0, 9));
                assertEquals("thers", server.read(server.lookup(directory, "other"), 1, 9));
                assertEquals(Status.OK, server.status(new Nfs3Call.FsStat(directory)));
            }
        }
    }

    @Test
    void fiveGibibytesAreMostlyAHole() throws Exception {
        try (var testDirectory = TestDirectory.of(TestDirectory.Kind.LOCAL);
                var server = TestServer.of(testDirectory)) {
            long far = 5L << 30;
            var file = server.create(server.root(), "sparse");
            server.write(file, far - 3, "end");
            assertEquals(far, server.attributes(file).size());
            assertEquals("end", server.read(file, far - 3, 100));
            assertEquals("\0\0", server.read(file, (4L << 30) - 1, 2));
            var size = SetAttributes.ofSize(2 * far);
            server.ok(new Nfs3Call.ChangeAttributes(file, size, Optional.empty()));
            assertEquals(2 * far, server.attributes(file).size());
            assertEquals("\0", server.read(file, 2 * far - 1, 100));
        }
    }

    /** Goal: unexpected failures become a status. Method: close the file system. */
    @Test
    void internalErrorsAreAnsweredToo() throws Exception {
        var log = Logger.getLogger(NfsServer.class.getName());
        var logged = new ArrayList<LogRecord>();
        log.setFilter(logged::add);
        log.setUseParentHandlers(false);
        try (var testDirectory = TestDirectory.of(TestDirectory.Kind.BASIC);
                var server = TestServer.of(testDirectory)) {
            var root = server.root();
            var file = server.create(root, "file");
            testDirectory.memory().orElseThrow().close();
            for (var call : changing(root, file)) {
                assertEquals(Status.SERVERFAULT, server.status(call), call.toString());
            }
            assertEquals(Status.SERVERFAULT, server.status(new Nfs3Call.GetAttributes(file)));
            assertEquals(Status.SERVERFAULT, server.status(new Nfs3Call.Read(file, 0, 1)));
            assertEquals(
                    new MountResult.Failed(MountStatus.SERVERFAULT),
                    server.mount(TestServer.EXPORT));
        }
    }

    @Test
    void exportsThatCannotBeServedCloseTheOthers() throws Exception {
        try (var testDirectory = TestDirectory.of(TestDirectory.Kind.BASIC)) {
            var good = new Export("/good", testDirectory.root(), false);
            var bad = new Export("/bad", testDirectory.root().resolve("nothing"), false);
            assertThrows(IOException.class, () -> TestServer.of(List.of(good, bad)));
            try (var server = TestServer.of(List.of(good))) {
                assertEquals(good, server.nfs.descriptions().getFirst().export());
            }
        }
    }
}
