package io.github.rpcrdma4j.gateway;

import io.github.rpcrdma4j.xdr.BulkItem;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * The end of a message that another program has encoded, in the order of its unreduced stream (RFC
 * 8166, Section 3.2). All parts are views. Immutable.
 */
final class EncodedParts {
    private static final MemorySegment PADDING =
            MemorySegment.ofArray(new byte[Integer.BYTES]).asReadOnly();

    /**
     * A part of the stream.
     *
     * @param item the bulk item that it is, or null
     */
    private record Part(MemorySegment data, BulkItem item) {}

    private final List<Part> parts;

    private EncodedParts(List<Part> parts) {
        this.parts = parts;
    }

    /**
     * Divides a stream at its bulk items.
     *
     * @param stream views of the whole unreduced stream, from {@code start} on
     * @param start the position of the first byte, in bytes
     * @param items the bulk items in the stream, in order
     */
    static EncodedParts of(List<MemorySegment> stream, long start, List<BulkItem> items) {
        var parts = new ArrayList<Part>();
        var cursor = new Cursor(stream);
        long at = start;
        for (var item : items) {
            cursor.take(item.position() - at, parts);
            cursor.skip(item.paddedLength());
            parts.add(new Part(item.data(), item));
            at = item.position() + item.paddedLength();
        }
        cursor.take(Long.MAX_VALUE, parts);
        return new EncodedParts(List.copyOf(parts));
    }

    /**
     * Divides a stream from which some of its bulk items were left out, because they were placed in
     * other memory.
     */
    static EncodedParts ofReduced(MemorySegment stream, long start, List<BulkItem> items) {
        var whole = new ArrayList<MemorySegment>();
        long from = 0;
        long apart = 0;
        for (var item : items) {
            if (stream.asOverlappingSlice(item.data()).isEmpty()) {
                long to = item.position() - start - apart;
                whole.add(stream.asSlice(from, to - from));
                whole.add(item.data());
                whole.add(PADDING.asSlice(0, item.paddedLength() - item.data().byteSize()));
                from = to;
                apart += item.paddedLength();
            }
        }
        whole.add(stream.asSlice(from));
        return of(whole, start, items);
    }

    /**
     * Writes the stream. It copies all but the bulk items, whose ordinals and operations stay. The
     * memory of these must not change until the transport is done with it.
     */
    void write(XdrWriter out) {
        int ordinal = 0;
        for (var part : parts) {
            if (part.item() == null) {
                out.encoded(part.data());
                continue;
            }
            for (; ordinal < part.item().ordinal(); ordinal++) {
                out.absentBulk();
            }
            out.operation(part.item().operation()).fixedBulk(part.data());
            ordinal++;
        }
    }

    /** A position in a list of views. Not thread-safe. */
    private static final class Cursor {
        private final List<MemorySegment> stream;
        private int index;
        private long offset;

        Cursor(List<MemorySegment> stream) {
            this.stream = stream;
        }

        void skip(long count) {
            take(count, new ArrayList<>());
        }

        /** Adds views of the next bytes to some parts; of fewer bytes if the stream ends. */
        void take(long count, List<Part> parts) {
            for (long left = count; left > 0 && index < stream.size(); ) {
                var piece = stream.get(index);
                long bytes = Math.min(left, piece.byteSize() - offset);
                if (bytes > 0) {
                    parts.add(new Part(piece.asSlice(offset, bytes), null));
                }
                left -= bytes;
                offset += bytes;
                if (offset == piece.byteSize()) {
                    index++;
                    offset = 0;
                }
            }
        }
    }
}
