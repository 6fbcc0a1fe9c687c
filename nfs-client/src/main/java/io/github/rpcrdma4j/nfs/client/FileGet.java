package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.client.NfsMount.Located;
import io.github.rpcrdma4j.nfs.client.Stretches.Moved;
import io.github.rpcrdma4j.nfs.client.Stretches.Stretch;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.xdr.SegmentPool;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.util.List;

/**
 * Reads a file of the server with several calls in flight, and writes each stretch to its place.
 */
final class FileGet implements Stretches.Direction {
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
        var all = Stretches.of(file.attributes().size(), transfer);
        Stretches.move(client, pool, all, outstanding, this);
    }

    @Override
    public void begin(Stretch stretch, MemorySegment octets) {
        // The server fills it.
    }

    @Override
    public void start(Nfs3Flight flight, long offset, MemorySegment octets, Moved moved)
            throws RpcException {
        int count = (int) octets.byteSize();
        flight.start(
                new Nfs3Call.Read(file.handle(), offset, count),
                what,
                List.of(octets),
                (_, read) -> {
                    long got = read.data().byteSize();
                    if (got > count) {
                        throw new IOException(what + ": the server sent too much");
                    }
                    if (got == 0) {
                        throw new IOException(what + ": it became shorter meanwhile");
                    }
                    sink.accept(offset, read.data());
                    listener.copied(got);
                    moved.moved(got);
                });
    }
}
