package io.github.rpcrdma4j.rpcrdma.wire;

import static io.github.rpcrdma4j.rpcrdma.wire.Version1HeaderCodec.CREDITS_AT;
import static io.github.rpcrdma4j.rpcrdma.wire.Version1HeaderCodec.PROC_AT;
import static io.github.rpcrdma4j.rpcrdma.wire.Version1HeaderCodec.UINT32;
import static io.github.rpcrdma4j.rpcrdma.wire.Version1HeaderCodec.VERSION_AT;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The most frequent of all messages, an RDMA_MSG without chunks, told and written without an object
 * in between. {@link Received} and {@link Version1HeaderCodec} say the same of it, only with more
 * words; what is not plain is for them.
 *
 * <pre>
 *   xid | 1 | credit | 0 | 0 0 0 |  xid | 0 call, 1 reply | ...
 * </pre>
 */
public final class PlainMessage {
    /** Where the RPC message starts, in bytes. */
    public static final int HEADER_BYTES = Version1HeaderCodec.EMPTY_LISTS_BYTES;

    /** A message up to this length is small, in bytes: its memory is kept for another. */
    public static final int SMALL_BYTES = 8192;

    /** The types of an RPC message. */
    static final int CALL = 0;

    static final int REPLY = 1;

    private static final int LISTS_AT = Version1HeaderCodec.FIXED_BYTES;
    private static final int TYPE_AT = HEADER_BYTES + 4;
    private static final int BYTES_MIN = TYPE_AT + 4;
    private static final ValueLayout.OfLong UINT64 =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    /**
     * Which messages without chunks travel plainly, with their bulk data copied into them: for a
     * little that costs less than a Send of several pieces.
     */
    public enum Which {
        /** None. */
        NONE,
        /** Those without bulk data. */
        WITHOUT_BULK_DATA,
        /** Those that are small, too. */
        WITH_BULK_DATA;

        /**
         * Whether a message is one of them.
         *
         * @param bytes of the RPC message
         */
        public boolean takes(boolean hasBulkData, long bytes) {
            return switch (this) {
                case NONE -> false;
                case WITHOUT_BULK_DATA -> !hasBulkData;
                case WITH_BULK_DATA -> !hasBulkData || bytes <= SMALL_BYTES;
            };
        }
    }

    private PlainMessage() {}

    /**
     * Whether a message is a plain call.
     *
     * @param buffer what it lies in, from its start
     * @param length its bytes
     */
    public static boolean isCall(MemorySegment buffer, long length) {
        return is(buffer, length, CALL);
    }

    /** Whether a message is a plain reply; else like {@link #isCall}. */
    public static boolean isReply(MemorySegment buffer, long length) {
        return is(buffer, length, REPLY);
    }

    private static boolean is(MemorySegment buffer, long length, int type) {
        return length >= BYTES_MIN
                && buffer.get(UINT32, VERSION_AT) == Version1Header.VERSION
                && buffer.get(UINT64, PROC_AT) == 0
                && buffer.get(UINT64, LISTS_AT + Integer.BYTES) == 0
                && buffer.get(UINT32, HEADER_BYTES) == buffer.get(UINT32, 0)
                && buffer.get(UINT32, TYPE_AT) == type;
    }

    /** The transaction of a plain message. */
    public static int xid(MemorySegment buffer) {
        return buffer.get(UINT32, 0);
    }

    /** The credits that a plain message asks for or grants; unsigned. */
    public static int credits(MemorySegment buffer) {
        return buffer.get(UINT32, CREDITS_AT);
    }

    /** Writes the header of a plain message. */
    public static void encode(int xid, int credits, MemorySegment target) {
        target.set(UINT32, 0, xid);
        target.set(UINT32, VERSION_AT, Version1Header.VERSION);
        target.set(UINT32, CREDITS_AT, credits);
        target.set(UINT64, PROC_AT, 0);
        target.set(UINT64, LISTS_AT + Integer.BYTES, 0);
    }
}
