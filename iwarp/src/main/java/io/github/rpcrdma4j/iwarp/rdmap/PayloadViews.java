package io.github.rpcrdma4j.iwarp.rdmap;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Views of the piece of memory that is being cut into frames. A batch needs one for each frame; the
 * next batch of the same piece uses them again. Guarded by the send lock of its queue pair.
 */
final class PayloadViews {
    private final List<ByteBuffer> views = new ArrayList<>();
    private MemorySegment piece;
    private int used;

    /** A run of bytes of a piece; good until {@link #batchWritten}. */
    ByteBuffer next(MemorySegment of, long from, int count) {
        // More than 2 GiB cannot be seen at once.
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
     * The views of the batch are free.
     *
     * @param midMessage whether more of the same message comes; if not its memory is let go of
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
