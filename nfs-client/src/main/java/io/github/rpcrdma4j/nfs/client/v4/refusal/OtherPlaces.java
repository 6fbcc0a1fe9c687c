package io.github.rpcrdma4j.nfs.client.v4.refusal;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.v4.attribute.FsLocations;
import java.util.LinkedHashSet;
import java.util.List;

/**
 * The places of a file system that is at other servers, as FS_LOCATIONS tells them (RFC 8881,
 * Section 11.16), in words for a user. They are not followed: a server must not choose where a
 * client goes with the user's rights.
 *
 * <p>Tests: {@code OtherPlacesTest}.
 */
public final class OtherPlaces {
    /** How many places are named. */
    private static final int SHOWN_MAX = 4;

    /** The longest one that is shown in full, in characters. */
    private static final int LENGTH_MAX = 200;

    private OtherPlaces() {}

    /** Returns a reason: {@code "it is at another server: a.example:/data; not followed"}. */
    public static String reason(FsLocations told) {
        var here = told.root();
        var shown = new LinkedHashSet<String>();
        int places = 0;
        boolean leadsBack = false;
        for (var location : told.locations()) {
            for (var server : location.servers()) {
                places++;
                // A server without a name is the one that tells this.
                boolean isHere = server.bytes().length == 0;
                leadsBack |= isHere && location.path().equals(here);
                if (!isHere && shown.size() < SHOWN_MAX) {
                    shown.add(cut(host(new FileName(server.bytes())) + ":" + path(location)));
                }
            }
        }
        if (shown.isEmpty()) {
            return leadsBack
                    ? "it has moved, and the server names only the same place"
                    : "it is at another server, and this one does not say where";
        }
        int more = places - shown.size();
        return "it is at another server: "
                + String.join(", ", shown)
                + (more > 0 ? " and " + more + " more" : "")
                + "; not followed";
    }

    private static String host(FileName server) {
        var name = server.escaped();
        return name.contains(":") && !name.contains("[") ? "[" + name + "]" : name;
    }

    private static String path(FsLocations.Location location) {
        return PathName.of("/").resolve(shortest(location.path())).escaped();
    }

    /** Returns as many names as may be shown. */
    private static List<FileName> shortest(List<FileName> names) {
        return names.subList(0, Math.min(names.size(), LENGTH_MAX));
    }

    private static String cut(String place) {
        return place.length() <= LENGTH_MAX ? place : place.substring(0, LENGTH_MAX) + "...";
    }
}
