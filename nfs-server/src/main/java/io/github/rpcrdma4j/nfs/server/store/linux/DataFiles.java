package io.github.rpcrdma4j.nfs.server.store.linux;

import io.github.rpcrdma4j.linux.Errno;
import io.github.rpcrdma4j.linux.Kernel;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.nfs.server.store.Caller;
import io.github.rpcrdma4j.nfs.server.store.Failure;
import io.github.rpcrdma4j.nfs.server.store.FileId;
import io.github.rpcrdma4j.nfs.server.store.StoreException;
import io.github.rpcrdma4j.nfs.server.store.WriteVerifier;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Descriptors for the data of files, kept between calls: a bounded number over all stores, those
 * for writing for a second at most after their last use, so that a program that was just written
 * can be run. A descriptor that was written to is not closed before its data is on storage, since
 * its successor would not hear of data that was lost. Thread-safe; no system call that can wait is
 * made under its lock.
 */
final class DataFiles {
    private static final long WRITABLE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long READABLE_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final int CLOSING_LEAST = 64;

    private record FileKey(LinuxStore store, FileId id) {}

    private record Key(OpenFile file, Caller caller, boolean writable) {}

    /** How the kernel is told to bring data to storage; a test may have it fail. */
    interface Force {
        /**
         * @param dataOnly whether times of the file do not matter
         * @return 0, or an error number made negative
         */
        int force(Scratch scratch, int descriptor, boolean dataOnly);

        /** What Linux does. */
        Force KERNEL =
                (scratch, descriptor, dataOnly) ->
                        dataOnly
                                ? Kernel.fdatasync(scratch, descriptor)
                                : Kernel.fsync(scratch, descriptor);
    }

    private final int max;

    /** How many descriptors of a store may wait to be closed: storage that hangs takes no more. */
    private final int closingMax;

    private final WriteVerifier verifier;
    private final Force force;

    /** Guards itself, {@link #files}, and what changes in their objects. */
    private final Map<Key, DataFile> kept = new LinkedHashMap<>(16, 0.75f, true);

    private final Map<FileKey, OpenFile> files = new HashMap<>();

    /**
     * @param max how many descriptors are kept; twice as many can be open for a moment
     */
    DataFiles(int max, WriteVerifier verifier, Force force) {
        this.max = max;
        this.closingMax = Math.max(CLOSING_LEAST, max / 2);
        this.verifier = verifier;
        this.force = force;
    }

    /** How many descriptors are open and not in use, or in use and to be kept. */
    int size() {
        synchronized (kept) {
            return kept.size();
        }
    }

    /** How the descriptor for a caller is opened. */
    interface Opening {
        /**
         * @return a descriptor, or an error number made negative
         */
        int open() throws StoreException;
    }

    /** The descriptor that a caller has of a file, for one more user; null if it has none. */
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

    /**
     * Adds a descriptor for one user.
     *
     * @param grant what the caller may do, by the attributes from before it was opened
     */
    DataFile open(
            LinuxStore store,
            LinuxNode node,
            Caller caller,
            boolean writable,
            Grant grant,
            Opening opening)
            throws StoreException {
        synchronized (kept) {
            if (kept.size() >= 2 * max || store.closing >= closingMax) {
                throw new StoreException(Failure.AGAIN, "too many files are open for their data");
            }
        }
        int descriptor = Failures.check(opening.open());
        node.acquire();
        synchronized (kept) {
            var file =
                    files.computeIfAbsent(
                            new FileKey(store, node.id), key -> new OpenFile(key.store, key.id));
            var data = new DataFile(file, node, caller, writable, descriptor, grant);
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

    /** An operation has done with it. */
    void give(DataFile data) {
        synchronized (kept) {
            data.users--;
            data.unusedSince = System.nanoTime();
            closeIfUnused(data);
        }
    }

    /** Gives it to no further operation; the last one that uses it closes it. */
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
            // Closing waits for storage where something was written: not here.
            data.users = 1;
            data.file.store.closing++;
            data.file.store.threads().later(call -> close(call, data));
        }
    }

    private void close(FileThreads.Call call, DataFile data) {
        if (data.dirty) {
            hold(data.file);
            try {
                sync(call, data.file, data, true);
            } catch (StoreException _) {
                if (data.dirty) {
                    // There is no other time for it: it counts as lost.
                    verifier.change();
                }
            } finally {
                letGo(data.file);
            }
        }
        synchronized (kept) {
            data.file.store.closing--;
            if (data.users > 1) {
                // A COMMIT uses it still, and closes it when it is done.
                data.users--;
                return;
            }
            data.file.descriptors.remove(data);
            forgetIfUnused(data.file);
        }
        Kernel.close(call.scratch, data.descriptor);
        data.node.release();
    }

    private void hold(OpenFile file) {
        synchronized (kept) {
            file.users++;
        }
    }

    private void letGo(OpenFile file) {
        synchronized (kept) {
            file.users--;
            forgetIfUnused(file);
        }
    }

    private void forgetIfUnused(OpenFile file) {
        if (file.users == 0 && file.descriptors.isEmpty()) {
            files.remove(new FileKey(file.store, file.id), file);
        }
    }

    /**
     * Brings what was written by a descriptor to storage.
     *
     * @throws StoreException if data was lost; then the verifier has changed
     */
    void sync(FileThreads.Call call, OpenFile file, DataFile data, boolean dataOnly)
            throws StoreException {
        file.syncing.lock();
        try {
            data.dirty = false;
            int result = force.force(call.scratch, data.descriptor, dataOnly);
            if (result < 0) {
                // What is to be tried again is not done yet.
                data.dirty = !isLoss(-result);
                if (!data.dirty) {
                    lose(call.scratch, file, data.descriptor);
                }
                throw Failures.exception(-result);
            }
        } finally {
            file.syncing.unlock();
        }
    }

    /**
     * Makes the kernel forget what it could not bring to storage. It takes its copy for what is on
     * storage, and knows the blocks of it: ext4 puts what is written there again into blocks that
     * it never marks as written, reports success, and gives zeros after the next start.
     */
    private void lose(Scratch scratch, OpenFile file, int descriptor) {
        // What is written meanwhile would not be forgotten, and would not know the new verifier.
        file.changing.writeLock().lock();
        try {
            // What was written in between can be forgotten only once it is not waiting for storage.
            force.force(scratch, descriptor, true);
            Kernel.forgetCached(scratch, descriptor);
            verifier.change();
        } finally {
            file.changing.writeLock().unlock();
        }
    }

    /** Something could not be forced; clients write again what they have not committed. */
    void failed(int errno) {
        if (isLoss(errno)) {
            verifier.change();
        }
    }

    /**
     * Something could not be written. Where the device failed, clients write again what they have
     * not committed; where there was no room or no right, nothing that was written before is lost.
     */
    void notWritten(int errno) {
        if (isLoss(errno) && Failures.of(errno) == Failure.IO) {
            verifier.change();
        }
    }

    private static boolean isLoss(int errno) {
        return errno != Errno.AGAIN && errno != Errno.STALE;
    }

    /**
     * Brings to storage what was written to a file by all descriptors.
     *
     * @return the verifier, if nothing was lost
     */
    long commit(FileThreads.Call call, LinuxStore store, FileId id) throws StoreException {
        OpenFile file;
        synchronized (kept) {
            file = files.get(new FileKey(store, id));
            if (file == null) {
                // All that was ever written was synced before it was closed.
                return verifier.now();
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
                give(data);
            }
            if (lost != null) {
                throw lost;
            }
            closeUnused(data -> data.writable && data.file == file);
            return verifier.now();
        } finally {
            file.syncing.unlock();
            letGo(file);
        }
    }

    private List<DataFile> dirty(OpenFile file) {
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
     * A file lost a name: none of its descriptors is kept.
     *
     * @param wasLast whether it has no other name: then what was written need not be on storage
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

    /** Closes what is not in use, now that descriptors are short. */
    void shrink() {
        closeUnused(_ -> true);
    }

    /** Lets go of all descriptors of a store: its threads force and close them. */
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

    /** Closes what was not used for some time. */
    void closeIdle() {
        long now = System.nanoTime();
        closeUnused(
                data ->
                        now - data.unusedSince
                                >= (data.writable ? WRITABLE_NANOS : READABLE_NANOS));
    }
}
