package io.github.rpcrdma4j.xdr;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * The placed data of another reader, which keeps it.
 *
 * @param original tells where bytes align items
 * @param left the items that this reader has not taken
 */
record PeekedPlacements(Placements original, List<BulkItem> left) implements Placements {
    static Placements of(Placements original) {
        return original == Placements.NONE
                ? original
                : new PeekedPlacements(original, new ArrayList<>(original.remaining()));
    }

    @Override
    public MemorySegment take(long position, long count) throws XdrException {
        for (int i = 0; i < left.size(); i++) {
            var item = left.get(i);
            if (item.position() == position) {
                long size = item.data().byteSize();
                // With or without XDR padding, as the reader that keeps it requires.
                if (size != count && size != XdrWriter.roundUp(count)) {
                    throw new XdrException("a placed item is not as long as its length");
                }
                left.remove(i);
                return item.data().asSlice(0, count);
            }
        }
        return null;
    }

    @Override
    public List<BulkItem> remaining() {
        return List.copyOf(left);
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
