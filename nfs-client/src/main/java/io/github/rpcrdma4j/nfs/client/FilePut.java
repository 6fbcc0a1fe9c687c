package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.client.Stretches.Moved;
import io.github.rpcrdma4j.nfs.client.Stretches.Stretch;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Values.Stability;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.xdr.SegmentPool;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes a file to the server with several calls in flight, and has it committed once. Stretches
 * that were written before the server restarted are written again: its verifier tells (RFC 1813,
 * Section 3.3.7). A file that one call holds is safe with that call.
 */
final class FilePut implements Stretches.Direction {
    /** How often the whole is committed before the server is taken to be unable to keep it. */
    private static final int ROUNDS_MAX = 16;

    private record Uncommitted(Stretch stretch, long verifier) {}

    private final Nfs3Client client;
    private final SegmentPool pool;
    private final FileChannel source;
    private final FileHandle target;
    private final String what;
    private final int transfer;
    private final CopyListener listener;

    /** Of all but what the server keeps at once anyway. */
    private Stability stability = Stability.UNSTABLE;

    /** Guarded by this. */
    private final List<Uncommitted> uncommitted = new ArrayList<>();

    FilePut(
            Nfs3Client client,
            SegmentPool pool,
            FileChannel source,
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

    void run(int outstanding) throws IOException, InterruptedException {
        var unwritten = Stretches.of(source.size(), transfer);
        if (unwritten.size() == 1) {
            stability = Stability.FILE_SYNC;
        }
        for (int round = 0; !unwritten.isEmpty(); round++) {
            if (round == ROUNDS_MAX) {
                throw new IOException(what + ": the server loses what it is given");
            }
            Stretches.move(client, pool, unwritten, outstanding, this);
            unwritten.addAll(commit());
        }
    }

    private synchronized void written(Stretch stretch, long verifier) {
        uncommitted.add(new Uncommitted(stretch, verifier));
    }

    @Override
    public void begin(Stretch stretch, MemorySegment octets) throws IOException {
        fill(octets, stretch.from());
    }

    @Override
    public void start(Nfs3Flight flight, long offset, MemorySegment octets, Moved moved)
            throws RpcException {
        flight.start(
                new Nfs3Call.Write(target, offset, stability, octets),
                what,
                List.of(),
                (_, reply) -> {
                    long count = Integer.toUnsignedLong(reply.count());
                    if (count == 0 || count > octets.byteSize()) {
                        throw new IOException(
                                what + ": the server took an impossible count of octets");
                    }
                    if (reply.committed() == Stability.UNSTABLE) {
                        written(new Stretch(offset, count), reply.verifier());
                    }
                    listener.copied(count);
                    moved.moved(count);
                });
    }

    private void fill(MemorySegment memory, long from) throws IOException {
        var buffer = memory.asByteBuffer();
        while (buffer.hasRemaining()) {
            if (source.read(buffer, from + buffer.position()) < 0) {
                throw new EOFException(what + ": the local file became shorter meanwhile");
            }
        }
    }

    /**
     * Has committed what was written.
     *
     * @return what has to be written once more
     */
    private List<Stretch> commit() throws IOException, InterruptedException {
        if (uncommitted.isEmpty()) {
            return List.of();
        }
        long verifier = client.call(new Nfs3Call.Commit(target, 0, 0), what);
        var forgotten = new ArrayList<Stretch>();
        for (var each : uncommitted) {
            if (each.verifier != verifier) {
                forgotten.add(each.stretch);
                // It has to be copied once more.
                listener.expect(each.stretch.length());
            }
        }
        uncommitted.clear();
        return forgotten;
    }
}
