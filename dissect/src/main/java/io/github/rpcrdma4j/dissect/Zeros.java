package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.rpcrdma.chunk.ReadChunk;
import io.github.rpcrdma4j.rpcrdma.chunk.ReadChunkPlacements;
import io.github.rpcrdma4j.xdr.BulkItem;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Zeros in place of the bytes of chunks, of which only the lengths matter. Not thread-safe. */
final class Zeros {
    /** The longest chunk that is compared with its bulk item, in bytes. */
    static final long CHUNK_MAX = 1 << 26;

    private MemorySegment zeros = MemorySegment.NULL;

    /** Returns so many zeros, at most {@link #CHUNK_MAX}. The memory is shared. */
    MemorySegment of(long bytes) {
        long length = Math.min(bytes, CHUNK_MAX);
        if (zeros.byteSize() < length) {
            zeros = MemorySegment.ofArray(new byte[(int) length]).asReadOnly();
        }
        return zeros.asSlice(0, length);
    }

    /** Returns the placements of bulk items in Read chunks. */
    ReadChunkPlacements placements(List<ReadChunk> chunks) {
        var items = new ArrayList<BulkItem>(chunks.size());
        for (var chunk : chunks) {
            items.add(new BulkItem(chunk.position(), of(chunk.size())));
        }
        return new ReadChunkPlacements(items);
    }
}
