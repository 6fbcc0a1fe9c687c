package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.directories.ChildProcess;
import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.server.export.Clients;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.export.ExportRule;
import io.github.rpcrdma4j.nfs.server.served.BestStores;
import io.github.rpcrdma4j.nfs.store.WriteVerifier;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.CreateMode;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: exports stay correct while file systems are mounted and unmounted. Method: a child process
 * with a mount namespace of its own.
 */
class MountedExportsTest {
    private static final List<String> IN_NAMESPACE =
            List.of("unshare", "--mount", "--propagation", "private");
    private static final String TEXT = "text";

    /**
     * Large enough for a journal; without one, ext4 does not reuse an inode number for a minute.
     */
    private static final long DISK_BYTES = 32 << 20;

    private TestDirectory testDirectory;

    @BeforeEach
    void make() throws Exception {
        assumeTrue(LocalCalls.user() == 0, "only root mounts file systems");
        ChildProcess.assumeWorks(
                "file systems cannot be mounted here",
                "unshare",
                "--mount",
                "mount",
                "-t",
                "tmpfs",
                "none",
                "/tmp");
        testDirectory = TestDirectory.of(TestDirectory.Kind.LOCAL);
    }

    @AfterEach
    void remove() throws Exception {
        if (testDirectory != null) {
            testDirectory.close();
        }
    }

    @Test
    void keepTheFilesThatWereMountedAtTheStart() throws Exception {
        ChildProcess.run(IN_NAMESPACE, Unmounted.class, testDirectory.root().toString());
    }

    @Test
    void servesWhatIsMountedBelowWhereThatIsAskedFor() throws Exception {
        ChildProcess.run(IN_NAMESPACE, MountedBelow.class, testDirectory.root().toString());
    }

    /**
     * ext4 reuses the inode number of a removed file for the next one; this file system records no
     * time of birth.
     */
    @Test
    void knowSuccessorsFromRemovedFilesOnADiskMountedBelow() throws Exception {
        assumeCrosses();
        ChildProcess.assumeWorks("mkfs.ext4 is missing", "mkfs.ext4", "-V");
        var image = Files.createTempFile("nfs-server", ".image");
        try (var file = FileChannel.open(image, StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.allocate(1), DISK_BYTES - 1);
        }
        try {
            run("mkfs.ext4", "-q", "-F", image.toString());
            var onto = testDirectory.root().toString();
            ChildProcess.assumeWorks(
                    "there are no loop devices here",
                    "unshare",
                    "--mount",
                    "mount",
                    "-o",
                    "loop",
                    image.toString(),
                    onto);
            ChildProcess.run(IN_NAMESPACE, DiskBelow.class, onto, image.toString());
        } finally {
            Files.delete(image);
        }
    }

    /** Goal: a handle leads to the mount through which the file was found. */
    @Test
    void stayReadOnlyWhereOneFileSystemIsMountedTwice() throws Exception {
        assumeCrosses();
        ChildProcess.run(IN_NAMESPACE, MountedTwice.class, testDirectory.root().toString());
    }

    /**
     * Skips the test if the kernel cannot open handles; then files of two file systems cannot be
     * distinguished.
     */
    private void assumeCrosses() throws Exception {
        try (var store =
                new BestStores()
                        .open(
                                export(testDirectory.root(), of("any", true)),
                                1,
                                new WriteVerifier())) {
            assumeTrue(
                    store.description().contains("handles of the kernel"),
                    "files are found by their names here, and in one file system alone");
        }
    }

    private static void run(String... command) throws Exception {
        var process = new ProcessBuilder(command).inheritIO().start();
        assertEquals(0, process.waitFor(), List.of(command).toString());
    }

    private static void mount(Path directory) throws Exception {
        run("mount", "-t", "tmpfs", "none", directory.toString());
    }

    private static Export export(Path root, ExportRule... rules) {
        return new Export(TestServer.EXPORT, root, List.of(rules), List.of(SecurityFlavor.SYS));
    }

    private static ExportRule of(String clients, boolean crosses) {
        var trusting = ExportRule.trusting(false);
        return new ExportRule(
                Clients.parse(clients),
                false,
                trusting.squash(),
                trusting.anonymousUid(),
                trusting.anonymousGid(),
                trusting.ports(),
                true,
                crosses,
                List.of());
    }

    /**
     * Checks that the handle of a removed file never leads to its successor.
     *
     * @return how often the successor had the inode number of the removed file
     */
    private static int reuse(TestServer server, FileHandle directory) throws Exception {
        int reused = 0;
        for (int i = 0; i < 50; i++) {
            var old = server.create(directory, "old");
            long number = server.attributes(old).fileId();
            server.write(old, 0, "old");
            server.ok(new Nfs3Call.Remove(new DirOpArgs(directory, "old")));
            var made = server.create(directory, "new");
            reused += server.attributes(made).fileId() == number ? 1 : 0;
            server.write(made, 0, "new");
            assertEquals(Status.STALE, server.status(new Nfs3Call.Read(old, 0, 9)));
            var write = TestServer.write(old, 0, Stability.FILE_SYNC, "old");
            assertEquals(Status.STALE, server.status(write));
            assertEquals("new", server.read(made, 0, 9));
            server.ok(new Nfs3Call.Remove(new DirOpArgs(directory, "new")));
        }
        return reused;
    }

    /** Goal: after an unmount of the export, the server still serves its files. */
    static final class Unmounted {
        private Unmounted() {}

        public static void main(String[] arguments) throws Exception {
            var root = Path.of(arguments[0]);
            mount(root);
            Files.writeString(root.resolve("there"), TEXT);
            try (var server = TestServer.of(new TestDirectory(root, Optional.empty()))) {
                var top = server.root();
                run("umount", "-l", root.toString());
                assertFalse(Files.exists(root.resolve("there")), "it is mounted still");
                assertEquals(TEXT, server.read(server.lookup(top, "there"), 0, 9));
                server.create(top, "new");
                server.makeDirectory(top, "directory");
                requireAllWork(server, top);
                assertEquals(
                        List.of(".", "..", "directory", "f", "new", "there"), server.names(top));
                try (var names = Files.list(root)) {
                    assertEquals(List.of(), names.toList());
                }
            }
        }

        /** Checks that every procedure succeeds at least once. */
        private static void requireAllWork(TestServer server, FileHandle top) throws Exception {
            var ended = new EnumMap<Procedure, Set<Status>>(Procedure.class);
            for (int i = 0; i < EveryCall.in(top, top).size(); i++) {
                for (var each : EveryCall.preparing(top)) {
                    server.status(each);
                }
                var file = server.lookup(top, EveryCall.FILE);
                note(server, ended, EveryCall.in(top, file).get(i));
            }
            server.status(EveryCall.preparing(top).get(2));
            var file = server.lookup(top, EveryCall.FILE);
            EveryCall.on(file, 0).forEach(call -> note(server, ended, call));
            EveryCall.on(top, 0).forEach(call -> note(server, ended, call));
            note(server, ended, new Nfs3Call.ReadLink(server.link(top, "link", TEXT)));
            for (Map.Entry<?, Set<Status>> each : ended.entrySet()) {
                assertTrue(each.getValue().contains(Status.OK), each.toString());
            }
            for (var each : EveryCall.preparing(top)) {
                server.status(each);
            }
            server.status(new Nfs3Call.Remove(new DirOpArgs(top, "link")));
            server.status(new Nfs3Call.RemoveDirectory(new DirOpArgs(top, EveryCall.DIRECTORY)));
        }

        private static void note(
                TestServer server, Map<Procedure, Set<Status>> ended, Nfs3Call<?, ?> call) {
            try {
                ended.computeIfAbsent(call.procedure(), _ -> new HashSet<>())
                        .add(server.status(call));
            } catch (Exception broken) {
                throw new AssertionError(call.toString(), broken);
            }
        }
    }

    /**
     * Goal: a directory that is mounted a second time inside the export, read-only, cannot be
     * written there.
     */
    static final class MountedTwice {
        private MountedTwice() {}

        public static void main(String[] arguments) throws Exception {
            var root = Path.of(arguments[0]);
            mount(root);
            var writable = Files.createDirectory(root.resolve("writable"));
            var readOnly = Files.createDirectory(root.resolve("read-only"));
            Files.writeString(writable.resolve("file"), TEXT);
            run("mount", "--bind", writable.toString(), readOnly.toString());
            run("mount", "-o", "remount,bind,ro", readOnly.toString());
            FileHandle locked;
            FileHandle open;
            var exports = List.of(export(root, of("any", true)));
            try (var server = TestServer.of(exports)) {
                var top = server.root();
                open = server.lookup(server.lookup(top, "writable"), "file");
                locked = server.lookup(server.lookup(top, "read-only"), "file");
                assertNotEquals(open, locked);
                requireReadOnly(server, locked, open);
            }
            // Another server finds the files by their handles alone.
            try (var server = TestServer.of(exports)) {
                requireReadOnly(server, locked, open);
            }
        }

        private static void requireReadOnly(TestServer server, FileHandle locked, FileHandle open)
                throws Exception {
            var write = TestServer.write(locked, 0, Stability.FILE_SYNC, "x");
            assertEquals(Status.ROFS, server.status(write));
            server.write(open, 0, TEXT);
            assertEquals(Status.ROFS, server.status(write));
            assertEquals(TEXT, server.read(locked, 0, 9));
        }
    }

    /**
     * Goal: of two hosts, only the permitted one crosses into a file system that is mounted below
     * the export.
     */
    static final class MountedBelow {
        private static final String CROSSES = "192.0.2.1";
        private static final String STAYS = "192.0.2.2";

        private MountedBelow() {}

        public static void main(String[] arguments) throws Exception {
            var root = Path.of(arguments[0]);
            var below = Files.createDirectory(root.resolve("below"));
            Files.writeString(below.resolve("covered"), TEXT);
            mount(below);
            Files.writeString(below.resolve("inner"), TEXT);
            stay(root);
            try (var server =
                    TestServer.of(List.of(export(root, of(CROSSES, true), of(STAYS, false))))) {
                server.moveTo(CROSSES);
                // Files on another file system than the export's can only be found by handles.
                if (Capability.DAC_READ_SEARCH.isThere()) {
                    var inner = cross(server, below);
                    replace(server, below, inner);
                } else {
                    var lookup = new Nfs3Call.Lookup(new DirOpArgs(server.root(), "below"));
                    assertEquals(Status.ACCES, server.status(lookup));
                }
            }
        }

        /** Without a host that may cross, the export appears without the mount. */
        private static void stay(Path root) throws Exception {
            try (var server = TestServer.of(List.of(export(root, of(STAYS, false))))) {
                server.moveTo(STAYS);
                var directory = server.lookup(server.root(), "below");
                assertEquals(List.of(".", "..", "covered"), server.names(directory));
            }
        }

        private static FileHandle cross(TestServer server, Path below) throws Exception {
            var top = server.root();
            var directory = server.lookup(top, "below");
            var inner = server.lookup(directory, "inner");
            assertEquals(List.of(".", "..", "inner"), server.names(directory));
            assertEquals(TEXT, server.read(inner, 0, 9));
            assertEquals(top, server.lookup(directory, ".."));
            assertNotEquals(
                    server.attributes(top).fileSystemId(), server.attributes(inner).fileSystemId());
            server.moveTo(STAYS);
            for (var handle : List.of(directory, inner)) {
                for (var call : EveryCall.on(handle, 0)) {
                    assertEquals(Status.STALE, server.status(call), call.toString());
                }
            }
            assertEquals(
                    Status.ACCES, server.status(new Nfs3Call.Lookup(new DirOpArgs(top, "below"))));
            server.moveTo(CROSSES);
            reuse(server, directory);
            assertEquals(TEXT, Files.readString(below.resolve("inner")));
            return inner;
        }

        /**
         * Checks that a file system that replaces the first one has other files, despite equal
         * inode numbers.
         */
        private static void replace(TestServer server, Path below, FileHandle inner)
                throws Exception {
            run("umount", "-l", below.toString());
            mount(below);
            var directory = server.lookup(server.root(), "below");
            for (int i = 0; i < 20; i++) {
                var how = new CreateMode.Guarded(SetAttributes.ofMode(0644));
                server.ok(new Nfs3Call.Create(new DirOpArgs(directory, "other-" + i), how));
            }
            for (var name : server.names(directory)) {
                assertNotEquals(inner, server.lookup(directory, name));
            }
            // The first file system still exists without a mount point, since the server uses it.
            assertEquals(TEXT, server.read(inner, 0, 9));
        }
    }

    /** Goal: handles stay unambiguous on a disk that is mounted below the export. */
    static final class DiskBelow {
        private DiskBelow() {}

        public static void main(String[] arguments) throws Exception {
            var root = Path.of(arguments[0]);
            var below = Files.createDirectory(root.resolve("disk"));
            run("mount", "-o", "loop", arguments[1], below.toString());
            try (var server =
                    TestServer.of(List.of(export(root, of(MountedBelow.CROSSES, true))))) {
                server.moveTo(MountedBelow.CROSSES);
                var directory = server.lookup(server.root(), "disk");
                int reused = reuse(server, directory);
                assertTrue(reused > 0, "no file got the number of another");
            }
        }
    }
}
