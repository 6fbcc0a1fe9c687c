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
import io.github.rpcrdma4j.nfs.v3.Values.Stability;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** What is done to the content of regular files. */
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
            store.data().give(data);
        }
        var status = node.status(call.scratch);
        return new ReadBytes(done, offset + done >= status.size(), Optional.of(status));
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
     * A descriptor to read a file by, for one use. The attributes of the file are in the scratch.
     */
    private DataFile openToRead(Call call, LinuxNode node, Caller caller) throws StoreException {
        var known = store.data().find(store, node, caller, false);
        if (known != null) {
            if (known.grant.holds(call.scratch, Node.READ)) {
                return known;
            }
            store.data().forget(known);
            store.data().give(known);
        }
        return openAnew(call, node, caller, false);
    }

    /** A descriptor to write to a file by, for one use. */
    DataFile openToWrite(Call call, LinuxNode node, Caller caller) throws StoreException {
        var known = store.data().find(store, node, caller, true);
        if (known == null) {
            node.stat(call.scratch);
            return openAnew(call, node, caller, true);
        }
        try {
            requireMayWrite(call, node, caller);
            return known;
        } catch (StoreException | RuntimeException refused) {
            store.data().forget(known);
            store.data().give(known);
            throw refused;
        }
    }

    private void requireMayWrite(Call call, LinuxNode node, Caller caller) throws StoreException {
        node.stat(call.scratch);
        Rights.requireToWrite(call, node, caller);
    }

    private DataFile openAnew(Call call, LinuxNode node, Caller caller, boolean writable)
            throws StoreException {
        call.mustWait();
        // By the attributes from before, what is granted is not believed for longer than it holds.
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

    /** Opens a file as its caller, or as the server if NFS lets the caller and the kernel not. */
    private int open(Call call, LinuxNode node, Caller caller, boolean writable, boolean owned)
            throws StoreException {
        int flags = writable ? Kernel.O_WRONLY : Kernel.O_RDONLY;
        int result = call.as(caller, scratch -> Kernel.reopen(scratch, node.descriptor, flags));
        if (Failures.isForTooMany(result)) {
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
     * Opens a file of this process' own that its mode does not let it open, as NFS lets an owner:
     * the mode does for a moment. No SETATTR gets in between.
     */
    private static int openAsOwner(Call call, LinuxNode node, int flags) throws StoreException {
        synchronized (node) {
            node.stat(call.scratch);
            int mode = Statx.mode(call.scratch) & MODE_MASK;
            int result = Kernel.fchmod(call.scratch, node.descriptor, mode | OWNER_BITS);
            if (result < 0) {
                // It is of another user, or on a file system that is read-only.
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

    /** A client reads what it executes (RFC 1813, Section 4.4). */
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
        try (var span = store.overlaps().begin(node.id)) {
            return store.threads()
                    .runWaiting(
                            call -> {
                                // From before the write: what is lost later is lost by it too.
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
        var data = known != null ? known : openAnew(call, node, caller, true);
        // The kernel has just said of a new descriptor that its caller may write.
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
                store.data().notWritten(-done);
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
            store.data().give(data);
        }
    }

    /** Writes as much as there is room for; an error only if nothing could be written. */
    private static final class Writing implements FileThreads.Section {
        final int descriptor;
        final long offset;
        final MemorySegment source;
        final boolean isToAsk;
        final boolean owned;

        /** Whether the caller may not write, any more. */
        boolean refused;

        /**
         * @param isToAsk whether the caller could have lost the right to write
         */
        Writing(int descriptor, long offset, MemorySegment source, boolean isToAsk, boolean owned) {
            this.descriptor = descriptor;
            this.offset = offset;
            this.source = source;
            this.isToAsk = isToAsk;
            this.owned = owned;
        }

        @Override
        public int run(Scratch scratch) {
            if (isToAsk) {
                int result = askToWrite(scratch, descriptor, owned);
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
     * Asks the kernel whether a caller may write, in a section of the caller. An owner may,
     * whatever the mode says; not if the file is immutable, or its file system read-only.
     *
     * @return 0, or an error number made negative
     */
    static int askToWrite(Scratch scratch, int descriptor, boolean owned) {
        int result = Kernel.faccess(scratch, descriptor, Node.WRITE);
        return owned && result == -Errno.ACCES ? 0 : result;
    }

    /** Changes the data of a file, while nothing of it is forgotten that was lost. */
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
        return store.threads()
                .runWaiting(
                        call -> {
                            var before = node.status(call.scratch);
                            requireMayWrite(call, node, caller);
                            long verifier =
                                    storage == Storage.SYNC
                                            ? store.data().commit(call, store, node.id)
                                            : store.all().verifier().now();
                            return new Changed<>(
                                    Optional.of(before),
                                    Optional.of(node.status(call.scratch)),
                                    verifier);
                        });
    }
}
