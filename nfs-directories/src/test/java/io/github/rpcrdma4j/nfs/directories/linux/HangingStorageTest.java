package io.github.rpcrdma4j.nfs.directories.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.linux.Errno;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.store.AttributeChanges;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.Creation;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.FileStore;
import io.github.rpcrdma4j.nfs.store.FileStore.Mounts;
import io.github.rpcrdma4j.nfs.store.Node.Storage;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.store.WriteVerifier;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Goal: storage that does not respond delays only the calls that need it. */
// A call waits for its job despite interrupts, so an interrupt would not end this test.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HangingStorageTest {
    /** More than the threads of a store. */
    private static final int CALLS = 100;

    private static final Caller SERVER = new Caller.Server();

    @TempDir Path directory;

    /** Blocks every force until the test releases it. */
    private static final class HangingDisk implements DataFiles.Force {
        final CountDownLatch mayEnd = new CountDownLatch(1);
        final AtomicInteger waiting = new AtomicInteger();

        @Override
        public int force(Scratch scratch, int descriptor, boolean dataOnly) {
            waiting.incrementAndGet();
            try {
                mayEnd.await();
            } catch (InterruptedException interrupted) {
                return -Errno.IO;
            }
            return 0;
        }
    }

    private FileStore store(LinuxStores stores, String name) throws IOException {
        return stores.open(
                Files.createDirectory(directory.resolve(name)), false, 1, new WriteVerifier());
    }

    private static FileId create(FileStore store, String name) throws StoreException {
        try (var root = store.node(store.root(), Mounts.STAY)) {
            var how = new Creation.Guarded(AttributeChanges.NONE);
            var made = root.create(SERVER, FileName.of(name), how, Storage.ASYNC);
            return made.value().made().orElseThrow().id();
        }
    }

    private static int write(FileStore store, FileId file, Stability stability)
            throws StoreException {
        try (var node = store.node(file, Mounts.STAY)) {
            var data = MemorySegment.ofArray(new byte[100]);
            return node.write(SERVER, 0, data, stability, Storage.SYNC).value().bytes();
        }
    }

    /**
     * Makes, writes and checks a file on another store, which must not need the blocked storage.
     */
    private static long sizeInAnother(FileStore store, String name) throws StoreException {
        var file = create(store, name);
        write(store, file, Stability.UNSTABLE);
        try (var node = store.node(file, Mounts.STAY)) {
            return node.status().size();
        }
    }

    @Test
    void holdsUpNoCallOfAnotherExport() throws Exception {
        assumeTrue(LinuxStores.missing().isEmpty(), () -> LinuxStores.missing().orElse(""));
        var disk = new HangingDisk();
        var stores = new LinuxStores(1024, 1024, 1024, disk);
        try (var hanging = store(stores, "hanging");
                var working = store(stores, "working");
                var threads = Executors.newVirtualThreadPerTaskExecutor();
                // Closed first, so that the executor's threads end even after a failure.
                AutoCloseable _ = disk.mayEnd::countDown) {
            var files = new ArrayList<FileId>();
            for (int i = 0; i < CALLS; i++) {
                files.add(create(hanging, "file-" + i));
            }
            List<Future<Integer>> held = new ArrayList<>();
            for (var file : files) {
                Callable<Integer> write = () -> write(hanging, file, Stability.FILE_SYNC);
                held.add(threads.submit(write));
            }
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
            while (disk.waiting.get() < FileThreads.THREADS_MAX && System.nanoTime() < deadline) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            }
            // There are more when those that hang have been found.
            assertTrue(disk.waiting.get() >= FileThreads.THREADS_MAX);
            Callable<Long> other = () -> sizeInAnother(working, "file");
            assertEquals(100, threads.submit(other).get(10, TimeUnit.SECONDS));
            // Attributes of the blocked files need no storage either.
            try (var node = hanging.node(files.getFirst(), Mounts.STAY)) {
                assertEquals(100, node.status().size());
            }
            assertTrue(held.stream().noneMatch(Future::isDone));
            disk.mayEnd.countDown();
            for (var each : held) {
                assertEquals(100, each.get(20, TimeUnit.SECONDS));
            }
        }
    }
}
