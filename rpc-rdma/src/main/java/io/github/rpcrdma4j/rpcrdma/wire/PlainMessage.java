package io.github.rpcrdma4j.rpcrdma.wire;

import static io.github.rpcrdma4j.rpcrdma.wire.Version1HeaderCodec.CREDITS_AT;
import static io.github.rpcrdma4j.rpcrdma.wire.Version1HeaderCodec.PROC_AT;
import static io.github.rpcrdma4j.rpcrdma.wire.Version1HeaderCodec.UINT32;
import static io.github.rpcrdma4j.rpcrdma.wire.Version1HeaderCodec.VERSION_AT;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The plain message: an RDMA_MSG without chunks, which is by far the most frequent message. This
 * class recognizes and writes it without creating objects. {@link Received} and {@link
 * Version1HeaderCodec} give equal results for it, and handle all other messages.
 *
 * <pre>
 *   xid | 1 | credit | 0 | 0 0 0 |  xid | 0 call, 1 reply | ...
 * </pre>
 */
public final class PlainMessage {
    /** The offset of the RPC message in bytes. */
    public static final int HEADER_BYTES = Version1HeaderCodec.EMPTY_LISTS_BYTES;

    /** The longest small message, in bytes. The memory of small messages is reused. */
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
     * Decides which messages without chunks are plain, with their bulk data copied into them. For a
     * small message, the copy costs less than a Send with several elements.
     */
    public enum Rule {
        /** No messages. */
        NONE,
        /** Messages without bulk data. */
        WITHOUT_BULK_DATA,
        /** Messages without bulk data, and small messages with bulk data. */
        WITH_BULK_DATA;

        /**
         * Returns whether the rule includes a message.
         *
         * @param bytes the length of the RPC message in bytes
         */
        public boolean includes(boolean hasBulkData, long bytes) {
            return switch (this) {
                case NONE -> false;
                case WITHOUT_BULK_DATA -> !hasBulkData;
                case WITH_BULK_DATA -> !hasBulkData || bytes <= SMALL_BYTES;
            };
        }
    }

    private PlainMessage() {}

    /**
     * Returns whether a message is a plain call.
     *
     * @param buffer the memory that starts with the message
     * @param length the length of the message in bytes
     */
    public static boolean isCall(MemorySegment buffer, long length) {
        return is(buffer, length, CALL);
    }

    /** Returns whether a message is a plain reply. The parameters are those of {@link #isCall}. */
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

    /** Returns the XID of a plain message. */
    public static int xid(MemorySegment buffer) {
        return buffer.get(UINT32, 0);
    }

    /** Returns the credits that a plain message requests or grants, unsigned. */
    public static int credits(MemorySegment buffer) {
        return buffer.get(UINT32, CREDITS_AT);
    }

    /** Writes the transport header of a plain message. */
    public static void encode(int xid, int credits, MemorySegment target) {
        target.set(UINT32, 0, xid);
        target.set(UINT32, VERSION_AT, Version1Header.VERSION);
        target.set(UINT32, CREDITS_AT, credits);
        target.set(UINT64, PROC_AT, 0);
        target.set(UINT64, LISTS_AT + Integer.BYTES, 0);
    }
}
