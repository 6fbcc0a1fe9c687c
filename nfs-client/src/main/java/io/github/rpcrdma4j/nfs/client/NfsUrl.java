package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.v3.Nfs3;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;

/**
 * Where something is: {@code rdma://host[:port]/export/path}. Characters may be percent-encoded,
 * and those that a URL has no place for may stand for themselves.
 *
 * @param path starts with a slash, and does not end with one unless it is all there is
 */
public record NfsUrl(String host, int port, String path) {
    private static final String SCHEME = "rdma://";

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

    /** Percent-encoded octets decoded, where they are well formed; all else stands for itself. */
    private static String decoded(String path, String text) {
        if (path.indexOf('%') < 0) {
            return path;
        }
        try {
            return new URI(path.replace(" ", "%20")).getPath();
        } catch (URISyntaxException malformed) {
            throw new IllegalArgumentException(
                    "a percent sign is not followed by two hexadecimal digits in " + text,
                    malformed);
        }
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
