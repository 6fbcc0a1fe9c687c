package io.github.rpcrdma4j.nfs.v4;

import io.github.rpcrdma4j.xdr.BulkItem;
import java.lang.foreign.MemorySegment;

/**
 * A bulk item of an operation: the data of WRITE or READ, or the text of a symbolic link (RFC
 * 8267-6.1-1).
 *
 * @param operation the index of its operation in the COMPOUND
 * @param ordinal in a call, the number of items before it; in a reply, the number of READ-class
 *     operations before it, which is the index of its Write chunk (RFC 8267-6.4.1-2)
 * @param position where its data starts in the unreduced stream, in bytes: the Position of its
 *     chunk (RFC 8166, Section 3.4.5) if the reader began at the start of the RPC message
 * @param data a view of its data, without padding, valid as long as the memory of the message and
 *     of the placed data
 */
public record OperationItem(int operation, int ordinal, long position, MemorySegment data) {
    /** Returns the item as the transport knows it. */
    BulkItem bulkItem() {
        return new BulkItem(position, data, ordinal);
    }

    /** Returns the length of its data without padding, in bytes. */
    public long length() {
        return data.byteSize();
    }
}
