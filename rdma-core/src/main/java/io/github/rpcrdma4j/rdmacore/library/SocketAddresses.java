package io.github.rpcrdma4j.rdmacore.library;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/** The structures {@code sockaddr_in} and {@code sockaddr_in6} of C. */
public final class SocketAddresses {
    /** The size of the longer structure, in bytes. */
    public static final int SIZE = 28;

    private static final int AF_INET = 2;
    private static final int AF_INET6 = 10;
    private static final int PORT = 2;
    private static final int ADDRESS = 4;
    private static final int ADDRESS_6 = 8;
    private static final int SCOPE_6 = 24;

    private SocketAddresses() {}

    /** Writes an address. */
    public static void write(InetSocketAddress from, long at) {
        Memory.clear(at, SIZE);
        boolean isV6 = from.getAddress() instanceof Inet6Address;
        Memory.int16(at, isV6 ? AF_INET6 : AF_INET);
        Memory.int8(at + PORT, from.getPort() >>> 8);
        Memory.int8(at + PORT + 1, from.getPort());
        byte[] address = from.getAddress().getAddress();
        for (int i = 0; i < address.length; i++) {
            Memory.int8(at + (isV6 ? ADDRESS_6 : ADDRESS) + i, address[i]);
        }
        if (from.getAddress() instanceof Inet6Address scoped) {
            Memory.int32(at + SCOPE_6, scoped.getScopeId());
        }
    }

    /** Reads an address. */
    public static InetSocketAddress read(long at) {
        boolean isV6 = Memory.uint16(at) == AF_INET6;
        int port = Memory.uint8(at + PORT) << 8 | Memory.uint8(at + PORT + 1);
        byte[] address = Memory.bytes(at + (isV6 ? ADDRESS_6 : ADDRESS), isV6 ? 16 : 4);
        try {
            return new InetSocketAddress(InetAddress.getByAddress(address), port);
        } catch (UnknownHostException impossible) {
            throw new AssertionError("the length of the address is right", impossible);
        }
    }
}
