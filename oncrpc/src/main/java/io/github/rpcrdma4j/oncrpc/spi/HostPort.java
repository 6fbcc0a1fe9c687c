package io.github.rpcrdma4j.oncrpc.spi;

import java.net.InetSocketAddress;

/** Formats an address as a user writes it: host and port. */
public final class HostPort {
    private HostPort() {}

    /** Returns the text of an address: the host, in brackets if it has a colon, and the port. */
    public static String text(InetSocketAddress address) {
        var host = address.getHostString();
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + address.getPort();
    }
}
