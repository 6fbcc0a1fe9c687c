package io.github.rpcrdma4j.oncrpc;

import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * The unit that counts as one client for quotas: an IPv4 address, the /64 prefix of an IPv6
 * address, or a user of this machine. A single IPv6 host can usually take any address of its /64
 * (RFC 4291, section 2.5.1), and each user of this machine can take all of 127.0.0.0/8, so counting
 * single addresses would count neither hosts nor users.
 *
 * <p>It does not tell whose something is: other hosts may have addresses of the same /64. Whole
 * addresses do.
 *
 * <p>An IPv4 address that is mapped into IPv6 (RFC 4291, section 2.5.5.2) counts as the IPv4
 * address. The scope of an IPv6 address is ignored: all link-local peers of a server are in
 * fe80::/64, on every interface, and count as one client together. This is the safe choice, because
 * a link-local peer can take any address.
 *
 * <p>Immutable.
 */
public final class ClientAddress {
    private static final int IPV4_BYTES = 4;
    private static final int IPV6_BYTES = 16;
    private static final int PREFIX_BYTES = 8;
    private static final int GROUP_BITS = 16;
    private static final int SHARE_PART = 4;

    private enum Kind {
        IPV4,
        IPV6,
        LOCAL_USER
    }

    private static final ClientAddress UNKNOWN_USERS = new ClientAddress(Kind.LOCAL_USER, -1);

    private final Kind kind;

    /** The IPv4 address in the low 32 bits, the first 64 bits of the IPv6 address, or the user. */
    private final long bits;

    private ClientAddress(Kind kind, long bits) {
        this.kind = kind;
        this.bits = bits;
    }

    /**
     * Returns the share of a client in something: a quarter of what the other clients leave.
     *
     * @param limit how much there is for all
     * @param others how much the other clients have
     * @param least so much a client may have in any case, as long as there is room
     */
    public static long share(long limit, long others, long least) {
        return Math.max(least, (limit - others) / SHARE_PART);
    }

    /**
     * Returns the client that a user of this machine is, from all its addresses.
     *
     * @param uid its number, unsigned
     */
    public static ClientAddress ofLocalUser(int uid) {
        return new ClientAddress(Kind.LOCAL_USER, Integer.toUnsignedLong(uid));
    }

    /** Returns the client that all those users of this machine are who cannot be told apart. */
    public static ClientAddress ofUnknownLocalUsers() {
        return UNKNOWN_USERS;
    }

    /** Returns the client to which an address belongs. */
    public static ClientAddress of(InetAddress address) {
        byte[] bytes = address.getAddress();
        if (bytes.length == IPV4_BYTES) {
            return new ClientAddress(Kind.IPV4, number(bytes, 0, IPV4_BYTES));
        }
        if (isMapped(bytes)) {
            return new ClientAddress(Kind.IPV4, number(bytes, IPV6_BYTES - IPV4_BYTES, IPV4_BYTES));
        }
        return new ClientAddress(Kind.IPV6, number(bytes, 0, PREFIX_BYTES));
    }

    /**
     * Recognizes IPv4-mapped addresses. Java converts most of them to IPv4 itself, but not those
     * with a scope.
     */
    private static boolean isMapped(byte[] bytes) {
        return number(bytes, 0, PREFIX_BYTES) == 0
                && number(bytes, PREFIX_BYTES, IPV4_BYTES) == 0xffff;
    }

    /**
     * Returns the client at the other end of a connection. All peers without an address count as
     * one client, at the loopback address.
     */
    public static ClientAddress of(InetSocketAddress peer) {
        var address = peer.getAddress();
        return of(address == null ? InetAddress.getLoopbackAddress() : address);
    }

    /** Returns whether it is a /64 of IPv6, in which there may be several hosts. */
    public boolean isNetwork() {
        return kind == Kind.IPV6;
    }

    private static long number(byte[] bytes, int from, int count) {
        long number = 0;
        for (int i = from; i < from + count; i++) {
            number = number << Byte.SIZE | bytes[i] & 0xff;
        }
        return number;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ClientAddress that && kind == that.kind && bits == that.bits;
    }

    @Override
    public int hashCode() {
        return KeyedHash.of(bits, kind.ordinal());
    }

    /**
     * Returns a form like {@code 192.0.2.1}, {@code fd00:1:2:3::/64}, {@code local-user-1000} or
     * {@code local-users}.
     */
    @Override
    public String toString() {
        return switch (kind) {
            case IPV4 -> ipv4();
            case IPV6 -> ipv6();
            case LOCAL_USER -> bits < 0 ? "local-users" : "local-user-" + bits;
        };
    }

    private String ipv4() {
        var text = new StringBuilder();
        for (int shift = 3 * Byte.SIZE; shift >= 0; shift -= Byte.SIZE) {
            text.append(bits >>> shift & 0xff).append(shift > 0 ? "." : "");
        }
        return text.toString();
    }

    private String ipv6() {
        var text = new StringBuilder();
        // The zeros at the end are the longest run of zeros, so "::" replaces them (RFC 5952,
        // section 4.2.3).
        for (long rest = bits; rest != 0; rest <<= GROUP_BITS) {
            text.append(text.isEmpty() ? "" : ":");
            text.append(Long.toHexString(rest >>> Long.SIZE - GROUP_BITS));
        }
        return text.append("::/64").toString();
    }
}
