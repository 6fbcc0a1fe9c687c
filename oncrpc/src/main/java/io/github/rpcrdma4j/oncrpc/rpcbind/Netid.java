package io.github.rpcrdma4j.oncrpc.rpcbind;

import java.net.Inet6Address;
import java.net.InetAddress;

/** The names of the supported transports (RFC 5665, Section 5.1; RFC 8166-9-1, 5666-12-1). */
public enum Netid {
    /** TCP over IPv4. */
    TCP("tcp"),
    /** TCP over IPv6. */
    TCP6("tcp6"),
    /** UDP over IPv4. */
    UDP("udp"),
    /** UDP over IPv6. */
    UDP6("udp6"),
    /** RPC-over-RDMA over IPv4 (RFC 8166, Section 9). */
    RDMA("rdma"),
    /** RPC-over-RDMA over IPv6. */
    RDMA6("rdma6");

    private final String word;

    Netid(String word) {
        this.word = word;
    }

    /** Returns the name on the wire. */
    public String word() {
        return word;
    }

    /** Returns the netid of TCP for the family of an address. */
    public static Netid tcp(InetAddress address) {
        return address instanceof Inet6Address ? TCP6 : TCP;
    }

    /** Returns the netid of UDP for the family of an address. */
    public static Netid udp(InetAddress address) {
        return address instanceof Inet6Address ? UDP6 : UDP;
    }

    /** Returns the netid of RPC-over-RDMA for the family of an address. */
    public static Netid rdma(InetAddress address) {
        return address instanceof Inet6Address ? RDMA6 : RDMA;
    }
}
