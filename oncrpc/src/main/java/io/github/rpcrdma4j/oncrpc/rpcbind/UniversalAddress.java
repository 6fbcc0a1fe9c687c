package io.github.rpcrdma4j.oncrpc.rpcbind;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Optional;

/**
 * Converts addresses to and from universal addresses (RFC 5665, Section 5.2.3): text with the host
 * and the two bytes of the port in decimal.
 *
 * <pre>
 *   IPv4:  h1.h2.h3.h4.p1.p2
 *   IPv6:  x1:x2:x3:x4:x5:x6:x7:x8.p1.p2, or a shorter form of the host
 * </pre>
 */
public final class UniversalAddress {
    private static final int IPV4_PARTS = 6;
    private static final int DIGITS_MAX = 3;

    private UniversalAddress() {}

    /**
     * Returns the universal address of a socket address.
     *
     * @throws IllegalArgumentException if the host is not resolved
     */
    public static String format(InetSocketAddress address) {
        if (address.isUnresolved()) {
            throw new IllegalArgumentException("the host is not resolved");
        }
        var host = address.getAddress().getHostAddress();
        // The zone of a link-local address has no meaning for other hosts.
        int zone = host.indexOf('%');
        int port = address.getPort();
        return (zone < 0 ? host : host.substring(0, zone))
                + '.'
                + (port >>> Byte.SIZE)
                + '.'
                + (port & 0xff);
    }

    /**
     * Returns the address that a text denotes, or empty if it is not a universal address. Does no
     * name lookup.
     */
    public static Optional<InetSocketAddress> parse(String text) {
        return text.indexOf(':') < 0 ? parse4(text) : parse6(text);
    }

    private static Optional<InetSocketAddress> parse4(String text) {
        var parts = text.split("\\.", -1);
        if (parts.length != IPV4_PARTS) {
            return Optional.empty();
        }
        int[] bytes = new int[IPV4_PARTS];
        for (int i = 0; i < IPV4_PARTS; i++) {
            bytes[i] = oneByte(parts[i]);
            if (bytes[i] < 0) {
                return Optional.empty();
            }
        }
        byte[] host = {(byte) bytes[0], (byte) bytes[1], (byte) bytes[2], (byte) bytes[3]};
        try {
            return Optional.of(
                    new InetSocketAddress(
                            InetAddress.getByAddress(host), bytes[4] << Byte.SIZE | bytes[5]));
        } catch (UnknownHostException impossible) {
            throw new AssertionError("four bytes are an address", impossible);
        }
    }

    private static Optional<InetSocketAddress> parse6(String text) {
        int low = text.lastIndexOf('.');
        int high = text.lastIndexOf('.', low - 1);
        if (high < 0 || text.indexOf('[') >= 0 || text.indexOf('%') >= 0) {
            return Optional.empty();
        }
        int first = oneByte(text.substring(high + 1, low));
        int second = oneByte(text.substring(low + 1));
        if (first < 0 || second < 0) {
            return Optional.empty();
        }
        try {
            var host = Inet6Address.ofLiteral(text.substring(0, high));
            return Optional.of(new InetSocketAddress(host, first << Byte.SIZE | second));
        } catch (IllegalArgumentException _) {
            return Optional.empty();
        }
    }

    /** Returns a number from 0 to 255, or -1 if the text is not such a number. */
    private static int oneByte(String text) {
        if (text.isEmpty() || text.length() > DIGITS_MAX) {
            return -1;
        }
        int value = 0;
        for (int i = 0; i < text.length(); i++) {
            char digit = text.charAt(i);
            if (digit < '0' || digit > '9') {
                return -1;
            }
            value = value * 10 + digit - '0';
        }
        return value <= 0xff ? value : -1;
    }
}
