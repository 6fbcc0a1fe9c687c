package io.github.rpcrdma4j.iwarp.ddp;

import java.nio.ByteBuffer;

/**
 * The header of a DDP segment (RFC 5041-4.1-1, 5041-4.2-1, 5041-4.3-1), including the RDMAP control
 * field (RFC 5040-4.1-1). Decoding keeps the reserved bits and ignores them (RFC 5041-4.1-2).
 *
 * <pre>
 *   T L reserved(4) DV(2) | RV(2) reserved(2) opcode(4)         16 bits, DV = RV = 1
 *   tagged:    STag(32) | TO(64)                                14 bytes in all
 *   untagged:  invalidate STag(32) | QN(32) | MSN(32) | MO(32)  18 bytes in all
 * </pre>
 */
public sealed interface DdpSegment {
    /** RDMAP opcodes (RFC 5040, Section 4.1). */
    int WRITE = 0;

    int READ_REQUEST = 1;
    int READ_RESPONSE = 2;
    int SEND = 3;
    int SEND_INVALIDATE = 4;
    int SEND_SOLICITED = 5;
    int SEND_INVALIDATE_SOLICITED = 6;
    int TERMINATE = 7;

    /** Queues of untagged messages (RFC 5040-4.1-3). */
    int QUEUE_SEND = 0;

    int QUEUE_READ_REQUEST = 1;
    int QUEUE_TERMINATE = 2;

    /** The length of the control field, in bytes. */
    int CONTROL_BYTES = 2;

    int TAGGED_BYTES = 14;
    int UNTAGGED_BYTES = 18;

    int TAGGED_FLAG = 0x8000;
    int LAST_FLAG = 0x4000;
    int DDP_VERSION_SHIFT = 8;
    int RDMAP_VERSION_SHIFT = 6;
    int VERSION_MASK = 3;
    int OPCODE_MASK = 15;

    /** Returns the first 16 bits of the header, reserved bits included. */
    int control();

    /** The header of a segment whose payload goes to a buffer that the sender names. */
    record Tagged(int control, int stag, long offset) implements DdpSegment {}

    /**
     * The header of a segment whose payload goes to the next buffer of a queue.
     *
     * @param invalidate the STag to invalidate, for the opcodes that invalidate; otherwise zero
     *     (RFC 5040-4.1-4)
     */
    record Untagged(int control, int invalidate, int queue, int sequence, int offset)
            implements DdpSegment {}

    /** Returns the control field of the header at index {@code at}. */
    static int control(ByteBuffer in, int at) {
        return in.getShort(at) & 0xffff;
    }

    static boolean isTagged(int control) {
        return (control & TAGGED_FLAG) != 0;
    }

    static boolean isLast(int control) {
        return (control & LAST_FLAG) != 0;
    }

    /** Returns the STag of the tagged header at index {@code at}. */
    static int stag(ByteBuffer in, int at) {
        return in.getInt(at + CONTROL_BYTES);
    }

    /** Returns the offset of the tagged header at index {@code at}. */
    static long taggedOffset(ByteBuffer in, int at) {
        return in.getLong(at + CONTROL_BYTES + Integer.BYTES);
    }

    /** Returns the length of a header with this control field, in bytes. */
    static int headerBytes(int control) {
        return isTagged(control) ? TAGGED_BYTES : UNTAGGED_BYTES;
    }

    /** Returns the control field for a segment that this side sends. */
    static int control(boolean tagged, boolean last, int opcode) {
        return (tagged ? TAGGED_FLAG : 0)
                | (last ? LAST_FLAG : 0)
                | 1 << DDP_VERSION_SHIFT
                | 1 << RDMAP_VERSION_SHIFT
                | opcode;
    }

    default boolean isLast() {
        return isLast(control());
    }

    static int opcode(int control) {
        return control & OPCODE_MASK;
    }

    static int ddpVersion(int control) {
        return control >>> DDP_VERSION_SHIFT & VERSION_MASK;
    }

    static int rdmapVersion(int control) {
        return control >>> RDMAP_VERSION_SHIFT & VERSION_MASK;
    }

    default int opcode() {
        return opcode(control());
    }

    default int ddpVersion() {
        return ddpVersion(control());
    }

    default int rdmapVersion() {
        return rdmapVersion(control());
    }

    /** Returns whether this is a Send that invalidates a handle. */
    default boolean invalidates() {
        return opcode() == SEND_INVALIDATE || opcode() == SEND_INVALIDATE_SOLICITED;
    }

    /**
     * Decodes the header at the buffer's position and advances the position past it. Any bytes
     * decode. The caller has checked that {@link #headerBytes} bytes are there.
     */
    static DdpSegment decode(ByteBuffer in) {
        int at = in.position();
        int control = control(in, at);
        if (isTagged(control)) {
            in.position(at + TAGGED_BYTES);
            return new Tagged(control, stag(in, at), taggedOffset(in, at));
        }
        return decodeUntagged(in);
    }

    /** Decodes a header whose control field is known to be untagged. */
    static Untagged decodeUntagged(ByteBuffer in) {
        int control = in.getShort() & 0xffff;
        return new Untagged(control, in.getInt(), in.getInt(), in.getInt(), in.getInt());
    }

    /** Writes the header at the buffer's position and advances the position past it. */
    default void encode(ByteBuffer out) {
        switch (this) {
            case Tagged(var control, var stag, var offset) -> encode(control, stag, offset, out);
            case Untagged(var control, var invalidate, var queue, var sequence, var offset) ->
                    encode(control, invalidate, queue, sequence, offset, out);
        }
    }

    /** Writes a {@link Tagged} header with these fields. */
    static void encode(int control, int stag, long offset, ByteBuffer out) {
        out.putShort((short) control).putInt(stag).putLong(offset);
    }

    /** Writes an {@link Untagged} header with these fields. */
    static void encode(
            int control, int invalidate, int queue, int sequence, int offset, ByteBuffer out) {
        out.putShort((short) control);
        out.putInt(invalidate).putInt(queue).putInt(sequence).putInt(offset);
    }
}
