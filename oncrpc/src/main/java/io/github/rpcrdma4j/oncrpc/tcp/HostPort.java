package io.github.rpcrdma4j.oncrpc.tcp;

import java.net.InetSocketAddress;

/** Formats an address as a user writes it: host and port. */
final class HostPort {
    private HostPort() {}

    static String text(InetSocketAddress address) {
        var host = address.getHostString();
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + address.getPort();
    }
}
