package io.github.rpcrdma4j.nfs.server.state;

import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
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

    /**
     * Returns the host that the notice is about: the one that locks with this name. Hosts may add
     * their domain to their name in a notice, or leave it out, or call themselves by their address.
     * If that fits several hosts, the notice is about none: it would take the locks of others.
     *
     * @param there the hosts at the address
     */
    Optional<HostName> meant(Collection<HostName> there) {
        var exact = there.stream().filter(each -> each.name().equals(name)).findFirst();
        if (exact.isPresent()) {
            return exact;
        }
        var text = text(name);
        return only(
                text.equals(address)
                        ? List.copyOf(there)
                        : there.stream().filter(each -> isAlike(text, text(each.name()))).toList());
    }

    private static Optional<HostName> only(List<HostName> hosts) {
        return hosts.size() == 1 ? Optional.of(hosts.getFirst()) : Optional.empty();
    }

    /** Returns whether two names are equal, if one of them has no domain without that. */
    private static boolean isAlike(String told, String known) {
        boolean haveDomains = told.indexOf('.') >= 0 && known.indexOf('.') >= 0;
        return haveDomains ? told.equals(known) : label(told).equals(label(known));
    }

    private static String label(String name) {
        int dot = name.indexOf('.');
        return dot < 0 ? name : name.substring(0, dot);
    }

    private static String text(OpaqueName name) {
        return new String(name.bytes(), StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
    }
}
