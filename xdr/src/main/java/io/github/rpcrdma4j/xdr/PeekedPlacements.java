package io.github.rpcrdma4j.xdr;

import java.lang.foreign.MemorySegment;
import java.util.List;

/** The placed data of another reader, which keeps it. Not thread-safe. */
final class PeekedPlacements implements Placements {
    private final Placements original;

    /** The items that this reader has not taken: a list that does not change. */
    private List<BulkItem> left;

    /**
     * @param original tells where bytes align items, and what has not arrived
     * @param left the items that this reader can take
     */
    PeekedPlacements(Placements original, List<BulkItem> left) {
        this.original = original;
        this.left = left;
    }

    static Placements of(Placements original) {
        return original == Placements.NONE
                ? original
                : new PeekedPlacements(original, original.remaining());
    }

    @Override
    public MemorySegment take(long position, long count) throws XdrException {
        var item = BulkItem.at(left, position);
        if (item == null) {
            return null;
        }
        var data = item.data(count, "placed data");
        left = BulkItem.without(left, position);
        return data;
    }

    @Override
    public boolean awaits(long position, long count) {
        return original.awaits(position, count);
    }

    @Override
    public List<BulkItem> remaining() {
        return left;
    }

    @Override
    public long padding(long at, long count) {
        return original.padding(at, count);
    }

    @Override
    public boolean isPadded() {
        return original.isPadded();
    }

    @Override
    public void skipAbsent() {
        // finish() reports data without an item.
    }

    @Override
    public void finish() throws XdrException {
        if (!left.isEmpty()) {
            throw new XdrException("placed data belongs to no item");
        }
    }
}
