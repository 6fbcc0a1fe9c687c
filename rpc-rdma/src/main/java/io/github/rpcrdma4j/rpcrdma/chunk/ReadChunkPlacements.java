package io.github.rpcrdma4j.rpcrdma.chunk;

import io.github.rpcrdma4j.xdr.BulkItem;
import io.github.rpcrdma4j.xdr.Placements;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The bulk arguments of a call, found by their position in the unreduced stream (RFC 8166, Section
 * 3.4.5).
 */
public final class ReadChunkPlacements implements Placements {
    private final List<BulkItem> left;

    /**
     * @param fetched the data of the chunks, in any order; the Position-Zero Read chunk is not
     *     among them
     */
    public ReadChunkPlacements(List<BulkItem> fetched) {
        left = new ArrayList<>(fetched);
    }

    @Override
    public MemorySegment take(long position, long count) throws XdrException {
        for (int i = 0; i < left.size(); i++) {
            var chunk = left.get(i);
            if (chunk.position() == position) {
                long size = chunk.data().byteSize();
                // A chunk holds its item with or without XDR padding, and nothing else (RFC
                // 5666-3.4-9, 5666-3.7-4).
                if (size != count && size != XdrWriter.roundUp(count)) {
                    throw new XdrException("a Read chunk is not as long as its item");
                }
                left.remove(i);
                return chunk.data().asSlice(0, count);
            }
        }
        return null;
    }

    @Override
    public List<BulkItem> remaining() {
        return left.stream().sorted(Comparator.comparingLong(BulkItem::position)).toList();
    }

    @Override
    public void skipAbsent() {
        // finish() reports a chunk without an item.
    }

    /** Throws if a chunk belongs to no item (RFC 8166-6.1-2). */
    @Override
    public void finish() throws XdrException {
        if (!left.isEmpty()) {
            throw new XdrException("a Read chunk belongs to no item that may be reduced");
        }
    }
}
