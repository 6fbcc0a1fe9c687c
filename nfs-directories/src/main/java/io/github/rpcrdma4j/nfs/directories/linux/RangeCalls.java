package io.github.rpcrdma4j.nfs.directories.linux;

import io.github.rpcrdma4j.linux.Errno;
import io.github.rpcrdma4j.linux.FileRanges;
import io.github.rpcrdma4j.linux.Kernel;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.linux.Statx;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.directories.linux.FileThreads.Call;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.Node.Changed;
import io.github.rpcrdma4j.nfs.store.Node.Content;
import io.github.rpcrdma4j.nfs.store.Node.Sought;
import io.github.rpcrdma4j.nfs.store.Node.Storage;
import io.github.rpcrdma4j.nfs.store.Node.Written;
import io.github.rpcrdma4j.nfs.store.StoreException;
import java.util.Optional;

/**
 * Operations on ranges of regular files: holes, storage, copies and clones.
 *
 * <p>Tests: {@code LinuxStoreContractTest}, {@code RightsTest}.
 */
record RangeCalls(LinuxStore store, DataAccess access) {
    /** The most bytes of one copy. */
    static final int COPY_MAX = 4 << 20;

    Sought seek(DataUse use, long offset, Content wanted) throws StoreException {
        use.node().requireRegular();
        return store.threads().runWaiting(use.node().id, call -> seek(call, use, offset, wanted));
    }

    private Sought seek(Call call, DataUse use, long offset, Content wanted) throws StoreException {
        use.node().stat(call.scratch);
        long size = Statx.size(call.scratch);
        var data = access.openToRead(call, use);
        long found;
        try {
            if (offset >= size) {
                throw new StoreException(Failure.NXIO);
            }
            int whence =
                    switch (wanted) {
                        case DATA -> Kernel.SEEK_DATA;
                        case HOLE -> Kernel.SEEK_HOLE;
                    };
            found = Kernel.lseek(call.scratch, data.descriptor, offset, whence);
        } finally {
            store.data().release(data);
        }
        if (found == -Errno.NXIO) {
            // Only a hole follows.
            return new Sought(size, true);
        }
        if (found < 0) {
            throw ErrnoFailures.exception((int) -found);
        }
        return new Sought(found, found >= size);
    }

    Changed<Void> allocate(DataUse use, long offset, long length, Storage storage)
            throws StoreException {
        requireRange(offset, length);
        return change(
                use,
                storage,
                (scratch, descriptor) -> FileRanges.allocate(scratch, descriptor, offset, length));
    }

    Changed<Void> deallocate(DataUse use, long offset, long length, Storage storage)
            throws StoreException {
        requireRange(offset, length);
        return change(
                use,
                storage,
                (scratch, descriptor) -> FileRanges.punchHole(scratch, descriptor, offset, length));
    }

    private static void requireRange(long offset, long length) throws StoreException {
        if (offset < 0 || length < 0 || offset + length < 0) {
            throw new StoreException(Failure.FBIG);
        }
    }

    /** A system call that changes the data of a file. */
    private interface RangeCall {
        /**
         * @return a value, or a negative error number
         */
        int run(Scratch scratch, int descriptor);
    }

    private Changed<Void> change(DataUse use, Storage storage, RangeCall changing)
            throws StoreException {
        use.node().requireRegular();
        return changed(
                use,
                call -> {
                    change(call, use, storage, changing);
                    return null;
                });
    }

    /** Runs a change of a file, and reports the attributes from before and after it. */
    private <T> Changed<T> changed(DataUse use, FileThreads.Operation<T> change)
            throws StoreException {
        var node = use.node();
        try (var span = store.concurrentChanges().begin(node.id)) {
            return store.threads()
                    .runWaiting(
                            node.id,
                            call -> {
                                var before = node.status(call.scratch);
                                var value = change.run(call);
                                var after = node.status(call.scratch);
                                return new Changed<>(
                                        span.isAlone() ? Optional.of(before) : Optional.empty(),
                                        Optional.of(after),
                                        value);
                            });
        }
    }

    private int change(Call call, DataUse use, Storage storage, RangeCall changing)
            throws StoreException {
        var data = access.openToWrite(call, use);
        boolean isOwner = call.owns(use.caller());
        try {
            data.dirty = true;
            int result =
                    DataAccess.change(
                            call,
                            data,
                            use.caller(),
                            scratch -> checked(scratch, data.descriptor, isOwner, changing));
            data.dirty = true;
            if (result < 0) {
                DataFiles.writeFailed(store, -result);
                throw ErrnoFailures.exception(-result);
            }
            if (storage == Storage.SYNC) {
                store.data().sync(call, data.file, data, false);
            }
            return result;
        } finally {
            store.data().release(data);
        }
    }

    private static int checked(
            Scratch scratch, int descriptor, boolean isOwner, RangeCall changing) {
        int result = Rights.check(scratch, descriptor, isOwner);
        return result < 0 ? result : changing.run(scratch, descriptor);
    }

    /** A change of one file with the data of another. */
    private interface SourceCall<T> {
        T run(Call call, int source) throws StoreException;
    }

    private <T> Changed<T> fromSource(DataUse source, DataUse target, SourceCall<T> change)
            throws StoreException {
        source.node().requireRegular();
        target.node().requireRegular();
        return changed(
                target,
                call -> {
                    source.node().stat(call.scratch);
                    var data = access.openToRead(call, source);
                    try {
                        return change.run(call, data.descriptor);
                    } finally {
                        store.data().release(data);
                    }
                });
    }

    Changed<Written> copy(DataUse source, long offset, long length, DataUse target, long to)
            throws StoreException {
        requireRange(offset, length);
        requireRange(to, length);
        int bytes = (int) Math.min(length, COPY_MAX);
        return fromSource(
                source,
                target,
                (call, descriptor) -> {
                    // Any later loss of data changes the verifier.
                    long verifier = store.verifier().now();
                    int done =
                            change(
                                    call,
                                    target,
                                    Storage.ASYNC,
                                    (scratch, open) ->
                                            FileRanges.copy(
                                                    scratch, descriptor, offset, open, to, bytes));
                    return new Written(done, Stability.UNSTABLE, verifier);
                });
    }

    Changed<Void> cloned(
            DataUse source, long offset, long length, DataUse target, long to, Storage storage)
            throws StoreException {
        requireRange(offset, length);
        requireRange(to, length);
        return fromSource(
                source,
                target,
                (call, descriptor) -> {
                    change(
                            call,
                            target,
                            storage,
                            (scratch, open) ->
                                    FileRanges.cloneRange(
                                            scratch, descriptor, offset, open, to, length));
                    return null;
                });
    }
}
