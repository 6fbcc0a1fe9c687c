package io.github.rpcrdma4j.xdr;

import java.lang.foreign.MemorySegment;

/**
 * A variable-length opaque whose data lies apart from the stream.
 *
 * @param position where its data starts in the unreduced stream, in bytes: the Position of RFC
 *     8166, Section 3.4.5. In the reduced stream that is less by the padded lengths of the items
 *     before it.
 * @param data its bytes: where it is written, without padding; where it was received, with or
 *     without
 * @param ordinal how many items come before it, with those that are absent
 */
public record BulkItem(long position, MemorySegment data, int ordinal) {
    /** An item of which only the place in the stream counts. */
    public BulkItem(long position, MemorySegment data) {
        this(position, data, 0);
    }

    /** How much longer the stream gets when this item is put back: data and padding, in bytes. */
    public long paddedLength() {
        return XdrWriter.roundUp(data.byteSize());
    }
}
