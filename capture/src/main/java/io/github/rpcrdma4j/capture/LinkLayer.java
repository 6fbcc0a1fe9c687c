package io.github.rpcrdma4j.capture;

import java.nio.ByteBuffer;
import java.util.Optional;

/** The link-layer headers before an IP packet, by the link type of the capture. */
public final class LinkLayer {
    /** Ethernet. */
    public static final int ETHERNET = 1;

    static final int ETHERNET_BYTES = 14;
    static final int IPV4 = 0x0800;
    static final int IPV6 = 0x86dd;

    /** BSD loopback: an address family in the byte order of the capturing machine. */
    private static final int NULL = 0;

    /** {@link #NULL} in network byte order. */
    private static final int LOOP = 108;

    /** IP without a link-layer header. */
    private static final int RAW = 101;

    private static final int RAW_BSD = 12;
    private static final int RAW_OPENBSD = 14;
    private static final int RAW_IPV4 = 228;
    private static final int RAW_IPV6 = 229;

    /** Linux cooked capture, of all interfaces at once. */
    private static final int COOKED = 113;

    private static final int COOKED_V2 = 276;

    private static final int VLAN = 0x8100;
    private static final int SERVICE_VLAN = 0x88a8;
    private static final int VLAN_BYTES = 4;
    private static final int VLANS_MAX = 4;
    private static final int FAMILY_BYTES = 4;
    private static final int COOKED_BYTES = 16;
    private static final int COOKED_TYPE_AT = 14;
    private static final int COOKED_V2_BYTES = 20;
    private static final int COOKED_V2_TYPE_AT = 0;

    private LinkLayer() {}

    /** Returns whether packets of this link type can be decoded. */
    public static boolean knows(int linkType) {
        return switch (linkType) {
            case ETHERNET,
                    NULL,
                    LOOP,
                    RAW,
                    RAW_BSD,
                    RAW_OPENBSD,
                    RAW_IPV4,
                    RAW_IPV6,
                    COOKED,
                    COOKED_V2 ->
                    true;
            default -> false;
        };
    }

    /** Returns the IP packet as a view; empty if there is none or the link type is unknown. */
    static Optional<ByteBuffer> ip(int linkType, ByteBuffer packet) {
        return switch (linkType) {
            case ETHERNET -> ethernet(packet);
            case COOKED -> typed(packet, COOKED_TYPE_AT, COOKED_BYTES);
            case COOKED_V2 -> typed(packet, COOKED_V2_TYPE_AT, COOKED_V2_BYTES);
            // The address family is skipped: its values differ between systems, and the IP version
            // suffices.
            case NULL, LOOP -> from(packet, FAMILY_BYTES);
            case RAW, RAW_BSD, RAW_OPENBSD, RAW_IPV4, RAW_IPV6 -> from(packet, 0);
            default -> Optional.empty();
        };
    }

    private static Optional<ByteBuffer> ethernet(ByteBuffer packet) {
        int typeAt = ETHERNET_BYTES - Short.BYTES;
        for (int i = 0; i < VLANS_MAX && packet.remaining() >= typeAt + Short.BYTES; i++) {
            int type = packet.getShort(packet.position() + typeAt) & 0xffff;
            if (type != VLAN && type != SERVICE_VLAN) {
                break;
            }
            typeAt += VLAN_BYTES;
        }
        return typed(packet, typeAt, typeAt + Short.BYTES);
    }

    private static Optional<ByteBuffer> typed(ByteBuffer packet, int typeAt, int headerBytes) {
        if (packet.remaining() < headerBytes) {
            return Optional.empty();
        }
        int type = packet.getShort(packet.position() + typeAt) & 0xffff;
        return type == IPV4 || type == IPV6 ? from(packet, headerBytes) : Optional.empty();
    }

    private static Optional<ByteBuffer> from(ByteBuffer packet, int headerBytes) {
        return packet.remaining() > headerBytes
                ? Optional.of(
                        packet.slice(
                                packet.position() + headerBytes, packet.remaining() - headerBytes))
                : Optional.empty();
    }
}
