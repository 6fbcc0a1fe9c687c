package io.github.rpcrdma4j.oncrpc.rpcbind;

import java.net.Inet6Address;
import java.net.InetAddress;

/** The names of the transports known here (RFC 5665, Section 5.1; RFC 8166-9-1, 5666-12-1). */
public enum Netid {
    TCP("tcp"),
    TCP6("tcp6"),
    UDP("udp"),
    RDMA("rdma"),
    RDMA6("rdma6");

    private final String word;

    Netid(String word) {
        this.word = word;
    }

    /** The name on the wire. */
    public String word() {
        return word;
    }

    /** TCP to such an address. */
    public static Netid tcp(InetAddress address) {
        return address instanceof Inet6Address ? TCP6 : TCP;
    }

    /** RDMA to such an address. */
    public static Netid rdma(InetAddress address) {
        return address instanceof Inet6Address ? RDMA6 : RDMA;
    }
}
