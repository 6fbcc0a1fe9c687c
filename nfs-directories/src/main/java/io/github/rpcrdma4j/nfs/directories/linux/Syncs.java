package io.github.rpcrdma4j.nfs.directories.linux;

import io.github.rpcrdma4j.linux.Errno;
import io.github.rpcrdma4j.linux.Kernel;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.nfs.directories.linux.FileThreads.Call;
import io.github.rpcrdma4j.nfs.store.StoreException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Forces names and attributes to storage. What cannot be opened is stored with its whole file
 * system, and with the data of all others in it: so those that wait for that share it. Thread-safe.
 *
 * <p>Tests: {@code HangingCallsTest}, {@code StoredLinksTest}.
 */
final class Syncs {
    /** How a file system is forced to storage: once at a time. Guarded by the object around it. */
    private static final class Rounds {
        boolean isRunning;

        /** The result of the round that has not begun; null if nobody waits for one. */
        CompletableFuture<Integer> next;
    }

    private final LinuxStore store;
    private final LinuxNode root;

    /** By the numbers of their mounts. */
    private final Map<Long, Rounds> fileSystems = new HashMap<>();

    /**
     * @param root that of the store
     */
    Syncs(LinuxStore store, LinuxNode root) {
        this.store = store;
        this.root = root;
    }

    /**
     * Forces the names in directories, or the attributes of files, to storage.
     *
     * @param second comes after the first, in the same file system; null if there is none
     */
    void sync(LinuxNode first, LinuxNode second) throws StoreException {
        boolean isStored =
                store.threads()
                        .finish(
                                first.id,
                                call -> sync(call, first) & (second == null || sync(call, second)));
        if (!isStored) {
            requireSynced(syncAll(first.mounted));
        }
    }

    /** Returns false if it takes the whole file system to store a file. */
    private boolean sync(Call call, LinuxNode node) throws StoreException {
        call.mustWait();
        // Opening a file that this server has leased for writing would end the lease.
        var leased = store.data().findLeased(store, node);
        if (leased != null) {
            try {
                store.data().sync(call, leased.file, leased, false);
            } finally {
                store.data().release(leased);
            }
            return true;
        }
        return switch (node.type) {
            case DIRECTORY, REGULAR -> syncOpened(call.scratch, node);
            // Opening them would have side effects.
            case BLOCK_DEVICE, CHARACTER_DEVICE, SYMBOLIC_LINK, SOCKET, FIFO -> false;
        };
    }

    private boolean syncOpened(Scratch scratch, LinuxNode node) throws StoreException {
        int open = store.opened(() -> Kernel.reopen(scratch, node.descriptor, Kernel.O_RDONLY));
        if (open < 0) {
            // Another process may have a lease on the file, or its mode may forbid opening it.
            return false;
        }
        int result = Kernel.fsync(scratch, open);
        Kernel.close(scratch, open);
        requireSynced(result);
        return true;
    }

    private void requireSynced(int result) throws StoreException {
        if (result < 0) {
            DataFiles.syncFailed(store, -result);
            throw ErrnoFailures.exception(-result);
        }
    }

    /** Waits for a round that has not begun yet. Returns 0 or a negative error number. */
    private int syncAll(MountedFileSystem mounted) {
        CompletableFuture<Integer> round;
        boolean isFirst;
        synchronized (this) {
            var rounds = fileSystems.computeIfAbsent(mounted.mount(), _ -> new Rounds());
            if (rounds.next == null) {
                rounds.next = new CompletableFuture<>();
            }
            round = rounds.next;
            isFirst = !rounds.isRunning;
            rounds.isRunning = true;
        }
        if (isFirst) {
            begin(mounted);
        }
        return round.join();
    }

    private void begin(MountedFileSystem mounted) {
        store.threads()
                .later(
                        mounted.mount(),
                        call -> {
                            run(call.scratch, mounted);
                            return null;
                        });
    }

    private void run(Scratch scratch, MountedFileSystem mounted) {
        CompletableFuture<Integer> round;
        synchronized (this) {
            var rounds = fileSystems.get(mounted.mount());
            round = rounds.next;
            rounds.next = null;
        }
        int result = -Errno.IO;
        try {
            store.all().at(LinuxStores.Step.SYNC_ALL);
            result = syncAll(scratch, mounted);
        } finally {
            boolean isWanted;
            synchronized (this) {
                var rounds = fileSystems.get(mounted.mount());
                isWanted = rounds.next != null;
                rounds.isRunning = isWanted;
            }
            round.complete(result);
            if (isWanted) {
                begin(mounted);
            }
        }
    }

    private int syncAll(Scratch scratch, MountedFileSystem mounted) {
        if (mounted.descriptor() >= 0) {
            return Kernel.syncfs(scratch, mounted.descriptor());
        }
        int open = store.opened(() -> Kernel.reopen(scratch, root.descriptor, Kernel.O_RDONLY));
        if (open < 0) {
            return open;
        }
        int result = Kernel.syncfs(scratch, open);
        Kernel.close(scratch, open);
        return result;
    }
}
