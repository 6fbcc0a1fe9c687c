package io.github.rpcrdma4j.rpcrdma.wire;

import java.util.Optional;

/**
 * The private data that each side sends when it connects (RFC 8797-4-4).
 *
 * <pre>
 *   f6 ab 0e 18 | version 1 | reserved(7) R | send size | receive size
 *                                             size = (value + 1) * 1024
 * </pre>
 *
 * @param remoteInvalidation the R bit: the sender of this data accepts Send With Invalidate
 * @param sendSize the longest Send that the sender of this data makes, in bytes
 * @param receiveSize the longest Send that the sender of this data accepts, in bytes
 */
public record PrivateData(boolean remoteInvalidation, int sendSize, int receiveSize) {
    /** The length on the wire in bytes. */
    public static final int BYTES = 8;

    /** The values for a peer without private data (RFC 8797-5.1-1, 8166-3.3.3-3). */
    public static final PrivateData ABSENT = new PrivateData(false, 1024, 1024);

    private static final int IDENTIFIER = 0xf6ab0e18;
    private static final int VERSION = 1;
    private static final int VERSION_AT = 4;
    private static final int FLAGS_AT = 5;
    private static final int SEND_SIZE_AT = 6;
    private static final int RECEIVE_SIZE_AT = 7;
    private static final int UNIT = 1024;
    private static final int SIZE_MAX = 256 * UNIT;

    public PrivateData {
        requireSize(sendSize);
        requireSize(receiveSize);
    }

    private static void requireSize(int size) {
        if (size < UNIT || size > SIZE_MAX || size % UNIT != 0) {
            throw new IllegalArgumentException(
                    "an inline size is a multiple of 1024 from 1024 to 262144: " + size);
        }
    }

    public byte[] encode() {
        return new byte[] {
            (byte) (IDENTIFIER >>> 24),
            (byte) (IDENTIFIER >>> 16),
            (byte) (IDENTIFIER >>> 8),
            (byte) IDENTIFIER,
            VERSION,
            // RFC 8797-4-5: the other bits are zero.
            (byte) (remoteInvalidation ? 1 : 0),
            // RFC 8797-4.2-1.
            (byte) (sendSize / UNIT - 1),
            (byte) (receiveSize / UNIT - 1)
        };
    }

    /**
     * Finds private data anywhere in the bytes that arrived with the connection, because other
     * layers may have put bytes in front (RFC 8797-5.2-1).
     *
     * @return empty if there is none of a known version (RFC 8797-5.2-2)
     */
    public static Optional<PrivateData> find(byte[] bytes) {
        for (int at = 0; at + BYTES <= bytes.length; at++) {
            // RFC 8797-5.2-3.
            if (word(bytes, at) == IDENTIFIER && bytes[at + VERSION_AT] == VERSION) {
                return Optional.of(
                        new PrivateData(
                                (bytes[at + FLAGS_AT] & 1) != 0,
                                size(bytes[at + SEND_SIZE_AT]),
                                size(bytes[at + RECEIVE_SIZE_AT])));
            }
        }
        return Optional.empty();
    }

    private static int word(byte[] bytes, int at) {
        return (bytes[at] & 0xff) << 24
                | (bytes[at + 1] & 0xff) << 16
                | (bytes[at + 2] & 0xff) << 8
                | (bytes[at + 3] & 0xff);
    }

    private static int size(byte code) {
        // RFC 8797-4.2-2.
        return ((code & 0xff) + 1) * UNIT;
    }
}
