package io.github.rpcrdma4j.nfs.server.export;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Objects;

/** The hosts of a rule, by their addresses. */
public sealed interface Clients permits Clients.Everybody, Clients.Network, NamedHost {
    /** The text that stands for all hosts. */
    String EVERYBODY = "any";

    /** Returns whether a host is one of them. */
    boolean include(InetAddress host);

    /**
     * Returns how narrow they are. Of two that include a host, the one with the greater precision
     * applies.
     *
     * @param host one of them
     */
    int precision(InetAddress host);

    /** All hosts. */
    record Everybody() implements Clients {
        @Override
        public boolean include(InetAddress host) {
            return true;
        }

        @Override
        public int precision(InetAddress host) {
            return -1;
        }

        @Override
        public String toString() {
            return EVERYBODY;
        }
    }

    /**
     * The hosts of a network. A single host is a network with the longest prefix.
     *
     * @param address the first address of the network, of IPv4 or IPv6; made of any other one
     * @param prefixLength the number of leading bits that all its hosts share: up to 32 or 128
     */
    record Network(InetAddress address, int prefixLength) implements Clients {
        /** The bits before the address in an IPv4-mapped one (RFC 4291, Section 2.5.5.2). */
        private static final int MAPPED_BITS = 96;

        public Network {
            if (prefixLength < 0 || prefixLength > address.getAddress().length * Byte.SIZE) {
                throw new IllegalArgumentException("invalid prefix length: " + prefixLength);
            }
            address = first(address, prefixLength);
        }

        private static InetAddress first(InetAddress any, int prefixLength) {
            byte[] bytes = any.getAddress();
            for (int bit = prefixLength; bit < bytes.length * Byte.SIZE; bit++) {
                bytes[bit / Byte.SIZE] &= (byte) ~(0x80 >> bit % Byte.SIZE);
            }
            try {
                return InetAddress.getByAddress(bytes);
            } catch (UnknownHostException impossible) {
                throw new AssertionError(impossible);
            }
        }

        @Override
        public boolean include(InetAddress host) {
            byte[] own = address.getAddress();
            byte[] other = host.getAddress();
            int whole = prefixLength / Byte.SIZE;
            int rest = prefixLength % Byte.SIZE;
            return own.length == other.length
                    && Arrays.equals(own, 0, whole, other, 0, whole)
                    && (rest == 0
                            || ((own[whole] ^ other[whole]) & 0xff) >>> Byte.SIZE - rest == 0);
        }

        @Override
        public int precision(InetAddress host) {
            return prefixLength;
        }

        @Override
        public String toString() {
            var text = address.getHostAddress();
            return prefixLength == address.getAddress().length * Byte.SIZE
                    ? text
                    : text + "/" + prefixLength;
        }
    }

    /**
     * Parses a text like {@link #parse}, but takes any other text as a host name, which it looks up
     * at once.
     *
     * @throws UnknownHostException if it has no address; the message is meant for a user
     * @throws IllegalArgumentException if the text is none of them; the message is meant for a user
     */
    static Clients of(String text) throws UnknownHostException {
        try {
            return parse(text);
        } catch (IllegalArgumentException neither) {
            if (!NamedHost.isName(text)) {
                throw neither;
            }
        }
        return NamedHost.of(text);
    }

    /**
     * Parses {@code any}, an address, or a network like {@code 192.0.2.0/24} and {@code fd00::/8}.
     * Looks up no name. An IPv4-mapped IPv6 address stands for the IPv4 address in it, and a
     * network of them for that of IPv4: {@code ::ffff:192.0.2.0/120} for {@code 192.0.2.0/24}.
     *
     * @throws IllegalArgumentException if the text is none of them; the message is meant for a user
     */
    static Clients parse(String text) {
        Objects.requireNonNull(text);
        if (text.equals(EVERYBODY)) {
            return new Everybody();
        }
        int slash = text.indexOf('/');
        try {
            var address = address(slash < 0 ? text : text.substring(0, slash));
            int longest = address.getAddress().length * Byte.SIZE;
            int prefixLength = slash < 0 ? longest : Integer.parseInt(text.substring(slash + 1));
            boolean isMapped = address instanceof Inet4Address && text.indexOf(':') >= 0;
            return new Network(
                    address,
                    isMapped && slash >= 0 ? prefixLength - Network.MAPPED_BITS : prefixLength);
        } catch (IllegalArgumentException _) {
            throw new IllegalArgumentException(
                    "neither a host, nor a network like 192.0.2.0/24, nor \"any\": " + text);
        }
    }

    private static InetAddress address(String text) {
        // Addresses of hosts are compared without the interface.
        if (text.indexOf('%') >= 0) {
            throw new IllegalArgumentException("an interface in an address");
        }
        // Java accepts shorter forms of IPv4 addresses, which would make 10/8 the network of
        // 0.0.0.10.
        return text.indexOf(':') >= 0
                ? Inet6Address.ofLiteral(text)
                : Inet4Address.ofLiteral(text.split("\\.", -1).length == 4 ? text : "");
    }
}
