package io.github.rpcrdma4j.nfs.v4.attribute;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * Where a file system is: {@code fs_locations4} (RFC 8881, Section 11.16).
 *
 * <pre>
 *   path | { server&lt;&gt; | path }&lt;&gt;        path: component&lt;&gt;
 * </pre>
 *
 * @param root the path of the file system at the server that tells this
 * @param locations where else it is
 */
public record FsLocations(List<FileName> root, List<Location> locations) {
    /** The longest component that is read, in bytes. */
    private static final int NAME_MAX = 1024;

    public FsLocations {
        root = List.copyOf(root);
        locations = List.copyOf(locations);
    }

    /**
     * A place of a file system.
     *
     * @param servers names of hosts, or addresses; all lead to one file system
     * @param path where it is there
     */
    public record Location(List<OpaqueName> servers, List<FileName> path) {
        public Location {
            servers = List.copyOf(servers);
            path = List.copyOf(path);
        }

        private static Location decode(XdrReader in) throws XdrException {
            int count = in.count(Integer.BYTES, Integer.MAX_VALUE);
            var servers = new ArrayList<OpaqueName>(count);
            for (int i = 0; i < count; i++) {
                servers.add(OpaqueName.decode(in));
            }
            return new Location(servers, decodePath(in));
        }

        private void encode(XdrWriter out) {
            out.uint32(servers.size());
            servers.forEach(each -> each.encode(out));
            encodePath(out, path);
        }
    }

    static FsLocations decode(XdrReader in) throws XdrException {
        var root = decodePath(in);
        int count = in.count(2 * Integer.BYTES, Integer.MAX_VALUE);
        var locations = new ArrayList<Location>(count);
        for (int i = 0; i < count; i++) {
            locations.add(Location.decode(in));
        }
        return new FsLocations(root, locations);
    }

    void encode(XdrWriter out) {
        encodePath(out, root);
        out.uint32(locations.size());
        locations.forEach(each -> each.encode(out));
    }

    private static List<FileName> decodePath(XdrReader in) throws XdrException {
        int count = in.count(Integer.BYTES, Integer.MAX_VALUE);
        var names = new ArrayList<FileName>(count);
        for (int i = 0; i < count; i++) {
            names.add(FileName.decode(in, NAME_MAX));
        }
        return names;
    }

    private static void encodePath(XdrWriter out, List<FileName> path) {
        out.uint32(path.size());
        path.forEach(each -> each.encode(out));
    }
}
