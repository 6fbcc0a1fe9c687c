package io.github.rpcrdma4j.iwarp.mpa;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * The frame around every DDP segment (RFC 5044, Section 4).
 *
 * <pre>
 *   length(2) | ULPDU, length bytes | 0 to 3 bytes of padding | CRC32C(4)
 * </pre>
 *
 * The length counts the ULPDU alone (RFC 5044-4.1-1). The padding makes the frame a multiple of
 * four (RFC 5044-4.1-2). The CRC covers all before it and is stored with its least significant byte
 * first (RFC 5044-4.4-1); where no CRC was agreed on the field is there, and means nothing (RFC
 * 5044-4.1-4, 5044-4.1-5). There are no markers (RFC 5044-4.3-2).
 *
 * @param bytes a whole frame and nothing else; not copied
 */
public record Fpdu(ByteBuffer bytes) {
    /** The length field, in bytes. */
    public static final int LENGTH_BYTES = 2;

    /** The CRC field, in bytes. */
    public static final int CRC_BYTES = 4;

    /** The longest padding and the CRC, in bytes. */
    public static final int TRAILER_MAX = 3 + CRC_BYTES;

    /** The longest ULPDU, in bytes. */
    public static final int ULPDU_MAX = 0xffff;

    /** How many bytes of padding follow a ULPDU. */
    public static int padding(int ulpduLength) {
        return -(LENGTH_BYTES + ulpduLength) & 3;
    }

    /** Padding and CRC, in bytes. */
    public static int trailer(int ulpduLength) {
        return padding(ulpduLength) + CRC_BYTES;
    }

    /** The bytes of the frame whose ULPDU is that long. */
    public static int length(int ulpduLength) {
        return LENGTH_BYTES + ulpduLength + trailer(ulpduLength);
    }

    /** The DDP segment, as a view. */
    public ByteBuffer ulpdu() {
        int start = bytes.position();
        return bytes.slice(start + LENGTH_BYTES, bytes.getShort(start) & 0xffff);
    }

    /** What is in the CRC field. */
    public int crcSent() {
        int at = bytes.limit() - CRC_BYTES;
        return bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN).getInt(at);
    }

    /** What belongs into the CRC field. */
    public int crcComputed() {
        var crc = new CRC32C();
        crc.update(bytes.slice(bytes.position(), bytes.remaining() - CRC_BYTES));
        return (int) crc.getValue();
    }
}
