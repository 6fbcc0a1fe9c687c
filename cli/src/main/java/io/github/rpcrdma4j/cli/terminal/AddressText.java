package io.github.rpcrdma4j.cli.terminal;

import java.net.InetAddress;
import java.net.InetSocketAddress;

/** Parses {@code host:port}, {@code [address]:port} and {@code :port}. */
public final class AddressText {
    private static final int PORT_MAX = 65535;

    private AddressText() {}

    /**
     * Checks a port that a user gave.
     *
     * @throws IllegalArgumentException if it is out of range
     */
    public static int requirePort(int port) {
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
    public static InetSocketAddress parse(String text) {
        var address = parseName(text);
        return address.isUnresolved()
                ? new InetSocketAddress(address.getHostString(), address.getPort())
                : address;
    }

    /**
     * Returns the address that a text names as {@link #parse} does, but looks no name up: with a
     * name the address is unresolved.
     *
     * @throws IllegalArgumentException if it is malformed; the message tells a user why
     */
    public static InetSocketAddress parseName(String text) {
        int colon = text.lastIndexOf(':');
        if (colon < 0) {
            throw new IllegalArgumentException(
                    text.matches("\\d+")
                            ? "a port without a host is written :" + text + ", not " + text
                            : "not an address like host:port: " + text);
        }
        int port = port(text.substring(colon + 1), text);
        var host = text.substring(0, colon);
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        }
        if (host.isEmpty() || host.equals("*")) {
            return new InetSocketAddress(port);
        }
        return isLiteral(host)
                ? new InetSocketAddress(host, port)
                : InetSocketAddress.createUnresolved(host, port);
    }

    private static int port(String word, String text) {
        if (word.matches("\\d{1,5}") && Integer.parseInt(word) <= PORT_MAX) {
            return Integer.parseInt(word);
        }
        throw new IllegalArgumentException(
                "not an address like host:port: %s (\"%s\" is no port from 0 to %d)"
                        .formatted(text, word, PORT_MAX));
    }

    private static boolean isLiteral(String host) {
        try {
            InetAddress.ofLiteral(host);
            return true;
        } catch (IllegalArgumentException _) {
            return false;
        }
    }
}
