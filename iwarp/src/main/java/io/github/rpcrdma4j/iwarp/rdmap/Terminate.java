package io.github.rpcrdma4j.iwarp.rdmap;

import io.github.rpcrdma4j.iwarp.ddp.DdpSegment;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * The message with which one side says why it ends the connection (RFC 5040-4.8-1).
 *
 * <pre>
 *   layer(4) type(4) | code(8) | M D R reserved(13)     then, as M, D and R say:
 *   DDP segment length(16) | DDP header(14 or 18) | RDMA Read header(28)
 * </pre>
 *
 * A known implementation swaps the halves of the first byte and puts M, D and R at the other end of
 * the third byte. The decoder recognizes the layout by the third byte. If that byte is zero, it
 * chooses the layout that gives a known fault.
 *
 * @param layer 0 is RDMAP, 1 is DDP, 2 is MPA
 * @param type the error type within the layer
 * @param code the error code within the type
 */
public record Terminate(int layer, int type, int code) {
    /** The length of the control word, the shortest message, in bytes. */
    public static final int BYTES = 4;

    /** The length of the longest message, which is about a Read Request, in bytes. */
    public static final int BYTES_MAX =
            BYTES + Short.BYTES + DdpSegment.UNTAGGED_BYTES + ReadRequest.BYTES;

    private static final int LENGTH_FLAG = 0x80;
    private static final int DDP_FLAG = 0x40;
    private static final int READ_FLAG = 0x20;

    /**
     * The segment that a message is about. The message returns its headers to the peer (RFC
     * 5040-4.8-2).
     *
     * @param length the length of the whole segment, in bytes
     * @param read the Read Request in the segment, if it was decoded; otherwise null
     */
    public record Offender(int length, DdpSegment header, ReadRequest read) {}

    private static final int LAYERS = 3;
    private static final int NIBBLE = 4;
    private static final int HIGH_FLAGS = 0xe0;
    private static final int LOW_FLAGS = 0x07;

    /** Returns the message that reports a fault. */
    public static Terminate of(Fault fault) {
        return new Terminate(fault.layer(), fault.type(), fault.code());
    }

    /**
     * Decodes the control word at the buffer's position. The caller has checked that {@link #BYTES}
     * bytes are there.
     */
    public static Terminate decode(ByteBuffer in) {
        int first = in.get() & 0xff;
        int code = in.get() & 0xff;
        int flags = in.get() & 0xff;
        in.get();
        int high = first >>> NIBBLE;
        int low = first & 0x0f;
        var plain = new Terminate(high, low, code);
        var swapped = new Terminate(low, high, code);
        if (flags != 0) {
            return (flags & HIGH_FLAGS) == 0 && (flags & LOW_FLAGS) != 0 ? swapped : plain;
        }
        boolean onlySwappedExists = plain.fault().isEmpty() && swapped.fault().isPresent();
        return high >= LAYERS || onlySwappedExists ? swapped : plain;
    }

    /**
     * Encodes the message.
     *
     * @param offender the segment at fault; null if the message is about none in particular
     */
    public void encode(ByteBuffer out, Offender offender) {
        out.put((byte) (layer << NIBBLE | type)).put((byte) code);
        if (offender == null) {
            out.putShort((short) 0);
            return;
        }
        int flags = LENGTH_FLAG | DDP_FLAG | (offender.read == null ? 0 : READ_FLAG);
        out.put((byte) flags).put((byte) 0).putShort((short) offender.length);
        offender.header.encode(out);
        if (offender.read != null) {
            offender.read.encode(out);
        }
    }

    /** Returns whether the peer refused a handle, bounds or access of this side. */
    public boolean refusesAccess() {
        return layer <= 1 && type == 1;
    }

    /** Returns the reported fault, if it is a known one. */
    public Optional<Fault> fault() {
        for (var fault : Fault.values()) {
            if (fault.layer() == layer && fault.type() == type && fault.code() == code) {
                return Optional.of(fault);
            }
        }
        return Optional.empty();
    }

    /** Returns the reason as text for a user. */
    public String description() {
        return fault().map(
                        known ->
                                "the peer ended the connection and says of this side: "
                                        + known.description())
                .orElseGet(
                        () ->
                                "the peer ended the connection (layer "
                                        + layer
                                        + ", type "
                                        + type
                                        + ", code "
                                        + code
                                        + ")");
    }
}
