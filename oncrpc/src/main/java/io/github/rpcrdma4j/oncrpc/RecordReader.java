package io.github.rpcrdma4j.oncrpc;

import io.github.rpcrdma4j.xdr.SegmentPool;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;

/** Reads records from a blocking stream, with a bound on their length. Not thread-safe. */
final class RecordReader {
    /** The longest record, in octets: the longest WRITE and its surroundings, with room. */
    static final int RECORD_MAX = 8 << 20;

    /** Empty fragments make no headway; more of them in one record are an attack. */
    private static final int FRAGMENTS_MAX = 4096;

    private static final int FIRST_BYTES = 4096;

    private final ReadableByteChannel channel;
    private final SegmentPool pool;
    private final ByteBuffer mark = ByteBuffer.allocateDirect(RecordMark.BYTES);

    /**
     * A record in memory that its receiver gives back.
     *
     * @param message the record
     */
    record Received(SegmentPool.Lease memory, MemorySegment message) {}

    RecordReader(ReadableByteChannel channel, SegmentPool pool) {
        this.channel = channel;
        this.pool = pool;
    }

    /**
     * Waits for the next record.
     *
     * @return null if the peer closed the stream between two records
     * @throws IOException if the stream ends in a record, or a record exceeds its bound
     */
    Received next() throws IOException {
        SegmentPool.Lease memory = null;
        boolean done = false;
        try {
            int length = 0;
            for (int fragments = 0; fragments < FRAGMENTS_MAX; fragments++) {
                if (!fill(mark.clear(), fragments == 0)) {
                    return null;
                }
                int word = mark.getInt(0);
                long total = (long) length + RecordMark.length(word);
                if (total > RECORD_MAX) {
                    throw new IOException("a record is longer than " + RECORD_MAX + " octets");
                }
                memory = grow(memory, length, total);
                fill(memory.whole().asSlice(length, total - length).asByteBuffer(), false);
                length = (int) total;
                if (RecordMark.isLast(word)) {
                    done = true;
                    return new Received(memory, memory.whole().asSlice(0, length));
                }
            }
            throw new IOException("a record has too many fragments");
        } finally {
            if (!done && memory != null) {
                memory.close();
            }
        }
    }

    private SegmentPool.Lease grow(SegmentPool.Lease memory, int length, long total) {
        if (memory != null && memory.whole().byteSize() >= total) {
            return memory;
        }
        var larger = pool.lease(Math.max(FIRST_BYTES, total));
        if (memory != null) {
            MemorySegment.copy(memory.whole(), 0, larger.whole(), 0, length);
            memory.close();
        }
        return larger;
    }

    private boolean fill(ByteBuffer buffer, boolean mayEnd) throws IOException {
        boolean started = false;
        while (buffer.hasRemaining()) {
            if (channel.read(buffer) < 0) {
                if (mayEnd && !started) {
                    return false;
                }
                throw new EOFException("the stream ended in the middle of a record");
            }
            started = true;
        }
        return true;
    }
}
