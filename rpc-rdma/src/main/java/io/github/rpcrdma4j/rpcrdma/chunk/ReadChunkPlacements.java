package io.github.rpcrdma4j.rpcrdma.chunk;

import io.github.rpcrdma4j.xdr.BulkItem;
import io.github.rpcrdma4j.xdr.Placements;
import io.github.rpcrdma4j.xdr.XdrException;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * The bulk arguments of a call, found by their position in the unreduced stream (RFC 8166, Section
 * 3.4.5).
 */
public final class ReadChunkPlacements implements Placements {
    /** The items that are not taken yet: a list that does not change, because others peek at it. */
    private List<BulkItem> left;

    /**
     * @param fetched the data of the chunks, in any order; the Position-Zero Read chunk is not
     *     among them
     */
    public ReadChunkPlacements(List<BulkItem> fetched) {
        left = BulkItem.inOrder(fetched);
    }

    @Override
    public MemorySegment take(long position, long count) throws XdrException {
        var chunk = BulkItem.at(left, position);
        if (chunk == null) {
            return null;
        }
        var data = chunk.data(count, "a Read chunk");
        left = BulkItem.without(left, position);
        return data;
    }

    @Override
    public List<BulkItem> remaining() {
        return left;
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
