package io.github.rpcrdma4j.nfs.nio.routed;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileSystemException;
import java.util.ArrayList;
import java.util.List;

/**
 * A path of the default file system that leads to a file of a server. Immutable.
 *
 * <pre>
 * /net/nfs/server:2049/data/x
 *      ---                      scheme of the URI: nfs or nfs+rdma
 *          -----------          the server, with a port that is not the usual one
 *                     -------   path at the server
 * </pre>
 *
 * @param scheme of the provider
 * @param server its host and port
 * @param path from the root of the server
 */
record ServerRoute(String scheme, String server, String path) {
    private static final String SEPARATOR = "/";
    private static final String ROOT = "net";
    private static final List<String> SCHEMES = List.of("nfs", "nfs+rdma");
    private static final int NAMES_BEFORE = 3;

    /**
     * Returns the route of a path, or null if it is one of this machine. Dots that lead out of the
     * server are taken out by their text; those below its root are left to the server.
     *
     * @param absolute begins with a slash
     */
    static ServerRoute of(String absolute) {
        // Most paths are of this machine, and are seen before there is more than this class.
        if (!absolute.contains(ROOT)) {
            return null;
        }
        var names = names(absolute);
        var plain = withoutDots(names);
        if (plain.size() < NAMES_BEFORE
                || !plain.get(0).equals(ROOT)
                || !SCHEMES.contains(plain.get(1))) {
            return null;
        }
        var below = isBelow(names, plain) ? names : plain;
        return new ServerRoute(
                plain.get(1),
                plain.get(2),
                SEPARATOR + String.join(SEPARATOR, below.subList(NAMES_BEFORE, below.size())));
    }

    private static List<String> names(String path) {
        var names = new ArrayList<String>();
        int from = 0;
        while (from < path.length()) {
            int to = path.indexOf(SEPARATOR, from);
            int end = to < 0 ? path.length() : to;
            if (end > from) {
                names.add(path.substring(from, end));
            }
            from = end + 1;
        }
        return names;
    }

    private static List<String> withoutDots(List<String> names) {
        var plain = new ArrayList<String>();
        for (var each : names) {
            if (each.equals("..")) {
                if (!plain.isEmpty()) {
                    plain.removeLast();
                }
            } else if (!each.equals(".")) {
                plain.add(each);
            }
        }
        return plain;
    }

    /** Returns whether no name leads out of the server on the way. */
    private static boolean isBelow(List<String> names, List<String> plain) {
        if (names.size() < NAMES_BEFORE
                || !names.subList(0, NAMES_BEFORE).equals(plain.subList(0, NAMES_BEFORE))) {
            return false;
        }
        return !leavesRoot(names.subList(NAMES_BEFORE, names.size()));
    }

    private static boolean leavesRoot(List<String> names) {
        int depth = 0;
        for (var each : names) {
            depth += each.equals("..") ? -1 : each.equals(".") ? 0 : 1;
            if (depth < 0) {
                return true;
            }
        }
        return false;
    }

    /** Returns the path of the default file system that leads to a file of the same server. */
    String textOf(String pathAtServer) {
        return textOfServer() + (pathAtServer.equals(SEPARATOR) ? "" : pathAtServer);
    }

    /**
     * Returns the path that an absolute link of the server leads to. Nothing is above the root of
     * the server, as for the server itself.
     */
    String textOfLink(String link) {
        var names = names(link);
        return textOf(
                SEPARATOR + String.join(SEPARATOR, leavesRoot(names) ? withoutDots(names) : names));
    }

    private String textOfServer() {
        return SEPARATOR + ROOT + SEPARATOR + scheme + SEPARATOR + server;
    }

    /** Returns whether another path leads to the same server. */
    boolean isOfSame(ServerRoute other) {
        return other != null && scheme.equals(other.scheme) && server.equals(other.server);
    }

    /**
     * Returns the URI of the file.
     *
     * @throws FileSystemException if no server can have this name. It is no {@link
     *     java.nio.file.NoSuchFileException}: a program that makes missing directories would make
     *     those above it on this machine
     */
    URI uri() throws FileSystemException {
        try {
            return new URI(scheme, server, path, null, null).parseServerAuthority();
        } catch (URISyntaxException malformed) {
            throw refused(malformed.getReason());
        }
    }

    /** Returns the failure of an operation on the file. */
    FileSystemException refused(String reason) {
        return new FileSystemException(textOf(path), null, reason);
    }
}
