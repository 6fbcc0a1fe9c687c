package io.github.rpcrdma4j.nfs.directories.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.directories.ChildProcess;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.FileStore;
import io.github.rpcrdma4j.nfs.store.FileStore.Mounts;
import io.github.rpcrdma4j.nfs.store.KernelLease;
import io.github.rpcrdma4j.nfs.store.KernelLease.Kind;
import io.github.rpcrdma4j.nfs.store.KernelLocks;
import io.github.rpcrdma4j.nfs.store.KernelLocks.Lock;
import io.github.rpcrdma4j.nfs.store.Node;
import io.github.rpcrdma4j.nfs.store.Node.Storage;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.store.WriteVerifier;
import io.github.rpcrdma4j.testing.Eventually;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: local processes open a file with a kernel lease only after the server was told. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LinuxLeaseTest {
    private static final Caller SERVER = new Caller.Server();

    @TempDir Path directory;
    private final Semaphore conflicts = new Semaphore(0);
    private final Semaphore changes = new Semaphore(0);
    private FileStore store;
    private Path path;
    private FileId file;

    @BeforeEach
    void open() throws Exception {
        assumeTrue(LinuxStores.missing().isEmpty(), () -> LinuxStores.missing().orElse(""));
        path = Files.writeString(directory.resolve("file"), "one");
        store =
                new LinuxStores(16, 16, 16, DataFiles.Force.KERNEL)
                        .open(directory, false, 1, new WriteVerifier());
        findFile();
    }

    private void findFile() throws StoreException {
        try (var root = store.node(store.root(), Mounts.STAY)) {
            file = root.lookup(SERVER, FileName.of("file")).id();
        }
    }

    @AfterEach
    void close() {
        if (store != null) {
            store.close();
        }
    }

    private final KernelLease.Listener listener =
            new KernelLease.Listener() {
                @Override
                public void conflict() {
                    conflicts.release();
                }

                @Override
                public void changed() {
                    changes.release();
                }
            };

    private KernelLease lease(Kind kind) throws StoreException {
        try (var node = node()) {
            return node.openLease(kind, listener);
        }
    }

    /** Takes a lease as soon as the server has closed the descriptor of an earlier one. */
    private KernelLease leaseAfterAnother(Kind kind) {
        return Eventually.value(
                () -> {
                    try {
                        return Optional.of(lease(kind));
                    } catch (StoreException _) {
                        return Optional.empty();
                    }
                });
    }

    private Node node() throws StoreException {
        return store.node(file, Mounts.STAY);
    }

    private static MemorySegment bytes(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        return Arena.ofAuto().allocate(bytes.length).copyFrom(MemorySegment.ofArray(bytes));
    }

    private void write(Caller caller, String text) throws StoreException {
        try (var node = node()) {
            node.write(caller, 0, bytes(text), Stability.UNSTABLE, Storage.SYNC);
            node.commit(caller, Storage.SYNC);
        }
    }

    private String read(Caller caller) throws StoreException {
        try (var node = node()) {
            var target = Arena.ofAuto().allocate(100);
            int read = node.read(caller, 0, target).bytes();
            return new String(
                    target.asSlice(0, read).toArray(ValueLayout.JAVA_BYTE),
                    StandardCharsets.US_ASCII);
        }
    }

    private static Process shell(String command) throws Exception {
        return new ProcessBuilder("sh", "-c", command).redirectErrorStream(true).start();
    }

    private static String output(Process process) throws Exception {
        assertTrue(process.waitFor(30, TimeUnit.SECONDS));
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    }

    @Test
    void aWriterWaitsForAReadLease() throws Exception {
        var lease = lease(Kind.READ);
        var writer = shell("printf two >" + path);
        conflicts.acquire();
        assertTrue(writer.isAlive());
        assertEquals("one", read(SERVER));
        lease.close();
        assertEquals("", output(writer));
        assertEquals("two", Files.readString(path));
        assertEquals("two", read(SERVER));
    }

    /** Calls of clients run on virtual threads, and so on threads of the store. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void rootLeasesFilesOfOtherUsersOnThreadsOfTheStore(Kind kind) throws Exception {
        assumeTrue(
                (int) Files.getAttribute(path, "unix:uid") == 0, "only root gives files to others");
        Files.setAttribute(path, "unix:uid", 1000);
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            threads.submit(() -> lease(kind)).get().close();
        }
    }

    @Test
    void readersDoNotDisturbAReadLease() throws Exception {
        try (var _ = lease(Kind.READ)) {
            assertEquals("one", output(shell("cat " + path)));
            assertEquals("one", read(SERVER));
            assertEquals(0, conflicts.availablePermits());
        }
    }

    @Test
    void aReaderWaitsForAWriteLeaseAndSeesWhatWasWrittenUnderIt() throws Exception {
        var lease = lease(Kind.WRITE);
        write(SERVER, "two");
        assertEquals("two", read(SERVER));
        assertEquals(0, conflicts.availablePermits());
        var reader = shell("cat " + path);
        conflicts.acquire();
        write(SERVER, "new");
        assertTrue(reader.isAlive());
        lease.close();
        assertEquals("new", output(reader));
        write(SERVER, "end");
        assertEquals("end", Files.readString(path));
    }

    @Test
    void aFileThatIsOpenGetsNoLeaseThatConflicts() throws Exception {
        try (var _ = FileChannel.open(path, StandardOpenOption.READ)) {
            assertEquals(
                    Failure.AGAIN,
                    assertThrows(StoreException.class, () -> lease(Kind.WRITE)).failure());
            lease(Kind.READ).close();
        }
        try (var _ = FileChannel.open(path, StandardOpenOption.WRITE)) {
            assertThrows(StoreException.class, () -> lease(Kind.READ));
        }
        lease(Kind.WRITE).close();
        leaseAfterAnother(Kind.READ).close();
    }

    @Test
    void theHolderOfAWriteLeaseLocksUnderIt() throws Exception {
        var all = new Lock(0, KernelLocks.TO_THE_END, KernelLocks.Kind.WRITE);
        var lease = lease(Kind.WRITE);
        try (var locks = locks(KernelLocks.Kind.READ)) {
            assertEquals(Optional.empty(), locks.set(all));
            locks.clear(10, KernelLocks.TO_THE_END);
            assertEquals(0, conflicts.availablePermits());
            lease.close();
            ChildProcess.run(List.of(), LockedInPart.class, path.toString());
        }
        ChildProcess.run(List.of(), NotLocked.class, path.toString());
    }

    @Test
    void locksThatEndUnderAWriteLeaseLeaveNone() throws Exception {
        var all = new Lock(0, KernelLocks.TO_THE_END, KernelLocks.Kind.WRITE);
        try (var _ = lease(Kind.WRITE)) {
            try (var locks = locks(KernelLocks.Kind.WRITE)) {
                assertEquals(Optional.empty(), locks.set(all));
            }
            try (var locks = locks(KernelLocks.Kind.WRITE);
                    var node = node()) {
                assertEquals(Optional.empty(), node.lockConflict(all));
                assertEquals(Optional.empty(), locks.set(all));
            }
            assertEquals(0, conflicts.availablePermits());
        }
        ChildProcess.run(List.of(), NotLocked.class, path.toString());
    }

    /** Returns the states of the leases of the file that the kernel knows (proc_locks(5)). */
    private List<String> leases() throws Exception {
        var inode = ":" + Files.getAttribute(path, "unix:ino");
        return Files.readAllLines(Path.of("/proc/locks")).stream()
                .map(line -> line.strip().split(" +"))
                .filter(words -> words[1].equals("LEASE") && words[5].endsWith(inode))
                .map(words -> words[2])
                .toList();
    }

    /** Its description would be for reading alone if there were no lease. */
    @Test
    void aReadLockUnderAWriteLeaseLeavesTheLease() throws Exception {
        try (var _ = lease(Kind.WRITE);
                var locks = locks(KernelLocks.Kind.READ)) {
            assertEquals(Optional.empty(), locks.set(new Lock(0, 10, KernelLocks.Kind.READ)));
            assertEquals(List.of("ACTIVE"), leases());
        }
    }

    @Test
    void locksThatMoveAwayFromADescriptionLeaveNoneThere() throws Exception {
        var lease = lease(Kind.WRITE);
        try (var locks = locks(KernelLocks.Kind.READ);
                var _ = locks(KernelLocks.Kind.READ);
                var node = node()) {
            assertEquals(Optional.empty(), locks.set(new Lock(0, 10, KernelLocks.Kind.READ)));
            lease.close();
            // Another object has the description of the lease too, which stays open.
            locks.clear(50, 10);
            locks.clear(0, 10);
            var write = new Lock(0, 10, KernelLocks.Kind.WRITE);
            assertEquals(Optional.empty(), node.lockConflict(write));
        }
    }

    /** A lock for writing needs another descriptor, which a read lease forbids. */
    @Test
    void theHolderOfAReadLeaseLocksForReadingUnderIt() throws Exception {
        var lease = lease(Kind.READ);
        try (var locks = locks(KernelLocks.Kind.READ)) {
            assertEquals(Optional.empty(), locks.set(new Lock(0, 10, KernelLocks.Kind.READ)));
            assertEquals(Optional.empty(), locks.set(new Lock(50, 10, KernelLocks.Kind.READ)));
            locks.clear(50, 10);
            assertEquals(0, conflicts.availablePermits());
            var write = new Lock(20, 10, KernelLocks.Kind.WRITE);
            var early = assertThrows(StoreException.class, () -> locks.set(write));
            assertEquals(Failure.AGAIN, early.failure());
            conflicts.acquire();
            lease.close();
            assertEquals(Optional.empty(), locks.set(write));
            locks.clear(20, 10);
            ChildProcess.run(List.of(), LockedInPart.class, path.toString());
        }
        ChildProcess.run(List.of(), NotLocked.class, path.toString());
    }

    /** It would have to end if the file were opened for writing. */
    @Test
    void aTestForALockLeavesAReadLease() throws Exception {
        try (var _ = lease(Kind.READ);
                var node = node()) {
            var write = new Lock(0, 10, KernelLocks.Kind.WRITE);
            assertEquals(Optional.empty(), node.lockConflict(write));
            assertEquals(0, conflicts.availablePermits());
        }
    }

    private KernelLocks locks(KernelLocks.Kind first) throws StoreException {
        try (var node = node()) {
            return node.openLocks(first);
        }
    }

    /** Runs while the server has locked the first ten bytes. */
    static final class LockedInPart {
        private LockedInPart() {}

        public static void main(String[] arguments) throws Exception {
            try (var channel = FileChannel.open(Path.of(arguments[0]), StandardOpenOption.WRITE)) {
                assertNull(channel.tryLock(9, 1, false));
                assertNotNull(channel.tryLock(10, Long.MAX_VALUE - 10, false));
            }
        }
    }

    /** Runs while the server has locked nothing. */
    static final class NotLocked {
        private NotLocked() {}

        public static void main(String[] arguments) throws Exception {
            try (var channel = FileChannel.open(Path.of(arguments[0]), StandardOpenOption.WRITE)) {
                assertNotNull(channel.tryLock());
            }
        }
    }

    /** The descriptor has all rights, its users have their own. */
    @Test
    void aLeaseGivesNoUserMoreRights() throws Exception {
        assumeTrue(store.actsForCallers(), "callers have no rights of their own");
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
        var stranger = new Caller.User(4711, 4711, new int[0]);
        try (var _ = lease(Kind.WRITE)) {
            assertEquals(
                    Failure.ACCES,
                    assertThrows(StoreException.class, () -> read(stranger)).failure());
            assertEquals(
                    Failure.ACCES,
                    assertThrows(StoreException.class, () -> write(stranger, "x")).failure());
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw----rw-"));
            write(stranger, "two");
            assertEquals("two", read(stranger));
            assertEquals("two", read(new Caller.User(0, 0, new int[0])));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "chmod 600 file",
                "touch -h -d 2001-02-03 file",
                "ln file other",
                "mv file other",
                "rm file",
                "mv new file"
            })
    void aLocalChangeOfAttributesOrNamesIsTold(String command) throws Exception {
        Files.writeString(directory.resolve("new"), "new");
        for (var kind : Kind.values()) {
            changes.drainPermits();
            try (var _ = lease(kind)) {
                assertEquals("", output(shell("cd " + directory + " && " + command)));
                changes.acquire();
                assertEquals(0, conflicts.availablePermits());
            }
            Files.deleteIfExists(directory.resolve("other"));
            Files.deleteIfExists(path);
            Files.writeString(path, "one");
            findFile();
            Files.writeString(directory.resolve("new"), "new");
        }
    }

    @Test
    void whatIsWrittenOrReadIsNoChangeOfAttributes() throws Exception {
        try (var lease = lease(Kind.WRITE)) {
            write(SERVER, "two");
            assertEquals("two", read(SERVER));
            lease.tellChanges();
            assertEquals(0, changes.availablePermits());
        }
    }

    @Test
    void changesAreToldBeforeTheyAreAskedForReturns() throws Exception {
        try (var lease = lease(Kind.READ)) {
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
            lease.tellChanges();
            assertTrue(changes.availablePermits() > 0);
        }
    }

    @Test
    void eachLeaseOfAFileIsTold() throws Exception {
        var first = lease(Kind.READ);
        var second = lease(Kind.READ);
        first.close();
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
        second.tellChanges();
        assertTrue(changes.availablePermits() > 0);
        second.close();
    }

    /** The lease of another export ends while one begins: both have one watch. */
    @Test
    void aLeaseIsToldThatBeginsWhenAnotherEnds() throws Exception {
        var isOver = new AtomicBoolean();
        var other =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    while (!isOver.get()) {
                                        leaseAfterAnother(Kind.READ).close();
                                    }
                                });
        try {
            for (int i = 0; i < 5000; i++) {
                try (var lease = leaseAfterAnother(Kind.READ)) {
                    lease.tellChanges();
                    changes.drainPermits();
                    Files.setPosixFilePermissions(
                            path,
                            PosixFilePermissions.fromString(
                                    i % 2 == 0 ? "rw-------" : "rw-r-----"));
                    lease.tellChanges();
                    assertTrue(changes.availablePermits() > 0, "lease " + i);
                }
            }
        } finally {
            isOver.set(true);
            other.join();
        }
    }

    /** Other processes of the user watch files too. */
    @ParameterizedTest
    @CsvSource({
        "65536,8192,4096",
        "65536,524288,32768",
        "65536,65537,32768",
        "65536,1,0",
        "65536,0,0",
        "65536,-1,0",
        "65536,9999999999,32768",
        "16,524288,8"
    })
    void leasesTakeHalfOfTheWatchesAtMost(int locksMax, long watches, int leasesMax) {
        assertEquals(leasesMax, LinuxStores.leasesMax(locksMax, OptionalLong.of(watches)));
        assertEquals(4096, LinuxStores.leasesMax(65_536, OptionalLong.empty()));
    }

    @Test
    void manyLeasesBeginAndEnd() throws Exception {
        for (int i = 0; i < 50; i++) {
            var lease = leaseAfterAnother(i % 2 == 0 ? Kind.READ : Kind.WRITE);
            if (i % 10 == 0) {
                var writer = shell("printf 0 >>" + path);
                conflicts.acquire();
                lease.close();
                assertEquals("", output(writer));
            }
            lease.close();
        }
        assertEquals("one00000", Files.readString(path));
    }
}
