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
 * four bytes (RFC 5044-4.1-2). The CRC covers all bytes before it, and its least significant byte
 * comes first (RFC 5044-4.4-1). If the sides agreed on no CRC, the field is present and means
 * nothing (RFC 5044-4.1-4, 5044-4.1-5). There are no markers (RFC 5044-4.3-2).
 *
 * @param bytes exactly one whole frame; not copied
 */
public record Fpdu(ByteBuffer bytes) {
    /** The length of the length field, in bytes. */
    public static final int LENGTH_BYTES = 2;

    /** The length of the CRC field, in bytes. */
    public static final int CRC_BYTES = 4;

    /** The most bytes of padding and CRC together. */
    public static final int TRAILER_MAX = 3 + CRC_BYTES;

    /** The longest ULPDU, in bytes. */
    public static final int ULPDU_MAX = 0xffff;

    /** Returns how many bytes of padding follow a ULPDU of this length. */
    public static int padding(int ulpduLength) {
        return -(LENGTH_BYTES + ulpduLength) & 3;
    }

    /** Returns the length of padding and CRC after a ULPDU of this length, in bytes. */
    public static int trailer(int ulpduLength) {
        return padding(ulpduLength) + CRC_BYTES;
    }

    /** Returns the length of a frame with a ULPDU of this length, in bytes. */
    public static int length(int ulpduLength) {
        return LENGTH_BYTES + ulpduLength + trailer(ulpduLength);
    }

    /** Returns the DDP segment as a view of the frame. */
    public ByteBuffer ulpdu() {
        int start = bytes.position();
        return bytes.slice(start + LENGTH_BYTES, bytes.getShort(start) & 0xffff);
    }

    /** Returns the content of the CRC field. */
    public int crcSent() {
        int at = bytes.limit() - CRC_BYTES;
        return bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN).getInt(at);
    }

    /** Computes the CRC of the frame, as it should be in the CRC field. */
    public int crcComputed() {
        var crc = new CRC32C();
        crc.update(bytes.slice(bytes.position(), bytes.remaining() - CRC_BYTES));
        return (int) crc.getValue();
    }
}
