package io.github.rpcrdma4j.nfs.directories.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.directories.ChildProcess;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileStore;
import io.github.rpcrdma4j.nfs.store.FileStore.Mounts;
import io.github.rpcrdma4j.nfs.store.KernelLease;
import io.github.rpcrdma4j.nfs.store.KernelLocks;
import io.github.rpcrdma4j.nfs.store.KernelLocks.Kind;
import io.github.rpcrdma4j.nfs.store.KernelLocks.Lock;
import io.github.rpcrdma4j.nfs.store.Node;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.store.WriteVerifier;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a server of an ordinary user locks files of that user against their modes, as NFS lets
 * owners use their files. Method: a process in a user namespace in which it is not root, so that
 * the kernel holds it to the modes.
 */
class LocksOfOwnFilesTest {
    private static final List<String> PREFIX =
            List.of("unshare", "--user", "--map-user=1000", "--map-group=1000");

    private static final Lock READ = new Lock(20, 10, Kind.READ);
    private static final Lock WRITE = new Lock(0, 10, Kind.WRITE);

    @TempDir Path directory;

    @BeforeEach
    void requireNamespaces() throws Exception {
        var trial = new ArrayList<>(PREFIX);
        trial.add("true");
        ChildProcess.assumeWorks("there are no user namespaces", trial.toArray(String[]::new));
    }

    @Test
    void locksMoveToAFileThatItsOwnerMayNotWrite() throws Exception {
        ChildProcess.run(PREFIX, Moving.class, directory.toString());
    }

    @Test
    void aLeaseIsAwaitedBeforeLocksMove() throws Exception {
        ChildProcess.run(PREFIX, UnderALease.class, directory.toString());
    }

    @Test
    void aFileThatItsOwnerMayNotReadIsLockedForReading() throws Exception {
        ChildProcess.run(PREFIX, Unreadable.class, directory.toString());
    }

    private static FileStore store(Path directory) throws Exception {
        return new LinuxStores(16, 16, 16, DataFiles.Force.KERNEL)
                .open(directory, false, 1, new WriteVerifier());
    }

    private static Path make(Path directory, String mode) throws IOException {
        var file = Files.createFile(directory.resolve("file"));
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    }

    private static String mode(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    private static Node file(FileStore store) throws StoreException {
        try (var root = store.node(store.root(), Mounts.STAY)) {
            return store.node(
                    root.lookup(new Caller.Server(), FileName.of("file")).id(), Mounts.STAY);
        }
    }

    private static KernelLocks locks(FileStore store) throws StoreException {
        try (var node = file(store)) {
            return node.openLocks(Kind.READ);
        }
    }

    /** Returns how many descriptors of this process are of a file. */
    private static long descriptors(Path file) throws IOException {
        long count = 0;
        try (var all = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (var each : all) {
                try {
                    count += Files.isSameFile(each, file) ? 1 : 0;
                } catch (NoSuchFileException closed) {
                    // It was that of the listing, or of a thread that has ended.
                }
            }
        }
        return count;
    }

    static final class Moving {
        private Moving() {}

        public static void main(String[] arguments) throws Exception {
            var directory = Path.of(arguments[0]);
            var path = make(directory, "r--------");
            try (var store = store(directory);
                    var locks = locks(store)) {
                assertFalse(store.actsForCallers());
                // The mode holds for this process.
                assertThrows(
                        IOException.class,
                        () -> FileChannel.open(path, StandardOpenOption.WRITE).close());
                assertEquals(Optional.empty(), locks.set(READ));
                assertEquals(Optional.empty(), locks.set(WRITE));
                assertEquals("r--------", mode(path));
                try (var others = locks(store)) {
                    assertEquals(Optional.of(READ), others.conflict(new Lock(20, 100, Kind.WRITE)));
                    assertEquals(Optional.of(WRITE), others.conflict(new Lock(0, 5, Kind.READ)));
                    locks.clear(0, 10);
                    assertEquals(Optional.empty(), others.conflict(new Lock(0, 5, Kind.READ)));
                    assertEquals(Optional.of(READ), others.conflict(new Lock(20, 100, Kind.WRITE)));
                }
            }
            assertEquals(0, descriptors(path));
        }
    }

    static final class UnderALease {
        private UnderALease() {}

        public static void main(String[] arguments) throws Exception {
            var directory = Path.of(arguments[0]);
            make(directory, "r--------");
            try (var store = store(directory);
                    var locks = locks(store)) {
                assertEquals(Optional.empty(), locks.set(READ));
                KernelLease lease;
                try (var node = file(store)) {
                    lease = node.openLease(KernelLease.Kind.READ, new Silent());
                }
                var early = assertThrows(StoreException.class, () -> locks.set(WRITE));
                assertEquals(Failure.AGAIN, early.failure());
                lease.close();
                assertEquals(Optional.empty(), locks.set(WRITE));
            }
        }
    }

    private static final class Silent implements KernelLease.Listener {
        @Override
        public void conflict() {}

        @Override
        public void changed() {}
    }

    static final class Unreadable {
        private Unreadable() {}

        public static void main(String[] arguments) throws Exception {
            var directory = Path.of(arguments[0]);
            var path = make(directory, "-w-------");
            try (var store = store(directory);
                    var locks = locks(store)) {
                assertEquals(Optional.empty(), locks.set(READ));
                assertEquals("-w-------", mode(path));
            }
        }
    }
}
