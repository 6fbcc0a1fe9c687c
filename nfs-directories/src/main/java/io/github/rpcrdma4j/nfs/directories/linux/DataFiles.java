package io.github.rpcrdma4j.nfs.directories.linux;

import io.github.rpcrdma4j.linux.Errno;
import io.github.rpcrdma4j.linux.Kernel;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.Origin;
import io.github.rpcrdma4j.nfs.store.StoreException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * A cache of descriptors for the data of files, bounded over all stores. Descriptors for writing
 * are closed about a second after their last use, so that a program that was just written can be
 * run. A descriptor is closed only after its written data is on storage, because a later descriptor
 * would not report lost data. Thread-safe. No system call that can wait is made under its lock.
 *
 * <p>Tests: {@code LostDataTest}, {@code DescriptorsTest}.
 */
final class DataFiles {
    private static final long WRITABLE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long READABLE_NANOS = TimeUnit.SECONDS.toNanos(5);
    static final int CLOSING_LEAST = 256;

    private record FileKey(LinuxStore store, FileId id) {}

    private record Key(FileDescriptors file, Caller caller, boolean writable) {}

    /** Forces data to storage. Tests replace it to simulate failures. */
    interface Force {
        /**
         * @param dataOnly whether to leave out the times of the file
         * @return 0, or a negative error number
         */
        int force(Scratch scratch, int descriptor, boolean dataOnly);

        /** Uses the system calls of Linux. */
        Force KERNEL =
                (scratch, descriptor, dataOnly) ->
                        dataOnly
                                ? Kernel.fdatasync(scratch, descriptor)
                                : Kernel.fsync(scratch, descriptor);
    }

    private final int max;

    /**
     * How many descriptors of a store may wait to be closed, of all hosts. It limits the
     * descriptors that hanging storage can hold.
     */
    private final int closingMax;

    private final Force force;

    /**
     * The kept descriptors. The monitor of this map guards it, {@link #files} and the mutable
     * fields of their objects.
     */
    private final Map<Key, DataFile> kept = new LinkedHashMap<>(16, 0.75f, true);

    private final Map<FileKey, FileDescriptors> files = new HashMap<>();

    /**
     * @param max the most descriptors to keep; twice as many can be open for a moment
     */
    DataFiles(int max, Force force) {
        this.max = max;
        this.closingMax = Math.max(CLOSING_LEAST, max / 2);
        this.force = force;
    }

    /**
     * Returns what counts and closes the descriptors of a store.
     *
     * @param threads close them, and do nothing else
     */
    Closings closings(FileThreads threads) {
        return new Closings(threads, closingMax);
    }

    /** Returns the number of kept descriptors, used or unused. */
    int size() {
        synchronized (kept) {
            return kept.size();
        }
    }

    /** Opens the descriptor of a caller. */
    interface Opening {
        /**
         * @return a descriptor, or a negative error number
         */
        int open() throws StoreException;
    }

    /** Returns a caller's descriptor of a file and counts one more user; null if there is none. */
    DataFile find(LinuxStore store, LinuxNode node, Caller caller, boolean writable) {
        synchronized (kept) {
            var file = files.get(new FileKey(store, node.id));
            var found = file == null ? null : kept.get(new Key(file, caller, writable));
            if (found != null) {
                found.users++;
            }
            return found;
        }
    }

    /** Returns the descriptor of a file with a write lease and counts one more user, or null. */
    DataFile findLeased(LinuxStore store, LinuxNode node) {
        synchronized (kept) {
            var file = files.get(new FileKey(store, node.id));
            var found = file == null ? null : file.leased;
            if (found != null) {
                found.users++;
            }
            return found;
        }
    }

    /**
     * Returns a descriptor for a caller's writes and counts one more user; null if none is open.
     */
    DataFile findToWrite(LinuxStore store, LinuxNode node, Caller caller) {
        var leased = findLeased(store, node);
        return leased == null ? find(store, node, caller, true) : leased;
    }

    /**
     * Has all operations on the data of a file use a descriptor with a write lease. The caller is
     * one user of it.
     *
     * @param descriptor belongs to the result
     */
    DataFile lease(LinuxStore store, LinuxNode node, int descriptor) {
        node.acquire();
        synchronized (kept) {
            var file =
                    files.computeIfAbsent(
                            new FileKey(store, node.id),
                            key -> new FileDescriptors(key.store, key.id));
            var server = new Caller.Server();
            var place = Closings.place(Origin.SERVER);
            var data = new DataFile(file, node, server, place, true, descriptor);
            data.users = 1;
            file.descriptors.add(data);
            file.leased = data;
            return data;
        }
    }

    /** Has operations on the data of a file open their own descriptors again. */
    void endLease(DataFile data) {
        synchronized (kept) {
            data.file.leased = null;
            data.dropped = true;
        }
    }

    /** Opens and keeps a descriptor, with one user. */
    DataFile open(LinuxStore store, DataUse use, boolean writable, Opening opening)
            throws StoreException {
        var place = Closings.place(use.origin());
        synchronized (kept) {
            if (kept.size() >= 2 * max || !store.closings().hasRoom(place, writable)) {
                throw new StoreException(Failure.AGAIN, "too many files are open for their data");
            }
        }
        int descriptor = ErrnoFailures.check(opening.open());
        var node = use.node();
        var caller = use.caller();
        node.acquire();
        synchronized (kept) {
            var file =
                    files.computeIfAbsent(
                            new FileKey(store, node.id),
                            key -> new FileDescriptors(key.store, key.id));
            var data = new DataFile(file, node, caller, place, writable, descriptor);
            data.users = 1;
            file.descriptors.add(data);
            var before = kept.put(new Key(file, caller, writable), data);
            if (before != null) {
                drop(before);
            }
            closeEldest();
            return data;
        }
    }

    private void closeEldest() {
        int over = kept.size() - max;
        var each = kept.values().iterator();
        while (over > 0 && each.hasNext()) {
            var data = each.next();
            if (data.users == 0) {
                each.remove();
                drop(data);
                over--;
            }
        }
    }

    /** Ends the use of a descriptor by one operation. */
    void release(DataFile data) {
        synchronized (kept) {
            data.users--;
            data.unusedSince = System.nanoTime();
            closeIfUnused(data);
        }
    }

    /** Removes a descriptor from the cache, if it is there. Its last user closes it. */
    void forget(DataFile data) {
        synchronized (kept) {
            if (kept.remove(new Key(data.file, data.caller, data.writable), data)) {
                drop(data);
            }
        }
    }

    private void drop(DataFile data) {
        data.dropped = true;
        closeIfUnused(data);
    }

    private void closeIfUnused(DataFile data) {
        if (data.dropped && data.users == 0) {
            // Closing may wait for storage, so another thread does it.
            data.users = 1;
            var closings = data.file.store.closings();
            data.closing = turn(data);
            closings.add(data.closing);
            closings.later(
                    data.closing,
                    call -> {
                        close(call, data);
                        return null;
                    });
        }
    }

    private static Closings.Turn turn(DataFile data) {
        return new Closings.Turn(
                data.place, data.dirty ? Closings.Kind.FORCED : Closings.Kind.CLEAN);
    }

    private void close(FileThreads.Call call, DataFile data) {
        if (data.dirty) {
            acquire(data.file);
            try {
                sync(call, data.file, data, true);
            } catch (StoreException _) {
                if (data.dirty) {
                    // There will be no further attempt, so the data counts as lost.
                    data.file.store.verifier().change();
                }
            } finally {
                release(data.file);
            }
        }
        synchronized (kept) {
            data.file.store.closings().remove(data.closing);
            data.closing = null;
            if (data.users > 1) {
                // A COMMIT still uses the descriptor, and will close it.
                data.users--;
                return;
            }
            data.file.descriptors.remove(data);
            forgetIfUnused(data.file);
        }
        Kernel.close(call.scratch, data.descriptor);
        data.node.release();
    }

    private void acquire(FileDescriptors file) {
        synchronized (kept) {
            file.users++;
        }
    }

    private void release(FileDescriptors file) {
        synchronized (kept) {
            file.users--;
            forgetIfUnused(file);
        }
    }

    private void forgetIfUnused(FileDescriptors file) {
        if (file.users == 0 && file.descriptors.isEmpty()) {
            files.remove(new FileKey(file.store, file.id), file);
        }
    }

    /**
     * Forces the data that was written by a descriptor to storage.
     *
     * @throws StoreException if the sync failed; if data was lost, the write verifier has changed
     */
    void sync(FileThreads.Call call, FileDescriptors file, DataFile data, boolean dataOnly)
            throws StoreException {
        file.syncing.lock();
        try {
            data.dirty = false;
            int result = force.force(call.scratch, data.descriptor, dataOnly);
            if (result < 0) {
                // Data stays dirty if a later attempt may succeed.
                data.dirty = !isLoss(-result);
                if (!data.dirty) {
                    lose(call.scratch, file, data.descriptor);
                }
                throw ErrnoFailures.exception(-result);
            }
        } finally {
            file.syncing.unlock();
        }
    }

    /**
     * Drops the data that the kernel could not write to storage from its page cache. Otherwise the
     * kernel treats this data, and its allocated blocks, as stored. ext4 would then write later
     * data into blocks that it never marks as written, report success, and return zeros after the
     * next start.
     */
    private void lose(Scratch scratch, FileDescriptors file, int descriptor) {
        // Data that is written meanwhile would stay in the cache, and its reply would carry the old
        // verifier.
        file.changing.writeLock().lock();
        try {
            // The kernel can drop data that was written in between only when it is not dirty.
            force.force(scratch, descriptor, true);
            Kernel.forgetCached(scratch, descriptor);
            file.store.verifier().change();
        } finally {
            file.changing.writeLock().unlock();
        }
    }

    /**
     * Changes the verifier after a failure to force data, so that clients resend their uncommitted
     * data.
     */
    static void syncFailed(LinuxStore store, int errno) {
        if (isLoss(errno)) {
            store.verifier().change();
        }
    }

    /**
     * Handles a failed write. If the device failed, the verifier changes, so that clients resend
     * their uncommitted data. A lack of space or rights loses no earlier data.
     */
    static void writeFailed(LinuxStore store, int errno) {
        if (isLoss(errno) && ErrnoFailures.of(errno) == Failure.IO) {
            store.verifier().change();
        }
    }

    private static boolean isLoss(int errno) {
        return errno != Errno.AGAIN && errno != Errno.STALE;
    }

    /**
     * Forces the data that was written to a file by all its descriptors to storage.
     *
     * @return the write verifier
     */
    long commit(FileThreads.Call call, LinuxStore store, FileId id) throws StoreException {
        FileDescriptors file;
        synchronized (kept) {
            file = files.get(new FileKey(store, id));
            if (file == null) {
                // A descriptor is closed only after its data is on storage, so there is nothing to
                // force.
                return store.verifier().now();
            }
            file.users++;
        }
        StoreException lost = null;
        file.syncing.lock();
        try {
            for (var data : dirty(file)) {
                try {
                    sync(call, file, data, false);
                } catch (StoreException failure) {
                    lost = failure;
                }
                release(data);
            }
            if (lost != null) {
                throw lost;
            }
            closeUnused(data -> data.writable && data.file == file);
            return store.verifier().now();
        } finally {
            file.syncing.unlock();
            release(file);
        }
    }

    private List<DataFile> dirty(FileDescriptors file) {
        synchronized (kept) {
            var dirty = new ArrayList<DataFile>();
            for (var data : file.descriptors) {
                if (data.dirty) {
                    data.users++;
                    dirty.add(data);
                }
            }
            return dirty;
        }
    }

    private void closeUnused(Predicate<DataFile> isMeant) {
        synchronized (kept) {
            kept.values()
                    .removeIf(
                            data -> {
                                boolean goes = data.users == 0 && isMeant.test(data);
                                if (goes) {
                                    drop(data);
                                }
                                return goes;
                            });
        }
    }

    /**
     * Removes all descriptors of a file that lost a name.
     *
     * @param wasLast whether the file has no other name; its written data then need not reach
     *     storage
     */
    void forget(LinuxStore store, FileId id, boolean wasLast) {
        synchronized (kept) {
            var file = files.get(new FileKey(store, id));
            if (file != null && wasLast) {
                file.descriptors.forEach(data -> data.dirty = false);
            }
        }
        forgetAll(data -> data.file.store == store && data.file.id.equals(id));
    }

    /** Closes all unused descriptors, to free descriptors for other files. */
    void shrink() {
        closeUnused(_ -> true);
    }

    /** Removes all descriptors of a store. Its threads force their data and close them. */
    void forgetAll(LinuxStore store) {
        forgetAll(data -> data.file.store == store);
    }

    private void forgetAll(Predicate<DataFile> isMeant) {
        synchronized (kept) {
            kept.values()
                    .removeIf(
                            data -> {
                                boolean goes = isMeant.test(data);
                                if (goes) {
                                    drop(data);
                                }
                                return goes;
                            });
        }
    }

    /**
     * Closes the descriptors that were unused for some time. If many of a host wait already, others
     * stay open for now, where they can still be used.
     */
    void closeIdle() {
        long now = System.nanoTime();
        closeUnused(
                data ->
                        now - data.unusedSince >= (data.writable ? WRITABLE_NANOS : READABLE_NANOS)
                                && data.file.store.closings().hasRoomForIdle(turn(data)));
    }
}
