package io.github.rpcrdma4j.nfs.state.event;

import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;

/**
 * A host of NLM has restarted, so it has no locks of an earlier start any more.
 *
 * @param address where the notice came from, as in {@link HostName}
 * @param name what the notice calls the host
 * @param starts the numbers that its present start may have: what it has taken under one of them
 *     stays. Empty: nothing stays
 */
public record HostRestart(String address, OpaqueName name, Set<Integer> starts) {
    /** Copies the numbers. */
    public HostRestart {
        starts = Set.copyOf(starts);
    }

    /** Returns whether a name has more than a label. */
    public static boolean hasDomain(String name) {
        return name.indexOf('.') >= 0;
    }

    public static String label(String name) {
        int dot = name.indexOf('.');
        return dot < 0 ? name : name.substring(0, dot);
    }

    /** Returns a name as it is compared: in lower case. */
    public static String text(OpaqueName name) {
        return new String(name.bytes(), StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
    }
}
