package io.github.rpcrdma4j.nfs.directories.linux;

import io.github.rpcrdma4j.linux.DirectoryEntries;
import io.github.rpcrdma4j.linux.Kernel;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.directories.index.NodeIndex;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.StoreException;
import java.lang.foreign.Arena;
import java.util.List;

/**
 * Finds the files of a store by names, for cases where the kernel cannot open them by handles: this
 * process lacks the right, or the file system has no persistent handles. It opens one name of the
 * path at a time, beneath the root and without following links or mounts. The file at the end must
 * have the requested id. Thread-safe.
 *
 * <p>Tests: {@code LinuxStoreContractTest}.
 */
final class IndexedFiles implements AutoCloseable {
    private static final int OPEN = Kernel.O_PATH | Kernel.noFollow();

    private static final int RESOLVE =
            Kernel.RESOLVE_BENEATH
                    | Kernel.RESOLVE_NO_SYMLINKS
                    | Kernel.RESOLVE_NO_MAGICLINKS
                    | Kernel.RESOLVE_NO_XDEV;

    private final LinuxNode root;
    private final NodeIndex<FileId> index;

    IndexedFiles(LinuxNode root) {
        this.root = root;
        this.index = new NodeIndex<>(root.id, this::list, NodeIndex.NODES_MAX);
    }

    /** Records that a directory contains a file of that name. */
    void learn(FileId directory, FileName name, LinuxNode file) {
        index.learn(directory, name, file.id, file.isDirectory());
    }

    /**
     * Records that a directory does not contain a file of that name any more.
     *
     * @param wasLast whether the file has no other name
     */
    void forget(FileId directory, FileName name, FileId file, boolean wasLast) {
        index.forget(directory, name, file, wasLast);
    }

    /**
     * Opens a file.
     *
     * @return an {@code O_PATH} descriptor
     * @throws StoreException STALE if the file does not exist, AGAIN if this is not known yet
     */
    int open(Scratch scratch, FileId file) throws StoreException {
        while (true) {
            index.find(file);
            var names = index.names(file).orElseThrow(() -> new StoreException(Failure.AGAIN));
            int descriptor = open(scratch, names);
            if (descriptor >= 0) {
                if (isFile(scratch, descriptor, file)) {
                    return descriptor;
                }
            }
            if (names.isEmpty() || !index.misplaced(file, names.getLast())) {
                throw new StoreException(Failure.STALE);
            }
        }
    }

    /** Returns whether a descriptor refers to a file; closes it if not. */
    private boolean isFile(Scratch scratch, int descriptor, FileId file) throws StoreException {
        boolean isFile = false;
        try {
            ErrnoFailures.check(Kernel.statx(scratch, descriptor));
            isFile = Handles.of(scratch, descriptor, root.mounted).equals(file);
            return isFile;
        } finally {
            if (!isFile) {
                Kernel.close(scratch, descriptor);
            }
        }
    }

    /** Opens the file at a path from the root: returns a descriptor or a negative error number. */
    private int open(Scratch scratch, List<FileName> names) {
        int at = Kernel.openat(scratch, root.descriptor, scratch.address + Scratch.DOT, OPEN, 0);
        for (var name : names) {
            if (at < 0) {
                return at;
            }
            int next =
                    Kernel.openat2(
                            scratch,
                            at,
                            scratch.name(Scratch.NAME, name.segment()),
                            OPEN,
                            0,
                            RESOLVE);
            Kernel.close(scratch, at);
            at = next;
        }
        return at;
    }

    /** Lists a directory for the index, with the rights of the server. */
    private void list(FileId directory, NodeIndex.Sink<FileId> sink) throws StoreException {
        var scratch = Scratch.acquire();
        try {
            var names = index.names(directory).orElseThrow(() -> new StoreException(Failure.STALE));
            int path = ErrnoFailures.check(open(scratch, names));
            int open = Kernel.reopen(scratch, path, Kernel.O_RDONLY | Kernel.directory());
            Kernel.close(scratch, path);
            ErrnoFailures.check(open);
            try (var arena = Arena.ofConfined()) {
                var entries = new DirectoryEntries(arena);
                while (ErrnoFailures.check(entries.read(scratch, open)) > 0) {
                    if (!add(scratch, open, entries, sink)) {
                        return;
                    }
                }
            } finally {
                Kernel.close(scratch, open);
            }
        } finally {
            scratch.release();
        }
    }

    private boolean add(
            Scratch scratch, int directory, DirectoryEntries entries, NodeIndex.Sink<FileId> sink)
            throws StoreException {
        boolean wantsMore = true;
        while (wantsMore && entries.next()) {
            var name = new FileName(entries.name());
            if (!name.isDots()) {
                wantsMore = add(scratch, directory, name, sink);
            }
        }
        return wantsMore;
    }

    private boolean add(Scratch scratch, int directory, FileName name, NodeIndex.Sink<FileId> sink)
            throws StoreException {
        int file =
                Kernel.openat2(
                        scratch,
                        directory,
                        scratch.name(Scratch.NAME, name.segment()),
                        OPEN,
                        0,
                        RESOLVE);
        if (file < 0) {
            if (ErrnoFailures.isOutOfDescriptors(file)) {
                throw ErrnoFailures.exception(-file);
            }
            // The file was removed meanwhile, or it is on another file system.
            return true;
        }
        try {
            ErrnoFailures.check(Kernel.statx(scratch, file));
            boolean isDirectory = LinuxStatuses.type(scratch) == FileType.DIRECTORY;
            return sink.add(name, Handles.of(scratch, file, root.mounted), isDirectory);
        } finally {
            Kernel.close(scratch, file);
        }
    }

    @Override
    public void close() {
        index.close();
    }
}
