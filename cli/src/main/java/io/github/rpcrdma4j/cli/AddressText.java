package io.github.rpcrdma4j.cli;

import java.net.InetSocketAddress;

/** Parses {@code host:port}, {@code [address]:port} and {@code :port}. */
final class AddressText {
    private static final int PORT_MAX = 65535;

    private AddressText() {}

    /**
     * Checks a port that a user gave.
     *
     * @throws IllegalArgumentException if it is out of range
     */
    static int requirePort(int port) {
        if (port < 1 || port > PORT_MAX) {
            throw new IllegalArgumentException("not a port: " + port);
        }
        return port;
    }

    /**
     * Returns the address that a text names; without a host, that of all interfaces.
     *
     * @throws IllegalArgumentException if it is malformed; the message tells a user why
     */
    static InetSocketAddress parse(String text) {
        int colon = text.lastIndexOf(':');
        int port = -1;
        if (colon >= 0) {
            try {
                port = Integer.parseInt(text.substring(colon + 1));
            } catch (NumberFormatException _) {
                // Reported below.
            }
        }
        if (port < 0 || port > PORT_MAX) {
            throw new IllegalArgumentException("not an address like host:port: " + text);
        }
        var host = text.substring(0, colon);
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        }
        return host.isEmpty() || host.equals("*")
                ? new InetSocketAddress(port)
                : new InetSocketAddress(host, port);
    }
}
