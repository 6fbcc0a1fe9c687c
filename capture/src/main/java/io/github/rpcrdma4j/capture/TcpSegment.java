package io.github.rpcrdma4j.capture;

import java.nio.ByteBuffer;

/**
 * A TCP segment (RFC 9293, Section 3.1) in the IP packet that carried it.
 *
 * <pre>
 *   IPv4   4 hdr(4) tos(8) length(16) | id(16) flags(3) offset(13) | ttl protocol checksum(16)
 *          | source(32) | destination(32) | options
 *   IPv6   6 class flow | length(16) next(8) hops(8) | source(128) | destination(128) | extensions
 *   TCP    source port(16) destination port(16) | sequence(32) | acknowledgment(32)
 *          | hdr(4) 0(4) flags(8) window(16) | checksum(16) urgent(16) | options | payload
 * </pre>
 *
 * @param length the length of the payload as it was sent, in bytes
 * @param payload the captured part of the payload; a view
 */
public record TcpSegment(
        Endpoint from,
        Endpoint to,
        int sequence,
        int acknowledgment,
        int flags,
        int length,
        ByteBuffer payload) {
    public static final int FIN = 0x01;
    public static final int SYN = 0x02;
    public static final int RST = 0x04;
    public static final int PSH = 0x08;
    public static final int ACK = 0x10;

    /** The longest payload for {@link #encode}, in bytes: IPv4 has a length field of 16 bits. */
    public static final int ENCODED_MAX = 0xffff - 40;

    private static final int TCP = 6;
    private static final int IPV4_BYTES = 20;
    private static final int IPV6_BYTES = 40;
    private static final int TCP_BYTES = 20;
    private static final int FRAGMENT_MASK = 0x3fff;
    private static final int EXTENSIONS_MAX = 8;
    private static final int HOP_BY_HOP = 0;
    private static final int ROUTING = 43;
    private static final int FRAGMENT = 44;
    private static final int DESTINATION = 60;
    private static final int HOPS = 64;
    private static final int WINDOW = 0xffff;

    /** The result of decoding a packet. */
    public sealed interface Decoded {
        record Tcp(TcpSegment segment) implements Decoded {}

        /** A fragment of an IP packet, possibly of one with TCP. */
        record Fragment() implements Decoded {}

        /** A packet without TCP, or one that is too short or damaged to decode. */
        record Other() implements Decoded {}
    }

    private static final Decoded OTHER = new Decoded.Other();

    /** Decodes a packet of this link type. */
    public static Decoded decode(int linkType, ByteBuffer packet) {
        var ip = LinkLayer.ip(linkType, packet).orElse(null);
        if (ip == null) {
            return OTHER;
        }
        return switch (ip.get(0) >>> 4 & 0x0f) {
            case 4 -> ipv4(ip);
            case 6 -> ipv6(ip);
            default -> OTHER;
        };
    }

    private static Decoded ipv4(ByteBuffer ip) {
        int headerBytes = (ip.get(0) & 0x0f) * 4;
        if (headerBytes < IPV4_BYTES || ip.remaining() < headerBytes || ip.get(9) != TCP) {
            return OTHER;
        }
        if ((ip.getShort(6) & FRAGMENT_MASK) != 0) {
            return new Decoded.Fragment();
        }
        int total = ip.getShort(2) & 0xffff;
        // With segmentation offload, a captured packet can be too long for its length field.
        int length = (total == 0 ? ip.remaining() : total) - headerBytes;
        return tcp(ip, headerBytes, length, address(ip, 12, 4), address(ip, 16, 4));
    }

    private static Decoded ipv6(ByteBuffer ip) {
        if (ip.remaining() < IPV6_BYTES) {
            return OTHER;
        }
        int total = ip.getShort(4) & 0xffff;
        int end = total == 0 ? ip.remaining() : IPV6_BYTES + total;
        int next = ip.get(6) & 0xff;
        int at = IPV6_BYTES;
        for (int i = 0; i < EXTENSIONS_MAX && next != TCP; i++) {
            if (next == FRAGMENT) {
                return new Decoded.Fragment();
            }
            if ((next != HOP_BY_HOP && next != ROUTING && next != DESTINATION)
                    || ip.remaining() < at + 2) {
                return OTHER;
            }
            next = ip.get(at) & 0xff;
            at += ((ip.get(at + 1) & 0xff) + 1) * 8;
        }
        return next == TCP && at <= ip.remaining()
                ? tcp(ip, at, end - at, address(ip, 8, 16), address(ip, 24, 16))
                : OTHER;
    }

    private static byte[] address(ByteBuffer ip, int at, int length) {
        byte[] address = new byte[length];
        ip.get(at, address);
        return address;
    }

    private static Decoded tcp(ByteBuffer ip, int at, int length, byte[] source, byte[] target) {
        int captured = Math.min(length, ip.remaining() - at);
        if (captured < TCP_BYTES) {
            return OTHER;
        }
        int headerBytes = (ip.get(at + 12) >>> 4 & 0x0f) * 4;
        if (headerBytes < TCP_BYTES || headerBytes > captured) {
            return OTHER;
        }
        return new Decoded.Tcp(
                new TcpSegment(
                        Endpoint.of(source, ip.getShort(at) & 0xffff),
                        Endpoint.of(target, ip.getShort(at + 2) & 0xffff),
                        ip.getInt(at + 4),
                        ip.getInt(at + 8),
                        ip.get(at + 13) & 0xff,
                        length - headerBytes,
                        ip.slice(at + headerBytes, captured - headerBytes)));
    }

    /** Returns whether a flag such as {@link #SYN} is set. */
    public boolean has(int flag) {
        return (flags & flag) != 0;
    }

    /**
     * Returns the segment in an Ethernet frame, with the checksums of IP and TCP. The Ethernet
     * addresses are made up; that of the host with the lower port number ends in 1.
     *
     * @throws IllegalArgumentException if the payload is longer than {@link #ENCODED_MAX}, or the
     *     endpoints have different IP versions
     */
    public byte[] encode() {
        int bytes = payload.remaining();
        if (bytes > ENCODED_MAX || from.v6() != to.v6()) {
            throw new IllegalArgumentException("no packet holds this segment");
        }
        int ipBytes = from.v6() ? IPV6_BYTES : IPV4_BYTES;
        int tcpAt = LinkLayer.ETHERNET_BYTES + ipBytes;
        var out = ByteBuffer.allocate(tcpAt + TCP_BYTES + bytes);
        boolean fromLower = from.port() < to.port();
        out.putInt(0x02000000).putShort((short) (fromLower ? 2 : 1));
        out.putInt(0x02000000).putShort((short) (fromLower ? 1 : 2));
        if (from.v6()) {
            out.putShort((short) LinkLayer.IPV6);
            out.putInt(6 << 28).putShort((short) (TCP_BYTES + bytes));
            out.put((byte) TCP).put((byte) HOPS);
            out.putLong(from.high()).putLong(from.low()).putLong(to.high()).putLong(to.low());
        } else {
            out.putShort((short) LinkLayer.IPV4);
            out.putShort((short) 0x4500).putShort((short) (IPV4_BYTES + TCP_BYTES + bytes));
            out.putInt(0x4000).put((byte) HOPS).put((byte) TCP).putShort((short) 0);
            out.putInt((int) from.low()).putInt((int) to.low());
            int checksum = checksum(out, LinkLayer.ETHERNET_BYTES, tcpAt, 0);
            out.putShort(LinkLayer.ETHERNET_BYTES + 10, (short) checksum);
        }
        out.putShort((short) from.port()).putShort((short) to.port());
        out.putInt(sequence).putInt(acknowledgment);
        out.put((byte) (TCP_BYTES / 4 << 4)).put((byte) flags).putShort((short) WINDOW);
        out.putInt(0).put(payload.duplicate());
        // The TCP pseudo header: both addresses, the protocol and the length.
        int addressesAt = tcpAt - (from.v6() ? 32 : 8);
        int checksum = checksum(out, addressesAt, out.limit(), TCP + TCP_BYTES + bytes);
        out.putShort(tcpAt + 16, (short) checksum);
        return out.array();
    }

    private static int checksum(ByteBuffer bytes, int start, int end, long initial) {
        long sum = initial;
        int at = start;
        for (; at + 1 < end; at += 2) {
            sum += bytes.getShort(at) & 0xffff;
        }
        if (at < end) {
            sum += (bytes.get(at) & 0xff) << 8;
        }
        while (sum > 0xffff) {
            sum = (sum & 0xffff) + (sum >>> 16);
        }
        return (int) ~sum & 0xffff;
    }
}
