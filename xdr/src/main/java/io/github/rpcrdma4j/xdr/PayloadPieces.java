package io.github.rpcrdma4j.xdr;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * An encoded message, the payload stream of RFC 8166, Section 3.2, as the pieces it lies in: the
 * encoded stream, and between its parts the bulk items that were not reduced, with their padding
 * (RFC 8166-3.5.3-6). What was reduced is gone with its padding (RFC 8166-3.4.4.4-2). Nothing is
 * copied until {@link #copyTo}; the pieces live as long as the memory they lie in.
 */
public final class PayloadPieces {
    private static final int PADDING_MAX = 3;
    private static final MemorySegment PADDING = Arena.global().allocate(PADDING_MAX);

    private final List<MemorySegment> pieces;
    private final long length;

    private PayloadPieces(List<MemorySegment> pieces) {
        this.pieces = pieces;
        long sum = 0;
        for (var piece : pieces) {
            sum += piece.byteSize();
        }
        this.length = sum;
    }

    /** What lies in one piece. */
    public static PayloadPieces of(MemorySegment whole) {
        return new PayloadPieces(List.of(whole));
    }

    /** The whole message: nothing of it travels elsewhere. */
    public static PayloadPieces of(XdrWriter message) {
        return of(message.reducedStream(), message.bulkItems(), new BitSet());
    }

    /**
     * The pieces of a message, in their order.
     *
     * @param stream the encoded message without its bulk items
     * @param items its bulk items, in order
     * @param reduced which of them travel elsewhere, by index
     */
    public static PayloadPieces of(MemorySegment stream, List<BulkItem> items, BitSet reduced) {
        if (reduced.cardinality() == items.size()) {
            return of(stream);
        }
        var pieces = new ArrayList<MemorySegment>();
        long from = 0;
        long apart = 0;
        for (int i = 0; i < items.size(); i++) {
            var item = items.get(i);
            if (!reduced.get(i)) {
                long offset = item.position() - apart;
                pieces.add(stream.asSlice(from, offset - from));
                from = offset;
                pieces.add(item.data());
                pieces.add(PADDING.asSlice(0, item.paddedLength() - item.data().byteSize()));
            }
            apart += item.paddedLength();
        }
        pieces.add(stream.asSlice(from));
        pieces.removeIf(piece -> piece.byteSize() == 0);
        return new PayloadPieces(pieces);
    }

    /** Bytes in all. */
    public long length() {
        return length;
    }

    /** The pieces, in order; none is empty. */
    public List<MemorySegment> pieces() {
        return pieces;
    }

    /** The pieces of {@code count} bytes from {@code from} on. */
    public List<MemorySegment> range(long from, long count) {
        if (from == 0 && count == length) {
            return pieces;
        }
        var range = new ArrayList<MemorySegment>();
        long start = 0;
        for (var piece : pieces) {
            long end = start + piece.byteSize();
            long low = Math.max(from, start);
            long high = Math.min(from + count, end);
            if (low < high) {
                range.add(piece.asSlice(low - start, high - low));
            }
            start = end;
        }
        return range;
    }

    /** Copies the whole stream to the start of {@code target}. */
    public void copyTo(MemorySegment target) {
        long at = 0;
        for (var piece : pieces) {
            MemorySegment.copy(piece, 0, target, at, piece.byteSize());
            at += piece.byteSize();
        }
    }
}
