package io.github.rpcrdma4j.oncrpc.spi;

import java.net.InetSocketAddress;

/** Formats an address as a user writes it: host and port. */
public final class HostPort {
    private HostPort() {}

    /**
     * Returns the text of an address: the host, in brackets if it has a colon, and the port. It
     * looks no name up.
     */
    public static String text(InetSocketAddress address) {
        return bracketed(address.getHostString()) + ":" + address.getPort();
    }

    /** Returns a host as it is written before a colon: an IPv6 address gets brackets. */
    public static String bracketed(String host) {
        return host.indexOf(':') < 0 ? host : "[" + host + "]";
    }
}
