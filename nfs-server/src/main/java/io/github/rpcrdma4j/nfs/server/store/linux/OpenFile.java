package io.github.rpcrdma4j.nfs.server.store.linux;

import io.github.rpcrdma4j.nfs.server.store.FileId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * A file that has descriptors for its data, all that there are. Its {@link DataFiles} guards what
 * changes.
 */
final class OpenFile {
    final LinuxStore store;
    final FileId id;

    /**
     * Held while data is brought to storage, until a failure has changed the write verifier: Linux
     * tells each descriptor once of data that was lost, so the next to ask would hear of nothing.
     */
    final ReentrantLock syncing = new ReentrantLock();

    /** Shared by changes of the data, and held alone while the kernel forgets what was lost. */
    final ReentrantReadWriteLock changing = new ReentrantReadWriteLock();

    /** Whether {@link #syncing} or this object is used by operations now. */
    int users;

    final List<DataFile> descriptors = new ArrayList<>();

    OpenFile(LinuxStore store, FileId id) {
        this.store = store;
        this.id = id;
    }
}
