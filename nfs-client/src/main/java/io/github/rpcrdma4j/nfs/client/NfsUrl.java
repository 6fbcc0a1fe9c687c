package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.v3.Nfs3;
import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Where something is: {@code rdma://host[:port]/export/path}. Characters may be percent-encoded,
 * and those that a URL has no place for may stand for themselves.
 *
 * @param path starts with a slash, and does not end with one unless it is all there is
 */
public record NfsUrl(String host, int port, String path) {
    private static final String SCHEME = "rdma://";
    private static final int PORT_MAX = 65535;

    /**
     * Parses a URL.
     *
     * @throws IllegalArgumentException if it is not one; the message tells a user why
     */
    public static NfsUrl parse(String text) {
        if (!text.startsWith(SCHEME)) {
            throw new IllegalArgumentException("not a URL like rdma://host/export/path: " + text);
        }
        int slash = text.indexOf('/', SCHEME.length());
        var authority = text.substring(SCHEME.length(), slash < 0 ? text.length() : slash);
        URI uri;
        try {
            uri = new URI(SCHEME + authority).parseServerAuthority();
        } catch (URISyntaxException malformed) {
            throw new IllegalArgumentException("no host in " + text, malformed);
        }
        if (uri.getHost() == null) {
            throw new IllegalArgumentException("no host in " + text);
        }
        if (uri.getPort() > PORT_MAX) {
            throw new IllegalArgumentException("ports end at " + PORT_MAX + ", not so in " + text);
        }
        var path = slash < 0 ? "/" : decoded(text.substring(slash), text);
        while (path.length() > 1 && path.endsWith("/")) {
            path = path.substring(0, path.length() - 1);
        }
        var host = uri.getHost();
        if (host.startsWith("[")) {
            host = host.substring(1, host.length() - 1);
        }
        return new NfsUrl(host, uri.getPort() < 0 ? Nfs3.RDMA_PORT : uri.getPort(), path);
    }

    /** Percent-encoded octets decoded (RFC 3986, Section 2.1); all else stands for itself. */
    private static String decoded(String path, String text) {
        var octets = new ByteArrayOutputStream(path.length());
        for (int i = 0; i < path.length(); ) {
            int character = path.codePointAt(i);
            if (character == '%') {
                octets.write(octet(path, i + 1, text));
                i += 3;
            } else {
                octets.writeBytes(Character.toString(character).getBytes(StandardCharsets.UTF_8));
                i += Character.charCount(character);
            }
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(octets.toByteArray()))
                    .toString();
        } catch (CharacterCodingException malformed) {
            throw new IllegalArgumentException(
                    "the percent-encoded octets are not UTF-8 in " + text, malformed);
        }
    }

    private static int octet(String path, int at, String text) {
        int high = at < path.length() ? Character.digit(path.charAt(at), 16) : -1;
        int low = at + 1 < path.length() ? Character.digit(path.charAt(at + 1), 16) : -1;
        int octet = high * 16 + low;
        if (high < 0 || low < 0) {
            throw new IllegalArgumentException(
                    "a percent sign is not followed by two hexadecimal digits in " + text);
        }
        if (octet == 0) {
            throw new IllegalArgumentException("no name has an octet of 0, as in " + text);
        }
        return octet;
    }

    /** Whether a text is meant as a URL rather than a local path. */
    public static boolean isUrl(String text) {
        return text.startsWith(SCHEME);
    }

    /** The address, looked up now. */
    public InetSocketAddress address() {
        return new InetSocketAddress(host, port);
    }

    /** The last name of the path. */
    public String name() {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    /** The same place with a name added to its path. */
    public NfsUrl resolve(String name) {
        return new NfsUrl(host, port, path.equals("/") ? "/" + name : path + "/" + name);
    }

    @Override
    public String toString() {
        var shown = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
        return SCHEME + shown + (port == Nfs3.RDMA_PORT ? "" : ":" + port) + path;
    }
}
