package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.mount.Mount3.MountResult;
import io.github.rpcrdma4j.nfs.mount.Mount3.MountStatus;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.FileType;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.CreateMode;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.nfs.v3.Nfs3Results.Stability;
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
    @MethodSource("io.github.rpcrdma4j.nfs.server.Ground#kinds")
    void readOnlyExportsStayAsTheyAre(Ground.Kind kind) throws Exception {
        try (var ground = Ground.of(kind)) {
            Files.writeString(ground.root().resolve("file"), "hello");
            Files.createDirectory(ground.root().resolve("directory"));
            try (var served = Served.readOnly(ground)) {
                var root = served.root();
                var file = served.lookup(root, "file");
                for (var call : changing(root, file)) {
                    assertEquals(Status.ROFS, served.status(call), call.toString());
                }
                assertEquals(Status.ROFS, served.status(new Nfs3Call.Commit(file, 0, 0)));
                assertEquals("hello", served.read(file, 0, 9));
                assertEquals(List.of(".", "..", "directory", "file"), served.names(root));
                int changing = Nfs3.ACCESS_MODIFY | Nfs3.ACCESS_EXTEND | Nfs3.ACCESS_DELETE;
                assertEquals(0, served.ok(new Nfs3Call.Access(root, changing)));
            }
        }
    }

    private static List<Nfs3Call<?, ?>> changing(FileHandle root, FileHandle file) {
        var fresh = new DirOpArgs(root, "new");
        var there = new DirOpArgs(root, "file");
        var none = SetAttributes.NONE;
        return List.of(
                Served.write(file, 0, Stability.UNSTABLE, "x"),
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
        try (var ground = Ground.small(bytes);
                var served = Served.of(ground)) {
            var root = served.root();
            var file = served.create(root, "file");
            var piece = "x".repeat(64 << 10);
            var status = Status.OK;
            long offset = 0;
            while (status == Status.OK && offset <= bytes) {
                status = served.status(Served.write(file, offset, Stability.UNSTABLE, piece));
                offset += piece.length();
            }
            assertEquals(Status.NOSPC, status);
            var grow =
                    new Nfs3Call.ChangeAttributes(
                            file, SetAttributes.ofSize(2L * bytes), Optional.empty());
            assertEquals(Status.NOSPC, served.status(grow));
            assertTrue(served.ok(new Nfs3Call.FsStat(root)).availableBytes() < piece.length());
            var large =
                    new Nfs3Call.Create(
                            new DirOpArgs(root, "large"),
                            new CreateMode.Guarded(SetAttributes.ofSize(2L * bytes)));
            assertEquals(Status.NOSPC, served.status(large));
            assertEquals(List.of(".", "..", "file"), served.names(root));
            // Removing a file frees space for another.
            served.ok(new Nfs3Call.Remove(new DirOpArgs(root, "file")));
            served.write(served.create(root, "next"), 0, piece);
        }
    }

    @Test
    void archivesAreReadLikeDirectories() throws Exception {
        try (var ground = Ground.of(Ground.Kind.LOCAL)) {
            var archive = URI.create("jar:" + ground.root().resolve("archive.zip").toUri());
            try (var system = FileSystems.newFileSystem(archive, Map.of("create", "true"))) {
                Files.createDirectory(system.getPath("/directory"));
                Files.writeString(system.getPath("/directory/file"), "hello");
                Files.writeString(system.getPath("/directory/other"), "others");
            }
            try (var system = FileSystems.newFileSystem(archive, Map.of());
                    var served =
                            Served.of(List.of(new Export("/zip", system.getPath("/"), true)))) {
                var directory = served.lookup(served.root("/zip"), "directory");
                assertEquals(List.of(".", "..", "file", "other"), served.names(directory));
                assertEquals("hello", served.read(served.lookup(directory, "file"), 0, 9));
                assertEquals("thers", served.read(served.lookup(directory, "other"), 1, 9));
                assertEquals(Status.OK, served.status(new Nfs3Call.FsStat(directory)));
            }
        }
    }

    @Test
    void fiveGibibytesAreMostlyAHole() throws Exception {
        try (var ground = Ground.of(Ground.Kind.LOCAL);
                var served = Served.of(ground)) {
            long far = 5L << 30;
            var file = served.create(served.root(), "sparse");
            served.write(file, far - 3, "end");
            assertEquals(far, served.attributes(file).size());
            assertEquals("end", served.read(file, far - 3, 100));
            assertEquals("\0\0", served.read(file, (4L << 30) - 1, 2));
            var size = SetAttributes.ofSize(2 * far);
            served.ok(new Nfs3Call.ChangeAttributes(file, size, Optional.empty()));
            assertEquals(2 * far, served.attributes(file).size());
            assertEquals("\0", served.read(file, 2 * far - 1, 100));
        }
    }

    /** Goal: unexpected failures become a status. Method: close the file system. */
    @Test
    void mistakesAreAnsweredToo() throws Exception {
        var log = Logger.getLogger(InternalErrors.class.getName());
        var logged = new ArrayList<LogRecord>();
        log.setFilter(logged::add);
        log.setUseParentHandlers(false);
        try (var ground = Ground.of(Ground.Kind.BASIC);
                var served = Served.of(ground)) {
            var root = served.root();
            var file = served.create(root, "file");
            ground.memory().orElseThrow().close();
            for (var call : changing(root, file)) {
                assertEquals(Status.SERVERFAULT, served.status(call), call.toString());
            }
            assertEquals(Status.SERVERFAULT, served.status(new Nfs3Call.GetAttributes(file)));
            assertEquals(Status.SERVERFAULT, served.status(new Nfs3Call.Read(file, 0, 1)));
            assertEquals(
                    new MountResult.Failed(MountStatus.SERVERFAULT), served.mount(Served.EXPORT));
        }
    }

    @Test
    void exportsThatCannotBeServedCloseTheOthers() throws Exception {
        try (var ground = Ground.of(Ground.Kind.BASIC)) {
            var good = new Export("/good", ground.root(), false);
            var bad = new Export("/bad", ground.root().resolve("nothing"), false);
            assertThrows(IOException.class, () -> Served.of(List.of(good, bad)));
            try (var served = Served.of(List.of(good))) {
                assertEquals(good, served.server.descriptions().getFirst().export());
            }
        }
    }
}
