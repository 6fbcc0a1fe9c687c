package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.client.copy.RangeTransfer.FileRange;
import io.github.rpcrdma4j.nfs.client.copy.RangeTransfer.ProgressListener;
import io.github.rpcrdma4j.nfs.client.file.StableWrite;
import io.github.rpcrdma4j.nfs.client.local.LocalStatus;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.FilePipeline;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * Writes a file to the server with several outstanding calls, then commits it once. If the write
 * verifier shows that the server restarted in between (RFC 1813, Section 3.3.7), it writes the
 * affected ranges again. A file that fits one call is written with FILE_SYNC and needs no COMMIT.
 *
 * <p>Tests: {@code CopiesTest}.
 */
final class FilePut implements RangeTransfer.Direction {
    private final CopyContext context;
    private final SourceBytes source;
    private final LocalStatus status;
    private final FileHandle target;
    private final String what;

    /** The stability of each WRITE; FILE_SYNC if the file fits one call. */
    private Stability stability = Stability.UNSTABLE;

    /** The file while it is written. */
    private OpenFile open;

    private UncommittedRanges uncommitted;

    /**
     * Creates the copy of one file.
     *
     * @param what for messages: {@code "cannot write /a/b"}
     */
    FilePut(CopyContext context, SourceBytes source, FileHandle target, String what) {
        this.context = context;
        this.source = source;
        this.status = source.status();
        this.target = target;
        this.what = what;
    }

    /** Writes the file. Returns how many bytes it has, which may be less than its size says. */
    long run(int outstanding) throws IOException, InterruptedException {
        run(outstanding, 0, status.size());
        return source.end();
    }

    /** Writes a part of the file, from and to these offsets in bytes, and commits it. */
    void run(int outstanding, long from, long to) throws IOException, InterruptedException {
        if (from == to) {
            return;
        }
        long size = status.size();
        int transfer = context.writeMax();
        int calls = RangeTransfer.calls(to - from, transfer, outstanding);
        long longest = Math.min(size, transfer);
        if (size <= transfer) {
            stability = Stability.FILE_SYNC;
        }
        try (var opened = context.service().open(target, OpenFile.Mode.WRITE, what)) {
            open = opened;
            uncommitted = new UncommittedRanges(context, open, what);
            // Files of /proc and its like use no storage, but have no holes either.
            var data =
                    status.used() < size
                            ? new DataRanges(from, to)
                            : RangeTransfer.of(from, to, transfer);
            RangeTransfer.move(context, data, longest, calls, this);
            if (data instanceof DataRanges between && between.endsInHole && to == size) {
                // No WRITE sets the end of a file that ends in a hole, so set its size.
                context.mount().change(target, AttributeChanges.ofSize(size), what);
            }
            uncommitted.commit(this, longest, calls);
        }
    }

    /** Supplies the ranges of data between the holes of the source. */
    private final class DataRanges implements RangeTransfer.Source {
        private RangeTransfer.Source data = () -> null;
        private final long end;
        private long behind;
        private boolean endsInHole;

        DataRanges(long from, long end) {
            this.behind = from;
            this.end = end;
        }

        @Override
        public FileRange next() throws IOException {
            var range = data.next();
            while (range == null && behind >= 0 && behind < end) {
                long start = source.file().data(behind);
                if (start < 0 || start >= end) {
                    source.requireNotShorter();
                    behind = -1;
                    endsInHole = true;
                } else {
                    behind = Math.min(source.file().hole(start), end);
                    data = RangeTransfer.of(start, behind, context.writeMax());
                    range = data.next();
                }
            }
            return range;
        }
    }

    @Override
    public long begin(FileRange range, MemorySegment bytes) throws IOException {
        return source.fill(range, bytes);
    }

    @Override
    public void start(
            FilePipeline pipeline, long offset, MemorySegment bytes, ProgressListener progress)
            throws RpcException {
        pipeline.write(
                open,
                offset,
                stability,
                bytes,
                what,
                reply -> {
                    long count = StableWrite.count(reply, bytes.byteSize(), what);
                    uncommitted.written(new FileRange(offset, count), reply);
                    context.listener().copied(count);
                    progress.moved(count);
                });
    }
}
