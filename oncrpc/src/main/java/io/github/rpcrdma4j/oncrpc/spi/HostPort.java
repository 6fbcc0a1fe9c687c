package io.github.rpcrdma4j.oncrpc.spi;

import java.net.InetSocketAddress;
import java.util.List;

/** Formats an address as a user writes it: host and port. */
public final class HostPort {
    /** An IPv6 address has so many numbers. */
    private static final int GROUPS = 8;

    private HostPort() {}

    /**
     * Returns the text of an address: the host, in brackets if it has a colon, and the port. It
     * looks no name up.
     */
    public static String text(InetSocketAddress address) {
        return bracketed(address.getHostString()) + ":" + address.getPort();
    }

    /**
     * Returns a host as it is written before a colon: an IPv6 address is short, and gets brackets.
     */
    public static String bracketed(String host) {
        return host.indexOf(':') < 0 ? host : "[" + compressed(host) + "]";
    }

    /** Returns an IPv6 address with "::" for the longest run of zeros (RFC 5952, Section 4.2). */
    private static String compressed(String host) {
        int percent = host.indexOf('%');
        var scope = percent < 0 ? "" : host.substring(percent);
        var groups = (percent < 0 ? host : host.substring(0, percent)).split(":", -1);
        int longest = 0;
        int end = 0;
        for (int i = 0, zeros = 0; i < groups.length; i++) {
            zeros = groups[i].equals("0") ? zeros + 1 : 0;
            if (zeros > longest) {
                longest = zeros;
                end = i + 1;
            }
        }
        if (groups.length != GROUPS || longest < 2) {
            return host;
        }
        var words = List.of(groups);
        return String.join(":", words.subList(0, end - longest))
                + "::"
                + String.join(":", words.subList(end, GROUPS))
                + scope;
    }
}
