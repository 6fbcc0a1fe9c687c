package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.client.copy.RangeTransfer.FileRange;
import io.github.rpcrdma4j.nfs.client.file.StableWrite;
import io.github.rpcrdma4j.nfs.client.local.LocalFile;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * Writes a source to the server that can be read only once and in order: a pipe, or a file that
 * reports no size. Memory is reused only after its bytes are on stable storage, because they cannot
 * be read again. Each of several threads keeps one call outstanding, and none while it waits for
 * bytes.
 */
final class StreamPut {
    /** Supplies bytes in order. */
    interface Source {
        /**
         * Reads bytes, and waits for them if necessary.
         *
         * @return how many bytes were read; 0 at the end
         */
        int read(MemorySegment target) throws IOException;
    }

    /** Returns the bytes of a local file, read until its end without regard to its size. */
    static Source of(LocalFile file) {
        return new Source() {
            private long offset;

            @Override
            public int read(MemorySegment target) throws IOException {
                int count = file.read(target, offset);
                offset += count;
                return count;
            }
        };
    }

    private final CopyContext context;
    private final Source source;
    private final FileHandle target;
    private final String what;

    /** Guarded by this. */
    private long offset;

    private boolean atEnd;

    StreamPut(CopyContext context, Source source, FileHandle target, String what) {
        this.context = context;
        this.source = source;
        this.target = target;
        this.what = what;
    }

    /**
     * Writes everything until the end of the source.
     *
     * @return length in bytes
     */
    long run(int outstanding) throws IOException, InterruptedException {
        try (var open = context.service().open(target, OpenFile.Mode.WRITE, what)) {
            WorkerGroup.run(outstanding, () -> work(open));
        }
        synchronized (this) {
            return offset;
        }
    }

    private void work(OpenFile open) throws IOException, InterruptedException {
        var write = new StableWrite(context.service(), open, what, progress());
        try (var lease = context.pool().lease(context.writeMax())) {
            var memory = lease.segment();
            for (var range = read(memory); range != null; range = read(memory)) {
                write.run(memory.asSlice(0, range.length()), range.from());
            }
        }
    }

    private StableWrite.Listener progress() {
        return new StableWrite.Listener() {
            @Override
            public void copied(long bytes) {
                context.listener().copied(bytes);
            }

            @Override
            public void lost(long bytes) {
                context.listener().lost(bytes);
            }
        };
    }

    /** Fills memory from the source. Returns the range of the file; null at the end. */
    private synchronized FileRange read(MemorySegment memory) throws IOException {
        long from = offset;
        long filled = 0;
        while (!atEnd && filled < memory.byteSize()) {
            int count = source.read(memory.asSlice(filled));
            atEnd = count == 0;
            filled += count;
        }
        context.rate().take(filled);
        offset += filled;
        return filled == 0 ? null : new FileRange(from, filled);
    }
}
