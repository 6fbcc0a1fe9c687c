package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Values.Stability;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Writes to the server what can be read once and in order: a pipe, or a file that tells no size.
 * Each write is on the server's storage before the memory is used again, as it could not be read a
 * second time. Several threads have a call in flight each; none has one while it waits for bytes.
 */
final class StreamPut {
    /** Gives bytes in order. */
    interface Source {
        /**
         * Waits for bytes.
         *
         * @return how many were read; 0 at the end
         */
        int read(MemorySegment target) throws IOException;
    }

    private final Nfs3Client client;
    private final SegmentPool pool;
    private final Source source;
    private final FileHandle target;
    private final String what;
    private final int transfer;
    private final CopyListener listener;

    /** Guarded by this. */
    private long offset;

    private boolean atEnd;

    StreamPut(
            Nfs3Client client,
            SegmentPool pool,
            Source source,
            FileHandle target,
            String what,
            int transfer,
            CopyListener listener) {
        this.client = client;
        this.pool = pool;
        this.source = source;
        this.target = target;
        this.what = what;
        this.transfer = transfer;
        this.listener = listener;
    }

    /**
     * Writes all to the end.
     *
     * @return how many bytes there were
     */
    long run(int outstanding) throws IOException, InterruptedException {
        // An interrupt does not wake a virtual thread that reads from a pipe.
        Fleet.runOnPlatform(outstanding, this::work);
        synchronized (this) {
            return offset;
        }
    }

    private void work() throws IOException, InterruptedException {
        try (var lease = pool.lease(transfer)) {
            for (var part = read(lease.whole()); part.length > 0; part = read(lease.whole())) {
                write(part, lease.whole().asSlice(0, part.length));
            }
        }
    }

    private record Part(long from, long length) {}

    private synchronized Part read(MemorySegment memory) throws IOException {
        long from = offset;
        long filled = 0;
        while (!atEnd && filled < transfer) {
            int count = source.read(memory.asSlice(filled, transfer - filled));
            atEnd = count == 0;
            filled += count;
        }
        offset += filled;
        return new Part(from, filled);
    }

    private void write(Part part, MemorySegment octets) throws IOException, InterruptedException {
        long done = 0;
        while (done < part.length) {
            var left = octets.asSlice(done);
            long count =
                    client.call(
                            new Nfs3Call.Write(target, part.from + done, Stability.FILE_SYNC, left),
                            what,
                            List.of(),
                            (_, reply) -> Integer.toUnsignedLong(reply.count()));
            if (count == 0 || count > left.byteSize()) {
                throw new IOException(what + ": the server took an impossible count of octets");
            }
            done += count;
            listener.copied(count);
        }
    }
}
