package io.github.rpcrdma4j.nfs.server.store.linux;

import io.github.rpcrdma4j.linux.Errno;
import io.github.rpcrdma4j.linux.Kernel;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.linux.Statx;
import io.github.rpcrdma4j.nfs.server.store.Caller;
import io.github.rpcrdma4j.nfs.server.store.Failure;
import io.github.rpcrdma4j.nfs.server.store.Node;
import io.github.rpcrdma4j.nfs.server.store.Node.Changed;
import io.github.rpcrdma4j.nfs.server.store.Node.ReadBytes;
import io.github.rpcrdma4j.nfs.server.store.Node.Storage;
import io.github.rpcrdma4j.nfs.server.store.Node.Written;
import io.github.rpcrdma4j.nfs.server.store.StoreException;
import io.github.rpcrdma4j.nfs.server.store.linux.FileThreads.Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Results.Stability;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** Operations on the content of regular files. */
record DataOperations(LinuxStore store) {
    private static final int MODE_MASK = 07777;
    private static final int OWNER_BITS = 0600;

    ReadBytes read(LinuxNode node, Caller caller, long offset, MemorySegment target)
            throws StoreException {
        node.requireRegular();
        return store.threads().run(call -> read(call, node, caller, offset, target));
    }

    private ReadBytes read(
            Call call, LinuxNode node, Caller caller, long offset, MemorySegment target)
            throws StoreException {
        AttributeOperations.waitUnlessLocal(call, node);
        node.stat(call.scratch);
        boolean behindEnd = offset >= Statx.size(call.scratch);
        var data = openToRead(call, node, caller);
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
            if (Failures.check(read) == 0) {
                break;
            }
            done += read;
        }
        return (int) done;
    }

    /**
     * Returns a descriptor to read a file, for one use. The scratch must hold the attributes of the
     * file.
     */
    private DataFile openToRead(Call call, LinuxNode node, Caller caller) throws StoreException {
        var known = store.data().find(store, node, caller, false);
        if (known != null) {
            if (known.grant.holds(call.scratch, Node.READ)) {
                return known;
            }
            store.data().forget(known);
            store.data().release(known);
        }
        return openNew(call, node, caller, false);
    }

    /** Returns a descriptor to write to a file, for one use. */
    DataFile openToWrite(Call call, LinuxNode node, Caller caller) throws StoreException {
        var known = store.data().find(store, node, caller, true);
        if (known == null) {
            node.stat(call.scratch);
            return openNew(call, node, caller, true);
        }
        try {
            requireMayWrite(call, node, caller);
            return known;
        } catch (StoreException | RuntimeException refused) {
            store.data().forget(known);
            store.data().release(known);
            throw refused;
        }
    }

    private void requireMayWrite(Call call, LinuxNode node, Caller caller) throws StoreException {
        node.stat(call.scratch);
        Rights.requireToWrite(call, node, caller);
    }

    private DataFile openNew(Call call, LinuxNode node, Caller caller, boolean writable)
            throws StoreException {
        call.mustWait();
        // The grant uses attributes from before the opening, so it ends with any later change of
        // rights.
        var grant =
                Grant.of(
                        call.scratch,
                        writable ? Node.WRITE : Node.READ,
                        writable ? Node.WRITE : Node.READ,
                        System.currentTimeMillis());
        boolean owned = call.owns(caller);
        return store.data()
                .open(
                        store,
                        node,
                        caller,
                        writable,
                        grant,
                        () -> open(call, node, caller, writable, owned));
    }

    /**
     * Opens a file with the rights of its caller, or with those of the server if NFS allows the
     * access and the kernel does not.
     */
    private int open(Call call, LinuxNode node, Caller caller, boolean writable, boolean owned)
            throws StoreException {
        int flags = writable ? Kernel.O_WRONLY : Kernel.O_RDONLY;
        int result = call.as(caller, scratch -> Kernel.reopen(scratch, node.descriptor, flags));
        if (Failures.isOutOfDescriptors(result)) {
            store.all().shrink();
            result = call.as(caller, scratch -> Kernel.reopen(scratch, node.descriptor, flags));
        }
        if (result == -Errno.ACCES && (owned || !writable && mayExecute(call, node, caller))) {
            result =
                    store.threads().actsForCallers()
                            ? Kernel.reopen(call.scratch, node.descriptor, flags)
                            : openAsOwner(call, node, flags);
        }
        return result;
    }

    /**
     * Opens a file of this process's own user against its mode, as NFS allows owners. It changes
     * the mode for a moment; the lock of the node excludes any SETATTR meanwhile.
     */
    private static int openAsOwner(Call call, LinuxNode node, int flags) throws StoreException {
        synchronized (node) {
            node.stat(call.scratch);
            int mode = Statx.mode(call.scratch) & MODE_MASK;
            int result = Kernel.fchmod(call.scratch, node.descriptor, mode | OWNER_BITS);
            if (result < 0) {
                // The file belongs to another user, or its file system is read-only.
                return -Errno.ACCES;
            }
            result = Kernel.reopen(call.scratch, node.descriptor, flags);
            int restored = Kernel.fchmod(call.scratch, node.descriptor, mode);
            if (restored < 0 && result >= 0) {
                Kernel.close(call.scratch, result);
                return restored;
            }
            return result;
        }
    }

    /** Returns whether a caller may execute a file, and so may read it (RFC 1813, Section 4.4). */
    private static boolean mayExecute(Call call, LinuxNode node, Caller caller)
            throws StoreException {
        return call.as(caller, scratch -> Kernel.faccess(scratch, node.descriptor, Node.EXECUTE))
                == 0;
    }

    Changed<Written> write(
            LinuxNode node,
            Caller caller,
            long offset,
            MemorySegment source,
            Stability stability,
            Storage storage)
            throws StoreException {
        node.requireRegular();
        if (offset + source.byteSize() < 0) {
            throw new StoreException(Failure.FBIG);
        }
        if (source.isNative()) {
            return writeNative(node, caller, offset, source, stability, storage);
        }
        try (var arena = Arena.ofConfined()) {
            var copy = arena.allocate(Math.max(1, source.byteSize())).asSlice(0, source.byteSize());
            copy.copyFrom(source);
            return writeNative(node, caller, offset, copy, stability, storage);
        }
    }

    private Changed<Written> writeNative(
            LinuxNode node,
            Caller caller,
            long offset,
            MemorySegment source,
            Stability stability,
            Storage storage)
            throws StoreException {
        try (var span = store.concurrentChanges().begin(node.id)) {
            return store.threads()
                    .runWaiting(
                            call -> {
                                // The verifier is read before the write, so any later loss of data
                                // changes it.
                                long verifier = store.all().verifier().now();
                                var before = node.status(call.scratch);
                                int done =
                                        write(
                                                call, node, caller, offset, source, stability,
                                                storage);
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
            LinuxNode node,
            Caller caller,
            long offset,
            MemorySegment source,
            Stability stability,
            Storage storage)
            throws StoreException {
        var known = store.data().find(store, node, caller, true);
        boolean owned = call.owns(caller);
        var data = known != null ? known : openNew(call, node, caller, true);
        // For a new descriptor the kernel has just checked the right to write.
        var writing = new Writing(data.descriptor, offset, source, known != null, owned);
        try {
            data.dirty = true;
            int done = change(call, data, caller, writing);
            data.dirty = true;
            if (writing.refused) {
                store.data().forget(data);
                throw Failures.exception(-done);
            }
            if (done < 0) {
                store.data().writeFailed(-done);
                throw Failures.exception(-done);
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
        final boolean owned;

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
                boolean owned) {
            this.descriptor = descriptor;
            this.offset = offset;
            this.source = source;
            this.needsCheck = needsCheck;
            this.owned = owned;
        }

        @Override
        public int run(Scratch scratch) {
            if (needsCheck) {
                int result = checkWriteAccess(scratch, descriptor, owned);
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

    /**
     * Checks whether a caller may write, inside a section with the caller's identity. An owner may
     * write against the mode, but not if the file is immutable or the file system read-only.
     *
     * @return 0, or a negative error number
     */
    static int checkWriteAccess(Scratch scratch, int descriptor, boolean owned) {
        int result = Kernel.faccess(scratch, descriptor, Node.WRITE);
        return owned && result == -Errno.ACCES ? 0 : result;
    }

    /** Changes the data of a file while no thread drops lost data of it from the page cache. */
    static int change(Call call, DataFile data, Caller caller, FileThreads.Section change)
            throws StoreException {
        data.file.changing.readLock().lock();
        try {
            return call.as(caller, change);
        } finally {
            data.file.changing.readLock().unlock();
        }
    }

    Changed<Long> commit(LinuxNode node, Caller caller, Storage storage) throws StoreException {
        node.requireRegular();
        try (var span = store.concurrentChanges().observe(node.id)) {
            return store.threads()
                    .runWaiting(
                            call -> {
                                var before = node.status(call.scratch);
                                requireMayWrite(call, node, caller);
                                long verifier =
                                        storage == Storage.SYNC
                                                ? store.data().commit(call, store, node.id)
                                                : store.all().verifier().now();
                                var after = node.status(call.scratch);
                                return new Changed<>(
                                        span.isAlone() ? Optional.of(before) : Optional.empty(),
                                        Optional.of(after),
                                        verifier);
                            });
        }
    }
}
