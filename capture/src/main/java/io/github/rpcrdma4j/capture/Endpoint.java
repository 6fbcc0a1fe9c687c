package io.github.rpcrdma4j.capture;

import java.nio.ByteBuffer;

/**
 * One end of a TCP connection: an address and a port.
 *
 * @param v6 whether the address is an IPv6 address
 * @param high the first 64 bits of an IPv6 address; otherwise 0
 * @param low the last 64 bits of an IPv6 address, or an IPv4 address
 * @param port 0 to 65535
 */
public record Endpoint(boolean v6, long high, long low, int port) {
    private static final int V4_BYTES = 4;
    private static final int V6_BYTES = 16;
    private static final int GROUPS = 8;

    /**
     * Returns the endpoint with the address in these bytes.
     *
     * @param address 4 or 16 bytes
     * @throws IllegalArgumentException if the address has another length
     */
    public static Endpoint of(byte[] address, int port) {
        var bytes = ByteBuffer.wrap(address);
        return switch (address.length) {
            case V4_BYTES -> new Endpoint(false, 0, Integer.toUnsignedLong(bytes.getInt()), port);
            case V6_BYTES -> new Endpoint(true, bytes.getLong(), bytes.getLong(), port);
            default -> throw new IllegalArgumentException("an address has 4 or 16 bytes");
        };
    }

    /** Returns host and port, with an IPv6 address in brackets and in its short form (RFC 5952). */
    @Override
    public String toString() {
        return v6 ? "[" + v6Text() + "]:" + port : v4Text() + ":" + port;
    }

    private String v4Text() {
        return (low >>> 24)
                + "."
                + (low >>> 16 & 0xff)
                + "."
                + (low >>> 8 & 0xff)
                + "."
                + (low & 0xff);
    }

    private int group(int index) {
        long half = index < GROUPS / 2 ? high : low;
        return (int) (half >>> Short.SIZE * (3 - index % (GROUPS / 2)) & 0xffff);
    }

    private String v6Text() {
        int bestStart = -1;
        int bestLength = 1;
        for (int start = 0; start < GROUPS; start++) {
            int end = start;
            while (end < GROUPS && group(end) == 0) {
                end++;
            }
            if (end - start > bestLength) {
                bestStart = start;
                bestLength = end - start;
            }
        }
        var text = new StringBuilder();
        for (int i = 0; i < GROUPS; i++) {
            if (i == bestStart) {
                text.append("::");
                i += bestLength - 1;
            } else {
                text.append(text.isEmpty() || text.charAt(text.length() - 1) == ':' ? "" : ":");
                text.append(Integer.toHexString(group(i)));
            }
        }
        return text.toString();
    }
}
