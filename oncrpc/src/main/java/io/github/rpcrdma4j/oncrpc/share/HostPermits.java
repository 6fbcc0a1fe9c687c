package io.github.rpcrdma4j.oncrpc.share;

import io.github.rpcrdma4j.oncrpc.ClientAddress;
import java.util.HashMap;
import java.util.Map;

/**
 * Permits for calls that hold something the server has few of. Hosts share them, and in a network
 * its places do. A host that has none gets one even if all are taken: else a few hosts could keep
 * another one from any. So does a place of a network, even if the others have the share of the
 * network. Such a permit is one besides those that are shared: it takes nothing from other hosts.
 * So there are at most as many more as there are hosts, and of a network as the limit says. Not
 * thread-safe.
 */
public final class HostPermits {
    /** What a host that has none has, and a place: never changed. */
    private static final OfHost UNKNOWN = new OfHost();

    private static final OfPlace WITHOUT = new OfPlace();

    private final int max;
    private final int ofHostMax;
    private final int besidesOfNetworkMax;

    /** Those that have any. */
    private final Map<Host, OfHost> hosts = new HashMap<>();

    /** How many of those that are shared are taken. */
    private int taken;

    private static final class OfHost {
        final Map<String, OfPlace> places = new HashMap<>();
        int taken;
        int besides;
    }

    private static final class OfPlace {
        int taken;
        boolean hasOneBesides;
    }

    /**
     * @param max how many there are, besides one for each host, and one for each of so many places
     *     of a network
     * @param ofHostMax how many one host gets at most, if its share is not less
     */
    public HostPermits(int max, int ofHostMax) {
        this(max, ofHostMax, max);
    }

    /**
     * @param max how many there are, besides one for each host
     * @param ofHostMax how many one host gets at most, if its share is not less
     * @param besidesOfNetworkMax for how many places of a network there is one besides
     */
    public HostPermits(int max, int ofHostMax, int besidesOfNetworkMax) {
        this.max = max;
        this.ofHostMax = ofHostMax;
        this.besidesOfNetworkMax = besidesOfNetworkMax;
    }

    /**
     * Takes a permit.
     *
     * @return whether there was one
     */
    public boolean take(HostPlace place) {
        var host = hosts.computeIfAbsent(place.host(), _ -> new OfHost());
        var own = host.places.computeIfAbsent(place.name(), _ -> new OfPlace());
        boolean isShared = hasShared(place, host, own);
        if (!isShared && !hasOneBesides(place, host, own)) {
            forgetIfUnused(place, host, own);
            return false;
        }
        if (isShared) {
            taken++;
            host.taken++;
            own.taken++;
        } else {
            host.besides++;
            own.hasOneBesides = true;
        }
        return true;
    }

    /** Returns whether there is a permit for a place. */
    public boolean isFree(HostPlace place) {
        var host = hosts.getOrDefault(place.host(), UNKNOWN);
        var own = host.places.getOrDefault(place.name(), WITHOUT);
        return hasShared(place, host, own) || hasOneBesides(place, host, own);
    }

    private boolean hasShared(HostPlace place, OfHost host, OfPlace own) {
        long share = Math.min(ofHostMax, ClientAddress.share(max, taken - host.taken, 1));
        return taken < max
                && host.taken < share
                && own.taken < place.share(share, host.taken - own.taken);
    }

    private boolean hasOneBesides(HostPlace place, OfHost host, OfPlace own) {
        return place.isInNetwork()
                ? own.taken == 0 && !own.hasOneBesides && host.besides < besidesOfNetworkMax
                : host.taken == 0 && host.besides == 0;
    }

    /** Gives a permit back: one of those that are shared, as long as the place has any. */
    public void giveBack(HostPlace place) {
        var host = hosts.get(place.host());
        var own = host.places.get(place.name());
        if (own.taken > 0) {
            taken--;
            host.taken--;
            own.taken--;
        } else {
            host.besides--;
            own.hasOneBesides = false;
        }
        forgetIfUnused(place, host, own);
    }

    private void forgetIfUnused(HostPlace place, OfHost host, OfPlace own) {
        if (own.taken == 0 && !own.hasOneBesides) {
            host.places.remove(place.name());
            if (host.places.isEmpty()) {
                hosts.remove(place.host());
            }
        }
    }

    /** Returns whether a place has no permit but one besides those that are shared. */
    public boolean hasOnlyOneBesides(HostPlace place) {
        var host = hosts.get(place.host());
        var own = host == null ? null : host.places.get(place.name());
        return own != null && own.taken == 0;
    }

    /** Returns whether any is taken. */
    public boolean isUsed() {
        return !hosts.isEmpty();
    }
}
