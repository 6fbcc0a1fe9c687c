package io.github.rpcrdma4j.nfs.server.state;

import java.util.HashMap;
import java.util.Map;

/**
 * Permits for calls that hold something, shared between the hosts. A host that has none gets one
 * even if all are taken: else a few hosts could keep another one from any. So there are at most as
 * many more as there are hosts. Not thread-safe.
 */
public final class HostPermits {
    private final int max;
    private final int ofHostMax;

    /** How many each host has taken; never 0. */
    private final Map<Host, Integer> hosts = new HashMap<>();

    private int taken;

    /**
     * @param max how many there are, besides one for each host
     * @param ofHostMax how many one host gets at most, if its share is not less
     */
    public HostPermits(int max, int ofHostMax) {
        this.max = max;
        this.ofHostMax = ofHostMax;
    }

    /**
     * Takes a permit.
     *
     * @param host null stands for a host of its own
     * @return whether there was one
     */
    public boolean take(Host host) {
        int own = hosts.getOrDefault(host, 0);
        long share = Math.min(ofHostMax, Host.share(max, taken - own, 1));
        if (own > 0 && (taken >= max || own >= share)) {
            return false;
        }
        taken++;
        hosts.merge(host, 1, Integer::sum);
        return true;
    }

    /** Gives a permit back. */
    public void giveBack(Host host) {
        taken--;
        hosts.computeIfPresent(host, (_, own) -> own == 1 ? null : own - 1);
    }
}
