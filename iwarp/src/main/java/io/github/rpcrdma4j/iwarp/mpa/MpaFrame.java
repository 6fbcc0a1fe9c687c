package io.github.rpcrdma4j.iwarp.mpa;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/**
 * A connection set-up frame (RFC 5044, Section 7.1; RFC 6581, Section 9).
 *
 * <pre>
 *   0       key, 16 bytes: "MPA ID Req Frame" or "MPA ID Rep Frame"
 *   16      M C R S 0 0 0 0 | revision
 *   18      length of what follows, at most 512
 *   20      with S: A B IRD(14) | C D ORD(14)
 *   20, 24  private data
 * </pre>
 *
 * @param isReply whether the key is that of a reply
 * @param markers M: the sender wants to receive markers
 * @param crc C: the sender wants a CRC in every FPDU
 * @param rejected R: the responder refuses the connection; only in a reply
 * @param revision 1 or 2; other values decode too, and the receiver judges them
 * @param enhanced the data of RFC 6581, present if S is set and the revision is 2 or higher (RFC
 *     6581-6-1, 6581-9-1)
 * @param privateData for the upper layer; not copied
 */
public record MpaFrame(
        boolean isReply,
        boolean markers,
        boolean crc,
        boolean rejected,
        int revision,
        Optional<Enhanced> enhanced,
        byte[] privateData) {
    /** The length of key, flags, revision and length, in bytes. */
    public static final int HEADER_BYTES = 20;

    /** The most bytes after the header. */
    public static final int DATA_MAX = 512;

    /** The largest RDMA Read depth that the enhanced data can express. */
    public static final int READS_MAX = 0x3fff;

    private static final int KEY_BYTES = 16;
    private static final byte[] REQUEST_KEY =
            "MPA ID Req Frame".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] REPLY_KEY = "MPA ID Rep Frame".getBytes(StandardCharsets.US_ASCII);
    private static final int MARKERS = 0x80;
    private static final int CRC = 0x40;
    private static final int REJECTED = 0x20;
    private static final int ENHANCED = 0x10;
    private static final int ENHANCED_REVISION = 2;
    private static final int HIGH = 0x8000;
    private static final int LOW = 0x4000;

    /**
     * The enhanced connection data of RFC 6581.
     *
     * @param peerToPeer A: the initiator sends a ready-to-receive frame first
     * @param sendRtr B: that frame may be an empty Send
     * @param writeRtr C: that frame may be an empty RDMA Write
     * @param readRtr D: that frame may be an empty RDMA Read
     * @param inboundReads IRD: how many RDMA Reads the sender accepts at a time
     * @param outboundReads ORD: how many RDMA Reads the sender issues at a time
     */
    public record Enhanced(
            boolean peerToPeer,
            boolean sendRtr,
            boolean writeRtr,
            boolean readRtr,
            int inboundReads,
            int outboundReads) {
        /** The length of the data on the wire, in bytes. */
        public static final int BYTES = 4;

        public Enhanced {
            if ((inboundReads & ~READS_MAX) != 0 || (outboundReads & ~READS_MAX) != 0) {
                throw new IllegalArgumentException("a depth has 14 bits");
            }
        }

        /** Returns data with these depths and without peer-to-peer flags. */
        public static Enhanced ofDepths(int inboundReads, int outboundReads) {
            return new Enhanced(false, false, false, false, inboundReads, outboundReads);
        }
    }

    /** The result of decoding the bytes received so far. */
    public sealed interface Decoded {
        /** A complete frame of {@code length} bytes. */
        record Whole(MpaFrame frame, int length) implements Decoded {}

        /** An incomplete frame of at least {@code length} bytes. */
        record Incomplete(int length) implements Decoded {}

        /** Bytes that start no valid frame. */
        record Malformed(String why) implements Decoded {}
    }

    /**
     * Decodes the bytes received so far; more may follow.
     *
     * @param bytes the received bytes, from the start of the stream
     * @param count how many bytes of the array were received
     */
    public static Decoded decode(byte[] bytes, int count) {
        boolean request = isPrefix(bytes, count, REQUEST_KEY);
        // RFC 5044-7.1.1-1.
        if (!request && !isPrefix(bytes, count, REPLY_KEY)) {
            return new Decoded.Malformed("it does not start with an MPA key");
        }
        if (count < HEADER_BYTES) {
            return new Decoded.Incomplete(HEADER_BYTES);
        }
        int dataLength = word(bytes, HEADER_BYTES - 2);
        // RFC 5044-7.1.1-6.
        if (dataLength > DATA_MAX) {
            return new Decoded.Malformed("its private data is longer than 512 bytes");
        }
        int length = HEADER_BYTES + dataLength;
        if (count < length) {
            return new Decoded.Incomplete(length);
        }
        int flags = bytes[KEY_BYTES];
        int from = HEADER_BYTES;
        Optional<Enhanced> enhanced = Optional.empty();
        int revision = bytes[KEY_BYTES + 1] & 0xff;
        // In revision 1 the bit is reserved and ignored, like all reserved bits (RFC 5044-7.1.1-4).
        if ((flags & ENHANCED) != 0 && revision >= ENHANCED_REVISION) {
            if (dataLength < Enhanced.BYTES) {
                return new Decoded.Malformed("its enhanced data is missing");
            }
            enhanced = Optional.of(enhanced(word(bytes, from), word(bytes, from + 2)));
            from += Enhanced.BYTES;
        }
        return new Decoded.Whole(
                new MpaFrame(
                        !request,
                        (flags & MARKERS) != 0,
                        (flags & CRC) != 0,
                        (flags & REJECTED) != 0,
                        revision,
                        enhanced,
                        Arrays.copyOfRange(bytes, from, length)),
                length);
    }

    private static Enhanced enhanced(int inbound, int outbound) {
        return new Enhanced(
                (inbound & HIGH) != 0,
                (inbound & LOW) != 0,
                (outbound & HIGH) != 0,
                (outbound & LOW) != 0,
                inbound & READS_MAX,
                outbound & READS_MAX);
    }

    private static boolean isPrefix(byte[] bytes, int count, byte[] key) {
        int length = Math.min(count, KEY_BYTES);
        return Arrays.equals(bytes, 0, length, key, 0, length);
    }

    private static int word(byte[] bytes, int at) {
        return (bytes[at] & 0xff) << 8 | (bytes[at + 1] & 0xff);
    }

    /**
     * Returns the frame as it appears on the wire.
     *
     * @throws IllegalArgumentException if the private data does not fit
     */
    public byte[] encode() {
        int dataLength = privateData.length + (enhanced.isPresent() ? Enhanced.BYTES : 0);
        if (dataLength > DATA_MAX) {
            throw new IllegalArgumentException(
                    "the private data is longer than " + DATA_MAX + " bytes");
        }
        byte[] bytes = Arrays.copyOf(isReply ? REPLY_KEY : REQUEST_KEY, HEADER_BYTES + dataLength);
        bytes[KEY_BYTES] =
                (byte)
                        ((markers ? MARKERS : 0)
                                | (crc ? CRC : 0)
                                | (rejected ? REJECTED : 0)
                                | (enhanced.isPresent() ? ENHANCED : 0));
        bytes[KEY_BYTES + 1] = (byte) revision;
        put(bytes, HEADER_BYTES - 2, dataLength);
        int at = HEADER_BYTES;
        if (enhanced.isPresent()) {
            var data = enhanced.get();
            put(bytes, at, flags(data.peerToPeer, data.sendRtr) | data.inboundReads);
            put(bytes, at + 2, flags(data.writeRtr, data.readRtr) | data.outboundReads);
            at += Enhanced.BYTES;
        }
        System.arraycopy(privateData, 0, bytes, at, privateData.length);
        return bytes;
    }

    private static int flags(boolean high, boolean low) {
        return (high ? HIGH : 0) | (low ? LOW : 0);
    }

    private static void put(byte[] bytes, int at, int word) {
        bytes[at] = (byte) (word >>> 8);
        bytes[at + 1] = (byte) word;
    }
}
