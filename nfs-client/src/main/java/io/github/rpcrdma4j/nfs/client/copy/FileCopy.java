package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.client.copy.RangeTransfer.FileRange;
import io.github.rpcrdma4j.nfs.client.copy.RangeTransfer.ProgressListener;
import io.github.rpcrdma4j.nfs.client.file.StableWrite;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.FilePipeline;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * Copies the contents of a file of a server to another file of it: by the server if it can. If not,
 * the bytes pass through the memory of this side, with several outstanding calls, and ranges of
 * zeros are left out if the source has holes.
 *
 * <p>Tests: {@code VersionsOfCopiesTest}, {@code NarrowedSourcesTest}.
 */
final class FileCopy implements RangeTransfer.Direction {
    private final CopyContext context;
    private final RemoteFile source;
    private final FileHandle target;
    private final String reading;
    private final String writing;
    private final ReadRights rights;
    private final boolean hasHoles;

    /** Both files while they are copied. */
    private OpenFile from;

    private OpenFile to;
    private UncommittedRanges uncommitted;

    /**
     * Creates the copy of one file.
     *
     * @param target an empty file
     * @param rights receives what the source grants while it is read
     * @param reading for messages: {@code "cannot read /a/b"}
     * @param writing for messages: {@code "cannot write /a/c"}
     */
    FileCopy(
            CopyContext context,
            RemoteFile source,
            FileHandle target,
            ReadRights rights,
            String reading,
            String writing) {
        this.context = context;
        this.source = source;
        this.target = target;
        this.rights = rights;
        this.reading = reading;
        this.writing = writing;
        this.hasHoles =
                Long.compareUnsigned(source.attributes().used(), source.attributes().size()) < 0;
    }

    /**
     * Copies the contents.
     *
     * @return length in bytes
     */
    long run(int outstanding) throws IOException, InterruptedException {
        long size = source.attributes().size();
        if (size < 0) {
            throw new IOException(reading + ": it is larger than any file can be here");
        }
        int transfer = Math.min(context.readMax(), context.writeMax());
        long longest = Math.min(size, transfer);
        int calls = RangeTransfer.calls(size, transfer, outstanding);
        if (size == 0) {
            return 0;
        }
        var service = context.service();
        try (var source = service.open(this.source.handle(), OpenFile.Mode.READ, reading);
                var made = service.open(target, OpenFile.Mode.WRITE, writing)) {
            from = source;
            to = made;
            uncommitted = new UncommittedRanges(context, to, writing);
            if (!isCopiedByServer(size, transfer)) {
                RangeTransfer.move(
                        context, RangeTransfer.of(0, size, transfer), longest, calls, this);
            }
            if (hasHoles) {
                context.mount().change(target, AttributeChanges.ofSize(size), writing);
            }
            uncommitted.commit(this, longest, calls);
        }
        return size;
    }

    /** A limited copy passes through this machine, which knows how much it moves. */
    private boolean isCopiedByServer(long size, int transfer)
            throws IOException, InterruptedException {
        if (size <= transfer || context.rate().isLimited()) {
            return false;
        }
        boolean isDone =
                new CopyByServer(
                                context,
                                source.attributes().fileSystem(),
                                from,
                                to,
                                size,
                                hasHoles,
                                uncommitted,
                                reading,
                                writing)
                        .run();
        if (isDone) {
            rights.told(Optional.empty());
        }
        return isDone;
    }

    @Override
    public void start(
            FilePipeline pipeline, long offset, MemorySegment bytes, ProgressListener progress)
            throws RpcException {
        int count = (int) bytes.byteSize();
        pipeline.read(
                from,
                offset,
                bytes,
                reading,
                read -> {
                    rights.told(read.attributes());
                    long got = FileGet.requireSome(read.data().byteSize(), count, reading);
                    var data = bytes.asSlice(0, got);
                    // Usually the data is there already.
                    if (read.data().address() != data.address() || !read.data().isNative()) {
                        data.copyFrom(read.data());
                    }
                    if (hasHoles && FileGet.isHole(data)) {
                        moved(got, progress);
                    } else {
                        write(pipeline, offset, data, got, progress);
                    }
                });
    }

    /**
     * Writes bytes that were read.
     *
     * @param whole how many bytes were read, of which these are the unwritten rest
     */
    private void write(
            FilePipeline pipeline,
            long offset,
            MemorySegment bytes,
            long whole,
            ProgressListener progress)
            throws RpcException {
        pipeline.write(
                to,
                offset,
                Stability.UNSTABLE,
                bytes,
                writing,
                reply -> {
                    long count = StableWrite.count(reply, bytes.byteSize(), writing);
                    uncommitted.written(new FileRange(offset, count), reply);
                    if (count < bytes.byteSize()) {
                        write(pipeline, offset + count, bytes.asSlice(count), whole, progress);
                    } else {
                        moved(whole, progress);
                    }
                });
    }

    private void moved(long count, ProgressListener progress) throws IOException {
        context.listener().copied(count);
        progress.moved(count);
    }
}
