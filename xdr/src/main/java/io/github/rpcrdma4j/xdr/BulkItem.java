package io.github.rpcrdma4j.xdr;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A variable-length opaque whose data lies apart from the stream.
 *
 * @param position where its data starts in the unreduced stream, in bytes: the Position of RFC
 *     8166, Section 3.4.5. The position in the reduced stream is smaller by the padded lengths of
 *     the items before it.
 * @param data its bytes: at a writer without padding, at a receiver with or without padding
 * @param ordinal the number of items before it, including absent ones
 * @param operation of a result: where the operation that returned it starts in the unreduced call
 *     message, in bytes; 0 for programs whose calls are not made of operations
 */
public record BulkItem(long position, MemorySegment data, int ordinal, long operation) {
    /** Creates an item of a program whose calls are not made of operations. */
    public BulkItem(long position, MemorySegment data, int ordinal) {
        this(position, data, ordinal, 0);
    }

    /** Creates an item for a user that needs its position and not its ordinal. */
    public BulkItem(long position, MemorySegment data) {
        this(position, data, 0);
    }

    /** Returns items in the order of their positions, in a list that does not change. */
    public static List<BulkItem> inOrder(List<BulkItem> items) {
        return items.size() < 2
                ? List.copyOf(items)
                : items.stream().sorted(Comparator.comparingLong(BulkItem::position)).toList();
    }

    /** Returns the item at a position; null if there is none. */
    public static BulkItem at(List<BulkItem> items, long position) {
        for (int i = 0; i < items.size(); i++) {
            if (items.get(i).position() == position) {
                return items.get(i);
            }
        }
        return null;
    }

    /** Returns a list, which does not change, of all items but the one at a position. */
    public static List<BulkItem> without(List<BulkItem> items, long position) {
        if (items.size() == 1) {
            return List.of();
        }
        var others = new ArrayList<BulkItem>(items.size());
        for (var item : items) {
            if (item.position() != position) {
                others.add(item);
            }
        }
        return others;
    }

    /**
     * Returns the data of a received item without padding.
     *
     * @param count the length word of the item, in bytes
     * @param holder what holds the data, for the message of a failure
     * @throws XdrException if it holds anything but the item with or without padding (RFC
     *     5666-3.4-9, 5666-3.7-4)
     */
    public MemorySegment data(long count, String holder) throws XdrException {
        long size = data.byteSize();
        if (size != count && size != XdrWriter.roundUp(count)) {
            throw new XdrException(holder + " is not as long as its item");
        }
        return data.asSlice(0, count);
    }

    /** Returns this item as a result of an operation that starts there in the call, in bytes. */
    public BulkItem of(long start) {
        return new BulkItem(position, data, ordinal, start);
    }

    /** Returns the length of its data with padding in the unreduced stream, in bytes. */
    public long paddedLength() {
        return XdrWriter.roundUp(data.byteSize());
    }
}
