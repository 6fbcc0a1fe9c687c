package io.github.rpcrdma4j.xdr;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * The payload stream of a message (RFC 8166, Section 3.2), as a list of memory segments. Ranges of
 * the encoded stream alternate with the bulk items that stay in it and their padding (RFC
 * 8166-3.5.3-6). Reduced items are left out with their padding (RFC 8166-3.4.4.4-2). Only {@link
 * #copyTo} copies data; the segments are views, valid as long as the memory below them.
 */
public final class PayloadStream {
    private static final int PADDING_MAX = 3;
    private static final MemorySegment PADDING = Arena.global().allocate(PADDING_MAX);

    private final List<MemorySegment> segments;
    private final long length;

    private PayloadStream(List<MemorySegment> segments) {
        this.segments = segments;
        long sum = 0;
        for (var segment : segments) {
            sum += segment.byteSize();
        }
        this.length = sum;
    }

    /** Returns a message that is one segment. */
    public static PayloadStream of(MemorySegment whole) {
        return new PayloadStream(List.of(whole));
    }

    /** Returns the whole message, with all of its bulk items in the stream. */
    public static PayloadStream of(XdrWriter message) {
        return of(message.reducedStream(), message.bulkItems(), new BitSet());
    }

    /**
     * Returns a message without its reduced items.
     *
     * @param stream the encoded message without its bulk items
     * @param items its bulk items, in order
     * @param reduced the indexes of the items that travel in chunks
     */
    public static PayloadStream of(MemorySegment stream, List<BulkItem> items, BitSet reduced) {
        if (reduced.cardinality() == items.size()) {
            return of(stream);
        }
        var segments = new ArrayList<MemorySegment>();
        long from = 0;
        long apart = 0;
        for (int i = 0; i < items.size(); i++) {
            var item = items.get(i);
            if (!reduced.get(i)) {
                long offset = item.position() - apart;
                segments.add(stream.asSlice(from, offset - from));
                from = offset;
                segments.add(item.data());
                segments.add(PADDING.asSlice(0, item.paddedLength() - item.data().byteSize()));
            }
            apart += item.paddedLength();
        }
        segments.add(stream.asSlice(from));
        segments.removeIf(segment -> segment.byteSize() == 0);
        return new PayloadStream(segments);
    }

    /** Returns the length of all segments together, in bytes. */
    public long length() {
        return length;
    }

    /** Returns the segments, in stream order. */
    public List<MemorySegment> segments() {
        return segments;
    }

    /** Returns the segments that hold the {@code count} bytes from offset {@code from} on. */
    public List<MemorySegment> range(long from, long count) {
        if (from == 0 && count == length) {
            return segments;
        }
        var range = new ArrayList<MemorySegment>();
        long start = 0;
        for (var segment : segments) {
            long end = start + segment.byteSize();
            long low = Math.max(from, start);
            long high = Math.min(from + count, end);
            if (low < high) {
                range.add(segment.asSlice(low - start, high - low));
            }
            start = end;
        }
        return range;
    }

    /** Copies the whole stream to the start of {@code target}. */
    public void copyTo(MemorySegment target) {
        long at = 0;
        for (var segment : segments) {
            MemorySegment.copy(segment, 0, target, at, segment.byteSize());
            at += segment.byteSize();
        }
    }
}
