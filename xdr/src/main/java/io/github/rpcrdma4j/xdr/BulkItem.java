package io.github.rpcrdma4j.xdr;

import java.lang.foreign.MemorySegment;

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

    /** Returns this item as a result of an operation that starts there in the call, in bytes. */
    public BulkItem of(long start) {
        return new BulkItem(position, data, ordinal, start);
    }

    /** Returns the length of its data with padding in the unreduced stream, in bytes. */
    public long paddedLength() {
        return XdrWriter.roundUp(data.byteSize());
    }
}
