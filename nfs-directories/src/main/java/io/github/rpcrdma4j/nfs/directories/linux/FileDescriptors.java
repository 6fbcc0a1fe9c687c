package io.github.rpcrdma4j.nfs.directories.linux;

import io.github.rpcrdma4j.nfs.store.FileId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** A file with all its data descriptors. Its {@link DataFiles} guards the mutable fields. */
final class FileDescriptors {
    final LinuxStore store;
    final FileId id;

    /**
     * Held during a sync, until a failure has changed the write verifier. Linux reports lost data
     * once per descriptor, so a later sync without this lock would succeed under the old verifier.
     */
    final ReentrantLock syncing = new ReentrantLock();

    /**
     * Changes of the data share this lock. A thread holds it exclusively while the kernel drops
     * lost data from the page cache.
     */
    final ReentrantReadWriteLock changing = new ReentrantReadWriteLock();

    /** The number of operations that use {@link #syncing} or this object. */
    int users;

    /** The descriptor with a write lease, which all operations use; null if there is none. */
    DataFile leased;

    final List<DataFile> descriptors = new ArrayList<>();

    FileDescriptors(LinuxStore store, FileId id) {
        this.store = store;
        this.id = id;
    }
}
