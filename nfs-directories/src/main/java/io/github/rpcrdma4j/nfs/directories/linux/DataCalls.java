package io.github.rpcrdma4j.nfs.directories.linux;

import io.github.rpcrdma4j.linux.Errno;
import io.github.rpcrdma4j.linux.Kernel;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.linux.Statx;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.directories.linux.FileThreads.Call;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.Node.Changed;
import io.github.rpcrdma4j.nfs.store.Node.ReadBytes;
import io.github.rpcrdma4j.nfs.store.Node.Storage;
import io.github.rpcrdma4j.nfs.store.Node.Written;
import io.github.rpcrdma4j.nfs.store.StoreException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * Operations on the content of regular files.
 *
 * <p>Tests: {@code LinuxStoreContractTest}, {@code CommitTest}.
 */
record DataCalls(LinuxStore store, DataAccess access) {
    ReadBytes read(DataUse use, long offset, MemorySegment target) throws StoreException {
        use.node().requireRegular();
        return store.threads().run(use.node().id, call -> read(call, use, offset, target));
    }

    private ReadBytes read(Call call, DataUse use, long offset, MemorySegment target)
            throws StoreException {
        var node = use.node();
        AttributeCalls.waitUnlessLocal(call, node);
        node.stat(call.scratch);
        boolean behindEnd = offset >= Statx.size(call.scratch);
        var data = access.openToRead(call, use);
        int done;
        try {
            done = behindEnd ? 0 : readAll(call, data, offset, target);
        } finally {
            store.data().release(data);
        }
        var status = node.status(call.scratch);
        return ReadBytes.of(done, target.byteSize(), offset, status.size(), Optional.of(status));
    }

    private static int readAll(Call call, DataFile data, long offset, MemorySegment target)
            throws StoreException {
        var scratch = call.scratch;
        boolean waits = call.mayWait() || data.node.mounted.inMemory();
        long wanted = target.byteSize();
        long done = 0;
        while (done < wanted) {
            int read =
                    waits
                            ? Kernel.pread(
                                    scratch,
                                    data.descriptor,
                                    target,
                                    done,
                                    wanted - done,
                                    offset + done)
                            : Kernel.preadWithoutWaiting(
                                    scratch,
                                    data.descriptor,
                                    target,
                                    done,
                                    wanted - done,
                                    offset + done);
            if (!waits && (read == -Errno.AGAIN || read == -Errno.OPNOTSUPP)) {
                throw WouldBlock.NOW;
            }
            if (ErrnoFailures.check(read) == 0) {
                break;
            }
            done += read;
        }
        return (int) done;
    }

    Changed<Written> write(
            DataUse use, long offset, MemorySegment source, Stability stability, Storage storage)
            throws StoreException {
        use.node().requireRegular();
        if (offset + source.byteSize() < 0) {
            throw new StoreException(Failure.FBIG);
        }
        if (source.isNative()) {
            return writeNative(use, offset, source, stability, storage);
        }
        try (var arena = Arena.ofConfined()) {
            var copy = arena.allocate(Math.max(1, source.byteSize())).asSlice(0, source.byteSize());
            copy.copyFrom(source);
            return writeNative(use, offset, copy, stability, storage);
        }
    }

    private Changed<Written> writeNative(
            DataUse use, long offset, MemorySegment source, Stability stability, Storage storage)
            throws StoreException {
        var node = use.node();
        try (var span = store.concurrentChanges().begin(node.id)) {
            return store.threads()
                    .runWaiting(
                            node.id,
                            call -> {
                                // The verifier is read before the write, so any later loss of data
                                // changes it.
                                long verifier = store.verifier().now();
                                var before = node.status(call.scratch);
                                int done = write(call, use, offset, source, stability, storage);
                                var after = node.status(call.scratch);
                                return new Changed<>(
                                        span.isAlone() ? Optional.of(before) : Optional.empty(),
                                        Optional.of(after),
                                        new Written(done, stability, verifier));
                            });
        }
    }

    private int write(
            Call call,
            DataUse use,
            long offset,
            MemorySegment source,
            Stability stability,
            Storage storage)
            throws StoreException {
        var known = store.data().findToWrite(store, use.node(), use.caller());
        boolean isOwner = call.owns(use.caller());
        var data = known != null ? known : access.openNew(call, use, true);
        // For a new descriptor the kernel has just checked the right to write.
        var writing = new Writing(data.descriptor, offset, source, known != null, isOwner);
        try {
            data.dirty = true;
            int done = DataAccess.change(call, data, use.caller(), writing);
            data.dirty = true;
            if (writing.refused) {
                store.data().forget(data);
                throw ErrnoFailures.exception(-done);
            }
            if (done < 0) {
                DataFiles.writeFailed(store, -done);
                throw ErrnoFailures.exception(-done);
            }
            if (storage == Storage.SYNC) {
                switch (stability) {
                    case UNSTABLE -> {}
                    case DATA_SYNC -> store.data().sync(call, data.file, data, true);
                    case FILE_SYNC -> store.data().sync(call, data.file, data, false);
                }
            }
            return done;
        } finally {
            store.data().release(data);
        }
    }

    /** Writes as much as possible. Returns an error only if nothing was written. */
    private static final class Writing implements FileThreads.Section {
        final int descriptor;
        final long offset;
        final MemorySegment source;
        final boolean needsCheck;
        final boolean isOwner;

        /** Whether the caller has no right to write any more. */
        boolean refused;

        /**
         * @param needsCheck whether the caller may have lost the right to write, so that a check is
         *     needed
         */
        Writing(
                int descriptor,
                long offset,
                MemorySegment source,
                boolean needsCheck,
                boolean isOwner) {
            this.descriptor = descriptor;
            this.offset = offset;
            this.source = source;
            this.needsCheck = needsCheck;
            this.isOwner = isOwner;
        }

        @Override
        public int run(Scratch scratch) {
            if (needsCheck) {
                int result = Rights.check(scratch, descriptor, isOwner);
                refused = result < 0;
                if (refused) {
                    return result;
                }
            }
            long wanted = source.byteSize();
            long done = 0;
            while (done < wanted) {
                int written =
                        Kernel.pwrite(
                                scratch, descriptor, source, done, wanted - done, offset + done);
                if (written <= 0) {
                    return done > 0 ? (int) done : written < 0 ? written : -Errno.IO;
                }
                done += written;
            }
            return (int) done;
        }
    }

    Changed<Long> commit(DataUse use, Storage storage) throws StoreException {
        var node = use.node();
        node.requireRegular();
        try (var span = store.concurrentChanges().observe(node.id)) {
            return store.threads()
                    .runWaiting(
                            node.id,
                            call -> {
                                var before = node.status(call.scratch);
                                access.requireMayWrite(call, use);
                                long verifier =
                                        storage == Storage.SYNC
                                                ? store.data().commit(call, store, node.id)
                                                : store.verifier().now();
                                var after = node.status(call.scratch);
                                return new Changed<>(
                                        span.isAlone() ? Optional.of(before) : Optional.empty(),
                                        Optional.of(after),
                                        verifier);
                            });
        }
    }
}
