package io.github.rpcrdma4j.nfs.directories.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.FileStatus;
import io.github.rpcrdma4j.nfs.store.FileStore;
import io.github.rpcrdma4j.nfs.store.Node;
import io.github.rpcrdma4j.nfs.store.Node.Changed;
import io.github.rpcrdma4j.nfs.store.Node.Storage;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.store.WriteVerifier;
import io.github.rpcrdma4j.nfs.store.contract.StoreUser;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Goal: a COMMIT hides no change of another call from its client (RFC 1813, Section 2.6). */
class CommitTest extends StoreUser<TestDirectory> {
    /** Storage that a call of another client uses while a COMMIT waits for it. */
    private static final class SharedDisk implements DataFiles.Force {
        private Runnable otherCall = () -> {};

        @Override
        public int force(Scratch scratch, int descriptor, boolean dataOnly) {
            otherCall.run();
            return 0;
        }
    }

    private final SharedDisk disk = new SharedDisk();

    @Override
    protected TestDirectory makePlace() throws IOException {
        return LinuxDirectory.make();
    }

    @Override
    protected FileStore open(TestDirectory place, WriteVerifier verifier) throws IOException {
        return new LinuxStores(16, 16, 16, disk).open(place.root(), false, 1, verifier);
    }

    @Override
    protected Set<Trait> traits() {
        return Set.of();
    }

    @Override
    protected Caller caller() {
        return new Caller.Server();
    }

    private Changed<Node.Written> append(FileId file) {
        try {
            return write(file, 5, " again");
        } catch (StoreException failure) {
            throw new AssertionError(failure);
        }
    }

    @Test
    void reportsNothingFromBeforeIfAnotherCallWritesMeanwhile() throws Exception {
        var file = create(root(), "file");
        write(file, 0, "hello");
        List<Changed<Node.Written>> writes = new ArrayList<>();
        disk.otherCall = () -> writes.add(append(file));
        var changed = at(file, node -> node.commit(caller(), Storage.SYNC));
        disk.otherCall = () -> {};
        assertTrue(changed.before().isEmpty());
        assertEquals(Optional.of(11L), changed.after().map(FileStatus::size));
        // The COMMIT changed nothing that the WRITE reports.
        assertEquals(Optional.of(5L), writes.getFirst().before().map(FileStatus::size));
    }
}
