package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.client.copy.RangeTransfer.ProgressListener;
import io.github.rpcrdma4j.nfs.client.local.LocalFile;
import io.github.rpcrdma4j.nfs.client.service.FileAttributes;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.FilePipeline;
import io.github.rpcrdma4j.nfs.client.service.FileService;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * Reads a file from the server with several outstanding calls, and passes each range to a sink.
 *
 * <p>Tests: {@code CopiesTest}, {@code VersionsOfCopiesTest}.
 *
 * @param what for messages: {@code "cannot read /a/b"}
 */
record FileGet(CopyContext context, RemoteFile file, String what, Sink sink) {
    /** Receives bytes of a file, on any thread. */
    interface Sink {
        void accept(long offset, MemorySegment bytes) throws IOException;

        /** Receives the attributes of the file when bytes of it had been read, if they are told. */
        default void told(Optional<FileAttributes> attributes) {}
    }

    /** The block size, in bytes, at which file systems keep holes. */
    private static final int HOLE_BYTES = 4096;

    private static final MemorySegment ZEROS = MemorySegment.ofArray(new byte[HOLE_BYTES]);

    /**
     * Returns a sink that writes to a local file, at the same offsets.
     *
     * @param hasHoles whether blocks of zeros are skipped, because they are holes on the server
     */
    static Sink into(LocalFile target, boolean hasHoles) {
        return hasHoles
                ? (offset, bytes) -> writeData(target, offset, bytes)
                : (offset, bytes) -> target.write(bytes, offset);
    }

    private static void writeData(LocalFile target, long offset, MemorySegment bytes)
            throws IOException {
        long size = bytes.byteSize();
        long from = 0;
        while (from < size) {
            long end = from;
            while (end < size && !isHole(bytes, end)) {
                end = Math.min(end + HOLE_BYTES, size);
            }
            if (end > from) {
                target.write(bytes.asSlice(from, end - from), offset + from);
            }
            from = Math.min(end + HOLE_BYTES, size);
        }
    }

    private static boolean isHole(MemorySegment bytes, long at) {
        var block = bytes.asSlice(at, Math.min(HOLE_BYTES, bytes.byteSize() - at));
        return block.mismatch(ZEROS.asSlice(0, block.byteSize())) < 0;
    }

    /**
     * Checks how many bytes a READ or a COPY moved, and returns their number.
     *
     * @param count how many were asked for
     * @throws IOException if there are more, or none
     */
    static long requireSome(long got, long count, String what) throws IOException {
        if (got > count) {
            throw new IOException(what + ": the server sent too much");
        }
        if (got == 0) {
            throw new IOException(what + ": it became shorter while it was copied");
        }
        return got;
    }

    /**
     * Reads a byte, to learn whether the server lets this user read the file.
     *
     * @throws NfsException if it does not
     */
    static void requireReadable(FileService service, FileHandle file, String what)
            throws IOException, InterruptedException {
        try (var open = service.openOnce(file, what);
                var arena = Arena.ofShared()) {
            service.read(open, 0, arena.allocate(1), what);
        }
    }

    /** Returns whether all bytes are zero. */
    static boolean isHole(MemorySegment bytes) {
        long end = 0;
        while (end < bytes.byteSize() && isHole(bytes, end)) {
            end += HOLE_BYTES;
        }
        return end >= bytes.byteSize();
    }

    void run(int outstanding) throws IOException, InterruptedException {
        long size = file.attributes().size();
        if (size < 0) {
            throw new IOException(what + ": it is larger than any file can be here");
        }
        run(outstanding, 0, size);
    }

    /** Reads a part of the file, from and to these offsets in bytes. */
    void run(int outstanding, long from, long to) throws IOException, InterruptedException {
        if (from == to) {
            return;
        }
        int transfer = context.readMax();
        try (var open = open(to - from <= transfer)) {
            RangeTransfer.move(
                    context,
                    RangeTransfer.of(from, to, transfer),
                    Math.min(to - from, transfer),
                    RangeTransfer.calls(to - from, transfer, outstanding),
                    (pipeline, offset, bytes, progress) ->
                            start(open, pipeline, offset, bytes, progress));
        }
    }

    private OpenFile open(boolean isForOnce) throws IOException, InterruptedException {
        return isForOnce
                ? context.service().openOnce(file.handle(), what)
                : context.service().open(file.handle(), OpenFile.Mode.READ, what);
    }

    private void start(
            OpenFile open,
            FilePipeline pipeline,
            long offset,
            MemorySegment bytes,
            ProgressListener progress)
            throws RpcException {
        int count = (int) bytes.byteSize();
        pipeline.read(
                open,
                offset,
                bytes,
                what,
                read -> {
                    sink.told(read.attributes());
                    long got = requireSome(read.data().byteSize(), count, what);
                    sink.accept(offset, read.data());
                    context.listener().copied(got);
                    progress.moved(got);
                });
    }
}
