package io.github.rpcrdma4j.xdr;

import java.lang.foreign.MemorySegment;
import java.util.List;

/** The source of bulk data that was placed apart from the stream. Not thread-safe. */
public interface Placements {
    /** No placed data: every item is in the stream. */
    Placements NONE =
            new Placements() {
                @Override
                public MemorySegment take(long position, long count) {
                    return null;
                }

                @Override
                public void skipAbsent() {}

                @Override
                public void finish() {}
            };

    /**
     * Returns the data of the next bulk item of the stream.
     *
     * @param position where the data would start in the unreduced stream, in bytes
     * @param count the length word of the item
     * @return exactly {@code count} bytes, or null if they are in the stream
     * @throws XdrException if what was placed does not match the item
     */
    MemorySegment take(long position, long count) throws XdrException;

    /**
     * Returns whether the data of an item will be placed apart and has not arrived yet.
     *
     * @param position where the data would start in the unreduced stream, in bytes
     * @param count the length word of the item
     */
    default boolean awaits(long position, long count) {
        return false;
    }

    /**
     * Returns the placed items that are not taken yet, in the order of their positions. The list
     * stays as it is when they are taken. It is empty if the transport does not identify items by
     * position.
     */
    default List<BulkItem> remaining() {
        return List.of();
    }

    /**
     * Returns how many bytes precede the data of an opaque in the stream to align it.
     *
     * @param at where the length word of the opaque ends in the received stream, in bytes
     * @param count the value of the length word, in bytes
     */
    default long padding(long at, long count) {
        return 0;
    }

    /** Returns whether {@link #padding} can return anything but zero. */
    default boolean isPadded() {
        return false;
    }

    /** Skips the next bulk item, which is absent: its union took an arm without it. */
    void skipAbsent();

    /**
     * Checks, at the end of the stream, that the reader took all placed data.
     *
     * @throws XdrException if placed data belongs to no item
     */
    void finish() throws XdrException;
}
