package io.github.rpcrdma4j.nfs.client.local;

import static io.github.rpcrdma4j.nfs.client.local.LinuxFailures.check;
import static io.github.rpcrdma4j.nfs.client.local.LinuxFailures.exception;

import io.github.rpcrdma4j.linux.Errno;
import io.github.rpcrdma4j.linux.Kernel;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.linux.Statx;
import io.github.rpcrdma4j.nfs.client.local.LocalException.Reason;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * An open regular file of Linux.
 *
 * <p>Tests: {@code LinuxTreeTest}.
 */
final class LinuxFile implements LocalFile {
    /** The most bytes of a system call; the limit of Linux is a little below 2 GiB. */
    private static final long CALL_MAX = 1 << 30;

    /** Heap memory is copied to native memory in units of this size, in bytes. */
    private static final long PIECE_BYTES = 256 << 10;

    private final Descriptor descriptor;
    private final boolean writable;
    private final String what;

    /**
     * Held by a thread that writes. The kernel lets one at a time write to a file, and would let
     * the others spin on processors that a peer may need.
     */
    private final ReentrantLock writing = new ReentrantLock();

    /**
     * Opens the file on a descriptor.
     *
     * @param number the descriptor, which the file owns and closes
     */
    LinuxFile(int number, boolean writable, String what) {
        this.descriptor = new Descriptor(number);
        this.writable = writable;
        this.what = what;
    }

    /** An operation on the descriptor. */
    private interface Work<R> {
        R run(Scratch scratch, int number) throws LocalException;
    }

    private <R> R use(Work<R> work) throws LocalException {
        int number = descriptor.take();
        var scratch = Scratch.acquire();
        try {
            return work.run(scratch, number);
        } finally {
            scratch.release();
            descriptor.give();
        }
    }

    @Override
    public LocalStatus status() throws LocalException {
        return use((scratch, number) -> LinuxAttributes.status(scratch, number, what));
    }

    @Override
    public int read(MemorySegment target, long offset) throws LocalException {
        LocalFileRules.requireToRead(writable, target, offset);
        return use(
                (scratch, number) ->
                        check(
                                Kernel.pread(
                                        scratch,
                                        number,
                                        target,
                                        0,
                                        Math.min(target.byteSize(), CALL_MAX),
                                        offset),
                                what));
    }

    @Override
    public void write(MemorySegment source, long offset) throws LocalException {
        LocalFileRules.requireToWrite(writable, source, offset);
        writing.lock();
        try {
            use(
                    (scratch, number) -> {
                        if (source.isNative()) {
                            writeAll(scratch, number, source, offset);
                        } else {
                            writePieces(scratch, number, source, offset);
                        }
                        return null;
                    });
        } finally {
            writing.unlock();
        }
    }

    private void writePieces(Scratch scratch, int number, MemorySegment source, long offset)
            throws LocalException {
        long bytes = source.byteSize();
        try (var arena = Arena.ofConfined()) {
            var memory = arena.allocate(Math.clamp(bytes, 1, PIECE_BYTES));
            for (long done = 0; done < bytes; ) {
                var piece = memory.asSlice(0, Math.min(bytes - done, PIECE_BYTES));
                MemorySegment.copy(source, done, piece, 0, piece.byteSize());
                writeAll(scratch, number, piece, offset + done);
                done += piece.byteSize();
            }
        }
    }

    private void writeAll(Scratch scratch, int number, MemorySegment source, long offset)
            throws LocalException {
        long bytes = source.byteSize();
        for (long done = 0; done < bytes; ) {
            long room = Math.min(bytes - done, CALL_MAX);
            int result = Kernel.pwrite(scratch, number, source, done, room, offset + done);
            if (result == 0) {
                throw new LocalException(what, Reason.INPUT_OUTPUT);
            }
            done += check(result, what);
        }
    }

    @Override
    public long data(long offset) throws LocalException {
        LocalFileRules.requireOffset(offset, 0);
        return use(
                (scratch, number) -> {
                    long found = Kernel.lseek(scratch, number, offset, Kernel.SEEK_DATA);
                    if (found == -Errno.NXIO) {
                        return -1L;
                    }
                    if (isUnknown(found)) {
                        return offset < size(scratch, number) ? offset : -1L;
                    }
                    return found(found);
                });
    }

    @Override
    public long hole(long offset) throws LocalException {
        LocalFileRules.requireOffset(offset, 0);
        return use(
                (scratch, number) -> {
                    long found = Kernel.lseek(scratch, number, offset, Kernel.SEEK_HOLE);
                    // At or after the end lseek finds no hole, but the end counts as one.
                    return isUnknown(found) || found == -Errno.NXIO
                            ? size(scratch, number)
                            : found(found);
                });
    }

    private static boolean isUnknown(long result) {
        return result == -Errno.INVAL || result == -Errno.OPNOTSUPP;
    }

    private long found(long result) throws LocalException {
        if (result < 0) {
            throw exception((int) -result, what);
        }
        return result;
    }

    private long size(Scratch scratch, int number) throws LocalException {
        check(Kernel.statx(scratch, number), what);
        return Statx.size(scratch);
    }

    @Override
    public void resize(long size) throws LocalException {
        LocalFileRules.requireWritable(writable);
        LocalFileRules.requireOffset(size, 0);
        use((scratch, number) -> check(Kernel.ftruncate(scratch, number, size), what));
    }

    @Override
    public void sync() throws LocalException {
        use((scratch, number) -> check(Kernel.fdatasync(scratch, number), what));
    }

    @Override
    public void change(LocalChanges changes) throws LocalException {
        use(
                (scratch, number) -> {
                    LinuxAttributes.change(scratch, number, changes, what);
                    return null;
                });
    }

    @Override
    public ExtendedAcls acls() throws LocalException {
        return use((scratch, number) -> LinuxAcls.of(scratch, number, what));
    }

    @Override
    public void setAcls(ExtendedAcls acls) throws LocalException {
        use(
                (scratch, number) -> {
                    LinuxAcls.set(scratch, number, acls, what);
                    return null;
                });
    }

    @Override
    public Optional<UserXattrs> xattrs() throws LocalException {
        return Optional.of(use((scratch, number) -> LinuxXattrs.of(scratch, number, what)));
    }

    @Override
    public void setXattrs(UserXattrs xattrs, String name) throws LocalException {
        use(
                (scratch, number) -> {
                    LinuxXattrs.set(scratch, number, xattrs, name);
                    return null;
                });
    }

    @Override
    public void finish() throws LocalException {
        check(descriptor.finish(), what);
    }

    @Override
    public void close() {
        descriptor.close();
    }
}
