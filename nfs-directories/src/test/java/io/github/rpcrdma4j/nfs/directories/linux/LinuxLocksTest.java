package io.github.rpcrdma4j.nfs.directories.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.directories.ChildProcess;
import io.github.rpcrdma4j.nfs.store.AttributeChanges;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.Creation;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.FileStore;
import io.github.rpcrdma4j.nfs.store.FileStore.Mounts;
import io.github.rpcrdma4j.nfs.store.KernelLocks;
import io.github.rpcrdma4j.nfs.store.KernelLocks.Kind;
import io.github.rpcrdma4j.nfs.store.KernelLocks.Lock;
import io.github.rpcrdma4j.nfs.store.Node.Storage;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.store.WriteVerifier;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: the server and local processes see each other's locks. */
class LinuxLocksTest {
    private static final int LOCKS_MAX = 2;

    /** So many locks of kind READ move when there is none of kind WRITE any more. */
    private static final int READS_MAX = 256;

    private static final int O_ACCMODE = 3;
    private static final int O_PATH = 1 << 21;

    @TempDir Path directory;
    private FileStore store;
    private Path path;
    private FileId file;

    @BeforeEach
    void open() throws Exception {
        assumeTrue(LinuxStores.missing().isEmpty(), () -> LinuxStores.missing().orElse(""));
        store =
                new LinuxStores(16, 16, LOCKS_MAX, DataFiles.Force.KERNEL)
                        .open(directory, false, 1, new WriteVerifier());
        path = Files.createFile(directory.resolve("file"));
        try (var root = store.node(store.root(), Mounts.STAY)) {
            file = root.lookup(new Caller.Server(), FileName.of("file")).id();
        }
    }

    @AfterEach
    void close() {
        if (store != null) {
            store.close();
        }
    }

    private KernelLocks locks(FileId id) throws StoreException {
        try (var node = store.node(id, Mounts.STAY)) {
            return node.openLocks(Kind.WRITE);
        }
    }

    private static FileChannel channel(Path path) throws IOException {
        return FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    /** Locks of Java are those of its process, so they conflict with those of the store. */
    @Test
    void locksOfProcessesAreSeen() throws Exception {
        try (var locks = locks(file);
                var channel = channel(path)) {
            var theirs = channel.lock(5, 10, false);
            var seen = Optional.of(new Lock(5, 10, Kind.WRITE));
            assertEquals(seen, locks.conflict(new Lock(0, 100, Kind.READ)));
            assertEquals(seen, locks.set(new Lock(14, KernelLocks.TO_THE_END, Kind.WRITE)));
            assertEquals(Optional.empty(), locks.set(new Lock(15, 1, Kind.WRITE)));
            theirs.release();
            assertEquals(Optional.empty(), locks.set(new Lock(0, 100, Kind.WRITE)));
        }
    }

    @Test
    void processesSeeTheLocksOfTheServer() throws Exception {
        try (var locks = locks(file)) {
            locks.set(new Lock(0, 10, Kind.WRITE));
            locks.set(new Lock(20, 10, Kind.READ));
            ChildProcess.run(List.of(), Locked.class, path.toString());
            locks.clear(0, 10);
            ChildProcess.run(List.of(), Unlocked.class, path.toString());
            // An unrelated descriptor of this process is closed, which ends locks of processes.
            channel(path).close();
            locks.set(new Lock(0, 10, Kind.WRITE));
            ChildProcess.run(List.of(), Locked.class, path.toString());
        }
        ChildProcess.run(List.of(), Unlocked.class, path.toString());
    }

    /** Runs while the server has locks on the first ten bytes and on ten bytes from 20 on. */
    static final class Locked {
        private Locked() {}

        public static void main(String[] arguments) throws Exception {
            try (var channel = channel(Path.of(arguments[0]))) {
                assertEquals(null, channel.tryLock(9, 1, true));
                assertNotNull(channel.tryLock(10, 10, false));
                assertNotNull(channel.tryLock(20, 10, true));
            }
        }
    }

    /** Runs while the server has no lock on the first ten bytes. */
    static final class Unlocked {
        private Unlocked() {}

        public static void main(String[] arguments) throws Exception {
            try (var channel = channel(Path.of(arguments[0]))) {
                assertNotNull(channel.tryLock(0, 10, false));
            }
        }
    }

    @Test
    void theFilesWithLocksAreCounted() throws Exception {
        FileId other;
        try (var root = store.node(store.root(), Mounts.STAY)) {
            for (int i = 0; i <= LOCKS_MAX; i++) {
                var directories =
                        assertThrows(StoreException.class, () -> root.openLocks(Kind.WRITE));
                assertEquals(Failure.ISDIR, directories.failure());
            }
            var how = new Creation.Guarded(AttributeChanges.NONE);
            var made = root.create(new Caller.Server(), FileName.of("other"), how, Storage.ASYNC);
            other = made.value().made().orElseThrow().id();
        }
        try (var _ = locks(file)) {
            // A file of mode 0, which the server opens with its own rights.
            var last = locks(other);
            var refused = assertThrows(StoreException.class, () -> locks(file));
            assertEquals(Failure.AGAIN, refused.failure());
            last.close();
            last.close();
            locks(file).close();
        }
    }

    @Test
    void aProgramThatRunsIsLockedForReadingAlone() throws Exception {
        Files.copy(Path.of("/bin/sleep"), directory.resolve("sleep"));
        FileId program;
        try (var root = store.node(store.root(), Mounts.STAY)) {
            program = root.lookup(new Caller.Server(), FileName.of("sleep")).id();
        }
        var process = new ProcessBuilder(directory.resolve("sleep").toString(), "60").start();
        try (var locks = locks(program)) {
            assertEquals(Optional.empty(), locks.set(new Lock(0, 10, Kind.READ)));
            var refused =
                    assertThrows(
                            StoreException.class, () -> locks.set(new Lock(0, 10, Kind.WRITE)));
            assertEquals(Failure.ACCES, refused.failure());
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    /** How this process has a file open: 0 for reading, 2 for reading and writing. */
    private static List<Integer> modes(Path path) throws IOException {
        var modes = new ArrayList<Integer>();
        try (var descriptors = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (var each : descriptors) {
                try {
                    if (!Files.isSameFile(each, path)) {
                        continue;
                    }
                    var info = Path.of("/proc/self/fdinfo", each.getFileName().toString());
                    var flags = Files.readAllLines(info).get(1).replace("flags:", "").strip();
                    int bits = Integer.parseInt(flags, 8);
                    if ((bits & O_PATH) == 0) {
                        modes.add(bits & O_ACCMODE);
                    }
                } catch (NoSuchFileException closed) {
                    // It was closed meanwhile, by another thread.
                }
            }
        }
        return modes;
    }

    private FileId program() throws Exception {
        path = Files.copy(Path.of("/bin/true"), directory.resolve("true"));
        try (var root = store.node(store.root(), Mounts.STAY)) {
            return root.lookup(new Caller.Server(), FileName.of("true")).id();
        }
    }

    private void runs() throws Exception {
        assertEquals(0, new ProcessBuilder(path.toString()).start().waitFor());
    }

    /** Otherwise those who may only read a program could stop it. */
    @Test
    void aFileWithAReadLockIsOpenForReadingAlone() throws Exception {
        try (var node = store.node(program(), Mounts.STAY);
                var locks = node.openLocks(Kind.READ)) {
            assertEquals(Optional.empty(), locks.set(new Lock(0, 10, Kind.READ)));
            assertEquals(List.of(0), modes(path));
            runs();
            assertEquals(Optional.empty(), locks.conflict(new Lock(0, 10, Kind.WRITE)));
            assertEquals(List.of(0), modes(path));
        }
    }

    /** Returns whether a process could lock a byte against all others. */
    private boolean isFree(long offset) throws IOException {
        try (var channel = channel(path)) {
            return channel.tryLock(offset, 1, false) != null;
        }
    }

    @Test
    void aFileIsOpenForWritingWhileItHasAWriteLock() throws Exception {
        try (var locks = locks(program())) {
            for (boolean isWeakened : new boolean[] {false, true}) {
                assertEquals(Optional.empty(), locks.set(new Lock(0, 10, Kind.WRITE)));
                assertEquals(Optional.empty(), locks.set(new Lock(20, 10, Kind.READ)));
                assertEquals(List.of(2), modes(path));
                assertThrows(IOException.class, this::runs);
                if (isWeakened) {
                    assertEquals(Optional.empty(), locks.set(new Lock(0, 10, Kind.READ)));
                } else {
                    locks.clear(0, 10);
                }
                assertEquals(List.of(0), modes(path));
                runs();
                assertFalse(isFree(20));
                assertEquals(!isWeakened, isFree(0));
            }
        }
        assertTrue(isFree(20));
    }

    /** A lock that a process has in the way leaves the file as it was. */
    @Test
    void aWriteLockThatIsRefusedLeavesTheFileOpenForReading() throws Exception {
        try (var node = store.node(file, Mounts.STAY);
                var locks = node.openLocks(Kind.READ)) {
            assertEquals(Optional.empty(), locks.set(new Lock(0, 10, Kind.READ)));
            try (var others = locks(file)) {
                assertEquals(Optional.empty(), others.set(new Lock(50, 1, Kind.WRITE)));
                var seen = Optional.of(new Lock(50, 1, Kind.WRITE));
                assertEquals(seen, locks.set(new Lock(40, 20, Kind.WRITE)));
            }
            assertEquals(List.of(0), modes(path));
        }
    }

    /** Each lock of kind WRITE would move them all. */
    @Test
    void manyReadLocksStayOnADescriptorForWriting() throws Exception {
        try (var locks = locks(file)) {
            for (int i = 0; i <= READS_MAX; i++) {
                assertEquals(Optional.empty(), locks.set(new Lock(2 * i, 1, Kind.READ)));
            }
            assertEquals(List.of(0), modes(path));
            assertEquals(Optional.empty(), locks.set(new Lock(1000, 1, Kind.WRITE)));
            locks.clear(1000, 1);
            assertEquals(List.of(2), modes(path));
            locks.clear(0, 1);
            assertEquals(List.of(0), modes(path));
        }
    }

    @Test
    void noProcessGetsBetweenWhenLocksMove() throws Exception {
        try (var locks = locks(file);
                var channel = channel(path)) {
            assertEquals(Optional.empty(), locks.set(new Lock(20, 10, Kind.READ)));
            var isOver = new AtomicBoolean();
            var got = new AtomicBoolean();
            var process =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        while (!isOver.get() && !got.get()) {
                                            try {
                                                got.set(channel.tryLock(25, 1, false) != null);
                                            } catch (IOException impossible) {
                                                throw new UncheckedIOException(impossible);
                                            }
                                        }
                                    });
            for (int i = 0; i < 2000; i++) {
                assertEquals(Optional.empty(), locks.set(new Lock(0, 10, Kind.WRITE)));
                locks.clear(0, 10);
            }
            isOver.set(true);
            process.join();
            assertFalse(got.get());
        }
    }
}
