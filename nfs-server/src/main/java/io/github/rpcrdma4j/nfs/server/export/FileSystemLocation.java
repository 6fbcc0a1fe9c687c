package io.github.rpcrdma4j.nfs.server.export;

import io.github.rpcrdma4j.nfs.PathName;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Where a file system is that this server does not have (RFC 8881, Section 11.16).
 *
 * @param servers names of hosts, or addresses, that all lead to it: 1 at least, of 255 characters
 *     at most. The server looks none up.
 * @param path its path there; it starts with a slash
 */
public record FileSystemLocation(List<String> servers, PathName path) {
    private static final int SERVER_MAX = 255;

    /** A name or an address of IPv4, or an address of IPv6, which has two colons at least. */
    private static final Pattern SERVER =
            Pattern.compile("[a-zA-Z0-9._-]+|[0-9a-fA-F.]*:[0-9a-fA-F.]*:[0-9a-fA-F:.]*");

    /**
     * @throws IllegalArgumentException for other servers or another path; the message is one line
     */
    public FileSystemLocation {
        servers = List.copyOf(servers);
        if (servers.isEmpty()) {
            throw new IllegalArgumentException("no host or address of " + path);
        }
        for (var server : servers) {
            if (!isServer(server)) {
                throw new IllegalArgumentException("no host or address: '" + server + "'");
            }
        }
        if (!path.isAbsolute()) {
            throw new IllegalArgumentException("a path at a server starts with a slash: " + path);
        }
    }

    private static boolean isServer(String text) {
        return text.length() <= SERVER_MAX && SERVER.matcher(text).matches();
    }
}
