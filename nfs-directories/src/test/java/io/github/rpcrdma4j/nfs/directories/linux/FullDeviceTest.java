package io.github.rpcrdma4j.nfs.directories.linux;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

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
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: data that the device has no space for is never committed. Method: a real file system that
 * accepts more data than its device holds, and fails when the data is forced.
 */
class FullDeviceTest {
    private static final Caller SERVER = new Caller.Server();
    private static final int PIECE = 1 << 20;
    private static final int PIECES = 16;
    private static final int COMMITS = 3;

    @TempDir Path directory;
    private final WriteVerifier verifier = new WriteVerifier();
    private final byte[] content = new byte[PIECES * PIECE];
    private FullDevice device;
    private LinuxStores stores;
    private FileStore store;

    @BeforeEach
    void open() throws IOException, InterruptedException {
        assumeTrue(LinuxStores.missing().isEmpty(), () -> LinuxStores.missing().orElse(""));
        device = FullDevice.in(directory);
        new Random(1).nextBytes(content);
        openStore(16);
    }

    private void openStore(int dataMax) throws IOException {
        stores = new LinuxStores(16, dataMax, 16, DataFiles.Force.KERNEL);
        store = stores.open(device.directory(), false, 1, verifier);
    }

    @AfterEach
    void close() {
        closeStore();
        if (device != null) {
            device.close();
        }
    }

    private void closeStore() {
        if (store != null) {
            store.close();
            store = null;
        }
    }

    private FileId create(String name) throws StoreException {
        try (var root = store.node(store.root(), Mounts.STAY)) {
            var how = new Creation.Unchecked(AttributeChanges.NONE);
            var made = root.create(SERVER, FileName.of(name), how, Storage.SYNC);
            return made.value().made().orElseThrow().id();
        }
    }

    private List<Long> write(FileId file) throws StoreException {
        return write(file, PIECES);
    }

    /** Writes the first pieces of the content, and returns the verifiers of the replies. */
    private List<Long> write(FileId file, int pieces) throws StoreException {
        var verifiers = new ArrayList<Long>();
        for (int piece = 0; piece < pieces; piece++) {
            try (var node = store.node(file, Mounts.STAY)) {
                long offset = (long) piece * PIECE;
                var data = MemorySegment.ofArray(content).asSlice(offset, PIECE);
                var written =
                        node.write(SERVER, offset, data, Stability.UNSTABLE, Storage.SYNC).value();
                assertEquals(PIECE, written.bytes());
                verifiers.add(written.verifier());
            }
        }
        return verifiers;
    }

    /** Returns the verifier of a COMMIT; empty if it failed. */
    private OptionalLong commit(FileId file) throws StoreException {
        try (var node = store.node(file, Mounts.STAY)) {
            return OptionalLong.of(node.commit(SERVER, Storage.SYNC).value());
        } catch (StoreException failed) {
            assertTrue(
                    failed.failure() == Failure.NOSPC || failed.failure() == Failure.IO,
                    failed::toString);
            return OptionalLong.empty();
        }
    }

    private byte[] onDevice() throws IOException, InterruptedException {
        closeStore();
        device.forgetCaches();
        try {
            return Files.readAllBytes(device.directory().resolve("file"));
        } catch (IOException unreadable) {
            return new byte[0];
        }
    }

    /** Returns whether a client with these replies would treat its data as stored. */
    private static boolean isCommitted(List<Long> written, OptionalLong committed) {
        return committed.isPresent()
                && written.stream().allMatch(each -> each == committed.getAsLong());
    }

    @Test
    void neverCommitsWhatTheDeviceHasNoRoomFor() throws Exception {
        var file = create("file");
        var written = write(file);
        boolean committed = false;
        for (int each = 0; each < COMMITS; each++) {
            committed |= isCommitted(written, commit(file));
        }
        assertFalse(Arrays.equals(content, onDevice()), "the device has room for all of it");
        assertFalse(committed);
    }

    @Test
    void neverCommitsWhatWasLostAfterItsDescriptorWasEvicted() throws Exception {
        closeStore();
        openStore(1);
        var file = create("file");
        var written = write(file);
        // Another file now uses the only descriptor.
        write(create("other"), 1);
        boolean committed = false;
        for (int each = 0; each < COMMITS; each++) {
            committed |= isCommitted(written, commit(file));
        }
        assertFalse(Arrays.equals(content, onDevice()), "the device has room for all of it");
        assertFalse(committed);
    }

    @Test
    void neverCommitsALossThatAnotherProcessSawFirst() throws Exception {
        var file = create("file");
        var written = write(file);
        var other =
                new ProcessBuilder("sync", device.directory().resolve("file").toString())
                        .redirectErrorStream(true)
                        .start();
        other.getInputStream().readAllBytes();
        assertTrue(other.waitFor() != 0, "another process was told of nothing");
        boolean committed = false;
        for (int each = 0; each < COMMITS; each++) {
            committed |= isCommitted(written, commit(file));
        }
        assertFalse(Arrays.equals(content, onDevice()), "the device has room for all of it");
        assertFalse(committed);
    }

    @Test
    void commitsWhatIsWrittenAgainOnceThereIsRoom() throws Exception {
        var file = create("file");
        write(file);
        for (int each = 0; each < COMMITS; each++) {
            commit(file);
        }
        device.makeRoom();
        var again = write(file);
        assertTrue(isCommitted(again, commit(file)));
        assertArrayEquals(content, onDevice());
    }
}
