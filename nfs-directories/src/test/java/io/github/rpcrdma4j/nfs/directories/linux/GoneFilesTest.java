package io.github.rpcrdma4j.nfs.directories.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.FileStore;
import io.github.rpcrdma4j.nfs.store.FileStore.Mounts;
import io.github.rpcrdma4j.nfs.store.Node;
import io.github.rpcrdma4j.nfs.store.WriteVerifier;
import io.github.rpcrdma4j.nfs.store.contract.StoreUser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: a client that asks for a file again and again, after a local process removed it, does not
 * keep the storage of the file.
 */
class GoneFilesTest extends StoreUser<TestDirectory> {
    private static final String FILE = "a-removed-file";

    private LinuxStores stores;
    private FileId file;

    @Override
    protected TestDirectory makePlace() throws IOException {
        return LinuxDirectory.make();
    }

    @Override
    protected FileStore open(TestDirectory place, WriteVerifier verifier) throws IOException {
        stores = new LinuxStores(16, 16, 16, DataFiles.Force.KERNEL);
        return stores.open(place.root(), false, 1, verifier);
    }

    @Override
    protected Set<Trait> traits() {
        return Set.of();
    }

    @BeforeEach
    void make() throws Exception {
        file = create(root(), FILE);
    }

    private void removeLocally() throws IOException {
        Files.delete(place.root().resolve(FILE));
    }

    /** Returns the descriptors of the removed file. */
    private static List<String> open() throws IOException {
        // The root may be a mount of its own, so the path has no more than the name.
        var removed = "/" + FILE + " (deleted)";
        var open = new ArrayList<String>();
        try (var all = Files.list(Path.of("/proc/self/fd"))) {
            for (var each : all.toList()) {
                try {
                    if (Files.readSymbolicLink(each).toString().endsWith(removed)) {
                        open.add(each.toString());
                    }
                } catch (NoSuchFileException closed) {
                    // The descriptor of the listing itself.
                }
            }
        }
        return open;
    }

    @Test
    void aLookClosesWhatIsCached() throws Exception {
        removeLocally();
        fails(Failure.STALE, file, Node::status);
        assertEquals(List.of(), open());
        fails(Failure.STALE, file, Node::status);
    }

    @Test
    void aLookClosesDescriptorsOfTheData() throws Exception {
        write(file, 0, "hello");
        removeLocally();
        fails(Failure.STALE, file, Node::status);
        assertEquals(0, stores.data().size());
        // Another thread closes it, since that may wait for storage.
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (!open().isEmpty()) {
            assertTrue(System.nanoTime() < deadline, "the file is still open");
        }
    }

    @Test
    void aCheckOfTheCacheFindsWhatIsUsedWithoutALook() throws Exception {
        at(file, Node::id);
        removeLocally();
        at(file, Node::id);
        stores.nodes().dropUnused();
        assertEquals(List.of(), open());
        fails(Failure.STALE, file, Node::id);
    }

    @Test
    void aCheckOfTheCacheKeepsWhatHasAName() throws Exception {
        at(file, Node::id);
        stores.nodes().dropUnused();
        assertEquals(1, stores.nodes().size());
    }

    @Test
    void anOperationKeepsItsFileToItsEnd() throws Exception {
        try (var used = store.node(file, Mounts.STAY)) {
            removeLocally();
            fails(Failure.STALE, file, Node::status);
            assertEquals(1, open().size());
            assertEquals(file, used.id());
        }
        assertEquals(List.of(), open());
    }
}
