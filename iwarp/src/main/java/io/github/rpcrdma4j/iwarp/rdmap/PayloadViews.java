package io.github.rpcrdma4j.iwarp.rdmap;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Views of the memory that is being cut into frames. A batch needs one view for each frame, and the
 * next batch of that memory reuses them. Guarded by the send lock of its queue pair.
 */
final class PayloadViews {
    private final List<ByteBuffer> views = new ArrayList<>();
    private MemorySegment piece;
    private int used;

    /** Returns a view of {@code count} bytes of the memory, valid until {@link #batchWritten}. */
    ByteBuffer next(MemorySegment of, long from, int count) {
        // A ByteBuffer cannot view more than 2 GiB.
        if (of.byteSize() > Integer.MAX_VALUE) {
            return of.asSlice(from, count).asByteBuffer();
        }
        if (of != piece) {
            forget();
            piece = of;
        }
        if (used == views.size()) {
            views.add(used == 0 ? of.asByteBuffer() : views.getFirst().duplicate());
        }
        return views.get(used++).limit((int) from + count).position((int) from);
    }

    /**
     * Frees the views of the written batch.
     *
     * @param midMessage whether more of the message follows; if not, the views' memory is released
     */
    void batchWritten(boolean midMessage) {
        used = 0;
        if (!midMessage) {
            forget();
        }
    }

    private void forget() {
        views.clear();
        piece = null;
        used = 0;
    }
}
