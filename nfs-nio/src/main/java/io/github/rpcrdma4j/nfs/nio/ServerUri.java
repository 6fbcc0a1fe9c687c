package io.github.rpcrdma4j.nfs.nio;

import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.nio.path.PathText;
import io.github.rpcrdma4j.nfs.nio.path.UriPath;
import java.net.URI;
import java.util.Locale;

/**
 * The URI of a file of a server. Immutable.
 *
 * @param server with a host in lower case
 * @param path absolute
 */
record ServerUri(NfsUrl.Server server, PathText path) {
    /**
     * Parses a URI.
     *
     * @param transport that of its scheme
     * @throws IllegalArgumentException if it has another scheme, or names no file of a server
     */
    static ServerUri parse(URI uri, NfsUrl.Transport transport) {
        if (!scheme(transport).equalsIgnoreCase(uri.getScheme())) {
            throw new IllegalArgumentException(
                    "not of the scheme " + scheme(transport) + ": " + uri);
        }
        if (uri.isOpaque() || uri.getRawAuthority() == null) {
            throw new IllegalArgumentException("no server in " + uri);
        }
        if (uri.getRawQuery() != null || uri.getRawFragment() != null) {
            throw new IllegalArgumentException("a query or a fragment is in " + uri);
        }
        var authority = uri.getRawAuthority().toLowerCase(Locale.ROOT);
        var server = NfsUrl.parse(scheme(transport) + "://" + authority + "/").server();
        return new ServerUri(server, UriPath.decode(uri.getRawPath()));
    }

    /** Returns the scheme of URIs for a transport. */
    static String scheme(NfsUrl.Transport transport) {
        return switch (transport) {
            case TCP -> "nfs";
            case RDMA -> "nfs+rdma";
        };
    }

    /** Returns the URI, which {@link #parse} accepts. */
    URI uri() {
        var named = server.toString();
        return URI.create(
                scheme(server.transport())
                        + named.substring(named.indexOf("://"))
                        + UriPath.of(path));
    }
}
