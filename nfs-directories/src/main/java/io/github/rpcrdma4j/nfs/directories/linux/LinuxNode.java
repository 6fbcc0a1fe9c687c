package io.github.rpcrdma4j.nfs.directories.linux;

import io.github.rpcrdma4j.linux.Kernel;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.linux.Statx;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.FileStatus;
import io.github.rpcrdma4j.nfs.store.StoreException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A file with a reference-counted {@code O_PATH} descriptor. It is closed when the cache and all
 * operations have released it, so its number never refers to another file during use.
 */
final class LinuxNode {
    /** The most callers with a cached grant per file; when it is full, all grants are dropped. */
    private static final int GRANTS_MAX = 128;

    final FileId id;
    final MountedFileSystem mounted;
    final FileType type;
    final int descriptor;

    private final AtomicInteger references = new AtomicInteger(1);
    private volatile ConcurrentHashMap<Caller, Grant> grants;

    /** Whether it was used since the last check by the cache. */
    volatile boolean used = true;

    /** Whether a look has shown that the file has no name any more. */
    private volatile boolean isGone;

    /**
     * @param descriptor belongs to this node, which closes it
     */
    LinuxNode(FileId id, MountedFileSystem mounted, FileType type, int descriptor) {
        this.id = id;
        this.mounted = mounted;
        this.type = type;
        this.descriptor = descriptor;
    }

    /** Acquires a reference; returns false if the descriptor is closed already. */
    boolean acquire() {
        int count = references.get();
        while (count > 0) {
            if (references.compareAndSet(count, count + 1)) {
                used = true;
                return true;
            }
            count = references.get();
        }
        return false;
    }

    void release() {
        if (references.decrementAndGet() == 0) {
            var scratch = Scratch.acquire();
            try {
                Kernel.close(scratch, descriptor);
            } finally {
                scratch.release();
            }
        }
    }

    /**
     * Reads the attributes to the scratch.
     *
     * @throws StoreException STALE if the file has no name any more
     */
    void stat(Scratch scratch) throws StoreException {
        ErrnoFailures.check(Kernel.statx(scratch, descriptor));
        if (Statx.links(scratch) == 0) {
            isGone = true;
            throw new StoreException(Failure.STALE);
        }
    }

    /** Returns whether a look has shown that the file has no name any more. */
    boolean isGone() {
        return isGone;
    }

    /** Looks whether the file has a name, without waiting for storage. */
    boolean looksGone(Scratch scratch) {
        if (Kernel.knownStatx(scratch, descriptor) == 0 && Statx.links(scratch) == 0) {
            isGone = true;
        }
        return isGone;
    }

    FileStatus status(Scratch scratch) throws StoreException {
        stat(scratch);
        return LinuxStatuses.of(scratch, mounted);
    }

    boolean isDirectory() {
        return type == FileType.DIRECTORY;
    }

    void requireDirectory() throws StoreException {
        if (!isDirectory()) {
            throw new StoreException(Failure.NOTDIR);
        }
    }

    void requireRegular() throws StoreException {
        if (isDirectory()) {
            throw new StoreException(Failure.ISDIR);
        }
        if (type != FileType.REGULAR) {
            throw new StoreException(Failure.INVAL);
        }
    }

    /** Returns the cached rights of a caller; null if there are none. */
    Grant grant(Caller caller) {
        var known = grants;
        return known == null ? null : known.get(caller);
    }

    void put(Caller caller, Grant grant) {
        var known = grants;
        if (known == null || known.size() >= GRANTS_MAX) {
            known = new ConcurrentHashMap<>();
            grants = known;
        }
        known.put(caller, grant);
    }
}
