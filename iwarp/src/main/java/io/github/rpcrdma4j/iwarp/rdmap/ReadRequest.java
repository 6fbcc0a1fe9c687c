package io.github.rpcrdma4j.iwarp.rdmap;

import java.nio.ByteBuffer;

/**
 * The message of an RDMA Read Request (RFC 5040-4.4-1).
 *
 * <pre>
 *   sink STag(32) | sink TO(64) | size(32) | source STag(32) | source TO(64)
 * </pre>
 *
 * @param size how many bytes to read, unsigned 32 bits
 */
public record ReadRequest(
        int sinkStag, long sinkOffset, int size, int sourceStag, long sourceOffset) {
    /** The length on the wire, in bytes. */
    public static final int BYTES = 28;

    /**
     * Decodes the message at the buffer's position. The caller has checked that {@link #BYTES}
     * bytes are there.
     */
    public static ReadRequest decode(ByteBuffer in) {
        return new ReadRequest(in.getInt(), in.getLong(), in.getInt(), in.getInt(), in.getLong());
    }

    public void encode(ByteBuffer out) {
        out.putInt(sinkStag).putLong(sinkOffset).putInt(size);
        out.putInt(sourceStag).putLong(sourceOffset);
    }
}
