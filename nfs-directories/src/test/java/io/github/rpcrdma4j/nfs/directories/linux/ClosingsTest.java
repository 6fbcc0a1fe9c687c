package io.github.rpcrdma4j.nfs.directories.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.store.AttributeChanges;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.Creation;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.FileStore.Mounts;
import io.github.rpcrdma4j.nfs.store.Node.Storage;
import io.github.rpcrdma4j.nfs.store.Origin;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.store.WriteVerifier;
import io.github.rpcrdma4j.oncrpc.ClientAddress;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: files that wait to be forced and closed on a slow disk hold up no host but the one that
 * wrote them. Method: a disk that forces nothing until the test lets it go on, and room for few
 * descriptors, so that each file is closed when the next ones are opened.
 */
// A call waits for its job despite interrupts, so an interrupt would not end this test.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClosingsTest {
    private static final int KEPT = 2;

    /** More than may wait to be closed. */
    private static final int FILES = 1000;

    private static final int HOSTS = FileThreads.THREADS_MAX / HangingFiles.OF_FILE_MAX;
    private static final int HOSTS_OF_ALL = 50;
    private static final Caller SERVER = new Caller.Server();
    private static final Origin WRITER = host(0);
    private static final Origin OTHER = host(100);

    @TempDir Path directory;
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private final Semaphore forces = new Semaphore(0);
    private final WriteVerifier verifier = new WriteVerifier();
    private LinuxStore store;
    private int names;

    private static Origin host(int number) {
        var address = InetAddress.ofLiteral("192.0.2." + number);
        return new Origin(ClientAddress.of(address), "");
    }

    @BeforeEach
    void open() throws Exception {
        assumeTrue(LinuxStores.missing().isEmpty(), () -> LinuxStores.missing().orElse(""));
        var stores = new LinuxStores(FILES, KEPT, FILES, this::force);
        store = (LinuxStore) stores.open(directory, false, 1, verifier);
    }

    @AfterEach
    void close() {
        mayEnd.countDown();
        if (store != null) {
            store.close();
        }
    }

    private int force(Scratch scratch, int descriptor, boolean dataOnly) {
        forces.release();
        boolean isOver = false;
        while (!isOver) {
            try {
                mayEnd.await();
                isOver = true;
            } catch (InterruptedException _) {
                // A system call goes on, too.
            }
        }
        return 0;
    }

    private FileId create(Origin origin) throws StoreException {
        try (var root = store.node(store.root(), Mounts.STAY, origin)) {
            var how = new Creation.Guarded(AttributeChanges.NONE);
            var name = FileName.of("file-" + names++);
            var made = root.create(SERVER, name, how, Storage.ASYNC);
            return made.value().made().orElseThrow().id();
        }
    }

    private int write(Origin origin, FileId file) throws StoreException {
        try (var node = store.node(file, Mounts.STAY, origin)) {
            var data = MemorySegment.ofArray(new byte[100]);
            var written = node.write(SERVER, 0, data, Stability.UNSTABLE, Storage.SYNC);
            return written.value().bytes();
        }
    }

    private int read(Origin origin, FileId file) throws StoreException {
        try (var node = store.node(file, Mounts.STAY, origin);
                var arena = Arena.ofConfined()) {
            return node.read(SERVER, 0, arena.allocate(200)).bytes();
        }
    }

    /** A host writes to one file after the other, until it may write to no more of them. */
    private List<FileId> writeUntilRefused(Origin origin) throws StoreException {
        var written = new ArrayList<FileId>();
        while (written.size() < FILES) {
            var file = create(origin);
            try {
                write(origin, file);
            } catch (StoreException refused) {
                assertEquals(Failure.AGAIN, refused.failure());
                return written;
            }
            written.add(file);
        }
        throw new AssertionError("the descriptors have no bound");
    }

    @Test
    void aHostWithManyKeepsNoOtherFromItsFiles() throws Exception {
        var written = writeUntilRefused(WRITER);
        var file = create(OTHER);
        assertEquals(100, write(OTHER, file));
        assertEquals(100, read(OTHER, file));
        assertEquals(100, read(OTHER, written.getFirst()));
        assertTrue(writeUntilRefused(OTHER).size() > KEPT, "the other host has no share");
    }

    @Test
    void aHostWithManyStillReads() throws Exception {
        var written = writeUntilRefused(WRITER);
        assertEquals(100, read(WRITER, written.getFirst()));
        assertThrows(StoreException.class, () -> write(WRITER, create(WRITER)));
    }

    @Test
    void allHostsTogetherHaveABound() throws Exception {
        int written = 0;
        for (int number = 0; number < HOSTS_OF_ALL; number++) {
            written += writeUntilRefused(host(number)).size();
        }
        int most = DataFiles.CLOSING_LEAST + HOSTS_OF_ALL * (KEPT + 1);
        assertTrue(written <= most, "too many descriptors are open: " + written);
    }

    /** Its files are forced in time, and then it writes again. */
    @Test
    void theHostGoesOnWhenTheDiskDoes() throws Exception {
        long before = verifier.now();
        writeUntilRefused(WRITER);
        var file = create(WRITER);
        mayEnd.countDown();
        int written = 0;
        while (written == 0) {
            try {
                written = write(WRITER, file);
            } catch (StoreException full) {
                assertEquals(Failure.AGAIN, full.failure());
                forces.acquire();
            }
        }
        assertEquals(before, verifier.now());
    }

    @Test
    void forcesThatHangHoldUpNoOperation() throws Exception {
        HangingWatch.SHARED.remove(store.threads());
        for (int number = 0; number < HOSTS; number++) {
            for (int i = 0; i < HangingFiles.OF_FILE_MAX + KEPT; i++) {
                write(host(number), create(host(number)));
            }
        }
        forces.acquire(FileThreads.THREADS_MAX);
        store.threads().look(0);
        store.threads().look(HangingFiles.REFUSED_NANOS);
        assertEquals(100, write(OTHER, create(OTHER)));
    }
}
