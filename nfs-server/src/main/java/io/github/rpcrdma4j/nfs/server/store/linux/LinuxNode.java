package io.github.rpcrdma4j.nfs.server.store.linux;

import io.github.rpcrdma4j.linux.Kernel;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.linux.Statx;
import io.github.rpcrdma4j.nfs.server.store.Caller;
import io.github.rpcrdma4j.nfs.server.store.Failure;
import io.github.rpcrdma4j.nfs.server.store.FileId;
import io.github.rpcrdma4j.nfs.server.store.FileStatus;
import io.github.rpcrdma4j.nfs.server.store.StoreException;
import io.github.rpcrdma4j.nfs.v3.FileType;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A file by an {@code O_PATH} descriptor, which is counted: it is closed when the cache and all
 * operations have let go of it, so its number is never another file's while it is used.
 */
final class LinuxNode {
    /** Callers that are remembered for one file; above it all are forgotten. */
    private static final int GRANTS_MAX = 128;

    final FileId id;
    final MountedFileSystem mounted;
    final FileType type;
    final int descriptor;

    private final AtomicInteger references = new AtomicInteger(1);
    private volatile ConcurrentHashMap<Caller, Grant> grants;

    /** Whether it was used since the cache last looked. */
    volatile boolean used = true;

    /**
     * @param descriptor belongs to this node from now on
     */
    LinuxNode(FileId id, MountedFileSystem mounted, FileType type, int descriptor) {
        this.id = id;
        this.mounted = mounted;
        this.type = type;
        this.descriptor = descriptor;
    }

    /** Takes a reference; false if the descriptor is closed already. */
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
            var scratch = Scratch.take();
            try {
                Kernel.close(scratch, descriptor);
            } finally {
                scratch.give();
            }
        }
    }

    /**
     * Asks for the attributes; they are then in the scratch.
     *
     * @throws StoreException STALE if the file has no name any more
     */
    void stat(Scratch scratch) throws StoreException {
        Failures.check(Kernel.statx(scratch, descriptor));
        if (Statx.links(scratch) == 0) {
            throw new StoreException(Failure.STALE);
        }
    }

    FileStatus status(Scratch scratch) throws StoreException {
        stat(scratch);
        return Statuses.of(scratch, mounted.number(scratch));
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

    /** What the kernel said that a caller may do; null if it was not asked. */
    Grant grant(Caller caller) {
        var known = grants;
        return known == null ? null : known.get(caller);
    }

    void learn(Caller caller, Grant grant) {
        var known = grants;
        if (known == null || known.size() >= GRANTS_MAX) {
            known = new ConcurrentHashMap<>();
            grants = known;
        }
        known.put(caller, grant);
    }
}
