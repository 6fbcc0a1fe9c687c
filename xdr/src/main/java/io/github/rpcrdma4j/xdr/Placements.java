package io.github.rpcrdma4j.xdr;

import java.lang.foreign.MemorySegment;
import java.util.List;

/** Where the data of items lies that left its place in the stream. Not thread-safe. */
public interface Placements {
    /** Every item is in the stream. */
    Placements NONE =
            new Placements() {
                @Override
                public MemorySegment take(long position, long count) {
                    return null;
                }

                @Override
                public void skip() {}

                @Override
                public void finish() {}
            };

    /**
     * The data of the next bulk item of the stream.
     *
     * @param position where the data would start in the unreduced stream, in bytes
     * @param count the length word of the item
     * @return exactly {@code count} bytes, or null if they are in the stream
     * @throws XdrException if what was placed does not match the item
     */
    MemorySegment take(long position, long count) throws XdrException;

    /**
     * What was placed for a position and not taken yet, in the order of the positions; empty where
     * items are told apart in another way.
     */
    default List<BulkItem> untaken() {
        return List.of();
    }

    /**
     * How many bytes stand in the stream before the data of an opaque, to align it.
     *
     * @param at where its length word ends in the stream as it is, in bytes
     * @param count the length word
     */
    default long padding(long at, long count) {
        return 0;
    }

    /** Whether {@link #padding} is ever something. */
    default boolean isPadded() {
        return false;
    }

    /** The next bulk item has no data at all: its union took an arm without it. */
    void skip();

    /**
     * Called at the end of the stream.
     *
     * @throws XdrException if something was placed that belongs to no item
     */
    void finish() throws XdrException;
}
