package io.github.rpcrdma4j.rpcrdma.rfc5666.wire;

import io.github.rpcrdma4j.xdr.BulkItem;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A message with the padding of an RDMA_MSGP (RFC 5666, Section 3.9): the data of its long bulk
 * items starts at the alignment that the receiver prefers. Nothing is copied; the pieces are valid
 * as long as the memory they lie in.
 *
 * @param pieces the pieces of the message in order; none is empty
 * @param length the total length, in bytes
 */
public record AlignedPayload(List<MemorySegment> pieces, long length) {
    /** The largest alignment that a sender uses, in bytes; receivers accept more. */
    public static final int ALIGN_MAX = 4096;

    private static final MemorySegment ZEROS = Arena.global().allocate(ALIGN_MAX);

    /**
     * Pads a message whose bulk items all travel inline.
     *
     * @param stream the message without its bulk items
     * @param items its bulk items, in order
     * @return empty if there is nothing to pad. It is also empty if the stream is as long as the
     *     threshold: some other opaque in it could be as long, and a receiver would look for
     *     padding before it.
     * @throws IllegalArgumentException if the alignment exceeds {@link #ALIGN_MAX}
     */
    public static Optional<AlignedPayload> of(
            Alignment alignment, MemorySegment stream, List<BulkItem> items) {
        long threshold = Integer.toUnsignedLong(alignment.threshold());
        if (stream.byteSize() >= threshold
                || items.stream().noneMatch(item -> item.data().byteSize() >= threshold)) {
            return Optional.empty();
        }
        if (Integer.toUnsignedLong(alignment.align()) > ALIGN_MAX) {
            throw new IllegalArgumentException("align must be at most " + ALIGN_MAX);
        }
        var pieces = new ArrayList<MemorySegment>();
        long length = 0;
        long from = 0;
        long apart = 0;
        for (var item : items) {
            var data = item.data();
            long offset = item.position() - apart;
            length += add(stream.asSlice(from, offset - from), pieces);
            length += add(ZEROS.asSlice(0, alignment.padding(length, data.byteSize())), pieces);
            length += add(data, pieces);
            length += add(ZEROS.asSlice(0, item.paddedLength() - data.byteSize()), pieces);
            from = offset;
            apart += item.paddedLength();
        }
        length += add(stream.asSlice(from), pieces);
        return Optional.of(new AlignedPayload(pieces, length));
    }

    private static long add(MemorySegment piece, List<MemorySegment> pieces) {
        if (piece.byteSize() > 0) {
            pieces.add(piece);
        }
        return piece.byteSize();
    }

    /** Copies the message to the start of {@code target}. */
    public void copyTo(MemorySegment target) {
        long at = 0;
        for (var piece : pieces) {
            MemorySegment.copy(piece, 0, target, at, piece.byteSize());
            at += piece.byteSize();
        }
    }
}
