package io.github.rpcrdma4j.nfs.directories.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.linux.Errno;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.store.AttributeChanges;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.Creation;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.FileStore;
import io.github.rpcrdma4j.nfs.store.FileStore.Mounts;
import io.github.rpcrdma4j.nfs.store.Node.Storage;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.store.WriteVerifier;
import io.github.rpcrdma4j.testing.Eventually;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: lost data is never committed with the verifier of its write. Method: a failure of force,
 * which each open descriptor reports once, as in Linux.
 */
class LostDataTest {
    private static final Caller SERVER = new Caller.Server();

    @TempDir Path directory;
    private final WriteVerifier verifier = new WriteVerifier();
    private final FailingDisk disk = new FailingDisk();
    private LinuxStores stores;
    private FileStore store;

    /** Fails once per descriptor after data was lost. */
    private static final class FailingDisk implements DataFiles.Force {
        private final Set<Integer> reported = new HashSet<>();
        private final AtomicInteger calls = new AtomicInteger();
        private boolean failing;
        private int errno = Errno.IO;
        private CountDownLatch entered = new CountDownLatch(0);
        private CountDownLatch mayEnd = new CountDownLatch(0);

        @Override
        public int force(Scratch scratch, int descriptor, boolean dataOnly) {
            calls.incrementAndGet();
            entered.countDown();
            try {
                mayEnd.await(10, TimeUnit.SECONDS);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
            synchronized (this) {
                return failing && reported.add(descriptor) ? -errno : 0;
            }
        }

        synchronized void loseData() {
            failing = true;
        }
    }

    @BeforeEach
    void open() throws IOException {
        assumeTrue(LinuxStores.missing().isEmpty(), () -> LinuxStores.missing().orElse(""));
        stores = new LinuxStores(16, 2, 16, disk);
        store = stores.open(directory, false, 1, verifier);
    }

    @AfterEach
    void close() {
        if (store != null) {
            store.close();
        }
    }

    private FileId create(String name) throws StoreException {
        try (var root = store.node(store.root(), Mounts.STAY)) {
            var how = new Creation.Guarded(AttributeChanges.NONE);
            var made = root.create(SERVER, FileName.of(name), how, Storage.ASYNC);
            return made.value().made().orElseThrow().id();
        }
    }

    private long write(FileId file, Stability stability) throws StoreException {
        try (var node = store.node(file, Mounts.STAY)) {
            var data = MemorySegment.ofArray(new byte[4096]);
            return node.write(SERVER, 0, data, stability, Storage.SYNC).value().verifier();
        }
    }

    private long commit(FileId file) throws StoreException {
        try (var node = store.node(file, Mounts.STAY)) {
            return node.commit(SERVER, Storage.SYNC).value();
        }
    }

    private void requireLost(FileId file) {
        var refused = assertThrows(StoreException.class, () -> commit(file));
        assertEquals(Failure.IO, refused.failure());
    }

    @Test
    void commitsWhatCouldBeWrittenWithTheVerifierOfTheWrite() throws Exception {
        var file = create("file");
        long written = write(file, Stability.UNSTABLE);
        assertEquals(written, commit(file));
        assertEquals(written, commit(file));
    }

    @Test
    void neverCommitsLostDataWithTheVerifierOfItsWrite() throws Exception {
        var file = create("file");
        long written = write(file, Stability.UNSTABLE);
        disk.loseData();
        requireLost(file);
        assertNotEquals(written, commit(file));
        assertNotEquals(written, commit(file));
    }

    @Test
    void reportsDataThatWasLostAfterItsDescriptorWasEvicted() throws Exception {
        var file = create("file");
        long written = write(file, Stability.UNSTABLE);
        disk.loseData();
        // Two more descriptors displace the first, whose data is forced before it is closed.
        write(create("second"), Stability.UNSTABLE);
        write(create("third"), Stability.UNSTABLE);
        awaitForces(1);
        assertNotEquals(written, commitOrLost(file, written));
    }

    /** Returns the verifier of a COMMIT, or another number if it fails. */
    private long commitOrLost(FileId file, long written) {
        try {
            return commit(file);
        } catch (StoreException lost) {
            return written + 1;
        }
    }

    @Test
    void reportsLostDataWhenAnotherCallOfThatFileSawItFirst() throws Exception {
        var file = create("file");
        long written = write(file, Stability.UNSTABLE);
        disk.loseData();
        assertThrows(StoreException.class, () -> write(file, Stability.FILE_SYNC));
        assertNotEquals(written, commit(file));
    }

    @Test
    void waitsWithACommitForAForceThatMayFail() throws Exception {
        var file = create("file");
        long written = write(file, Stability.UNSTABLE);
        disk.loseData();
        disk.entered = new CountDownLatch(1);
        disk.mayEnd = new CountDownLatch(1);
        var first = Thread.ofVirtual().start(() -> commitOrLost(file, written));
        assertTrue(disk.entered.await(10, TimeUnit.SECONDS));
        var seen = new AtomicInteger();
        var second =
                Thread.ofVirtual()
                        .start(() -> seen.set(commitOrLost(file, written) == written ? 1 : 2));
        disk.mayEnd.countDown();
        first.join();
        second.join();
        assertEquals(2, seen.get());
    }

    @Test
    void changesNoVerifierWhenACallIsToBeTriedAgain() throws Exception {
        var file = create("file");
        long written = write(file, Stability.UNSTABLE);
        disk.errno = Errno.AGAIN;
        disk.loseData();
        assertThrows(StoreException.class, () -> commit(file));
        assertEquals(written, verifier.now());
        int calls = disk.calls.get();
        assertEquals(written, commit(file));
        assertEquals(calls + 1, disk.calls.get());
    }

    @Test
    void closesDescriptorsForWritingSoThatWhatWasWrittenCanBeRun() throws Exception {
        var file = create("file");
        write(file, Stability.UNSTABLE);
        assertEquals(1, stores.data().size());
        commit(file);
        assertEquals(0, stores.data().size());
        write(file, Stability.UNSTABLE);
        awaitNoDescriptors();
    }

    private void awaitForces(int count) {
        Eventually.await(Duration.ofSeconds(10), () -> disk.calls.get() >= count);
    }

    private void awaitNoDescriptors() {
        Eventually.await(Duration.ofSeconds(10), () -> stores.data().size() == 0);
    }
}
