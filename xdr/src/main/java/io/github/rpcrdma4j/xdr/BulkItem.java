package io.github.rpcrdma4j.xdr;

import java.lang.foreign.MemorySegment;

/**
 * A variable-length opaque whose data lies apart from the stream.
 *
 * @param offset where its data would start in the reduced stream, just behind its length word
 * @param position where its data would start in the unreduced stream: the Position of RFC 8166,
 *     Section 3.4.5
 * @param data the octets, without padding; owned as the writer's caller agreed
 * @param ordinal how many items come before it, with those that are absent
 */
public record BulkItem(long offset, long position, MemorySegment data, int ordinal) {
    /** How much longer the stream gets when this item is put back: data and padding, octets. */
    public long paddedLength() {
        return XdrWriter.roundUp(data.byteSize());
    }
}
