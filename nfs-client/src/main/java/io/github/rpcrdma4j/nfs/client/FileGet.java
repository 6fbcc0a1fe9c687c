package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.client.NfsMount.Located;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.xdr.SegmentPool;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Reads a file of the server with several calls in flight. Each worker takes the next stretch that
 * nobody has, and writes it to its place.
 */
final class FileGet {
    /** Takes octets of a file, from any thread. */
    interface Sink {
        void accept(long offset, MemorySegment octets) throws IOException;
    }

    private final Nfs3Client client;
    private final SegmentPool pool;
    private final Located file;
    private final String what;
    private final int transfer;
    private final Sink sink;
    private final CopyListener listener;
    private final AtomicLong next = new AtomicLong();

    FileGet(
            Nfs3Client client,
            SegmentPool pool,
            Located file,
            String what,
            int transfer,
            Sink sink,
            CopyListener listener) {
        this.client = client;
        this.pool = pool;
        this.file = file;
        this.what = what;
        this.transfer = transfer;
        this.sink = sink;
        this.listener = listener;
    }

    /** Writes to a local file, at the same places. */
    static Sink into(FileChannel channel) {
        return (offset, octets) -> {
            var source = octets.asByteBuffer();
            while (source.hasRemaining()) {
                channel.write(source, offset + source.position());
            }
        };
    }

    void run(int outstanding) throws IOException, InterruptedException {
        long size = file.attributes().size();
        long stretches = (size + transfer - 1) / transfer;
        if (stretches > 0) {
            Fleet.run((int) Math.min(outstanding, stretches), this::work);
        }
    }

    private void work() throws IOException, InterruptedException {
        long size = file.attributes().size();
        try (var lease = pool.lease(Math.min(transfer, size))) {
            while (true) {
                long from = next.getAndAdd(transfer);
                if (from >= size) {
                    return;
                }
                read(from, Math.min(transfer, size - from), lease.whole());
            }
        }
    }

    private void read(long from, long length, MemorySegment memory)
            throws IOException, InterruptedException {
        for (long done = 0; done < length; ) {
            long offset = from + done;
            int count = (int) (length - done);
            long got =
                    client.call(
                            new Nfs3Call.Read(file.handle(), offset, count),
                            what,
                            List.of(memory.asSlice(0, count)),
                            (_, read) -> {
                                if (read.data().byteSize() > count) {
                                    throw new IOException(what + ": the server sent too much");
                                }
                                sink.accept(offset, read.data());
                                return read.data().byteSize();
                            });
            if (got == 0) {
                throw new IOException(what + ": it became shorter meanwhile");
            }
            listener.copied(got);
            done += got;
        }
    }
}
