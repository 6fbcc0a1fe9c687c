package io.github.rpcrdma4j.nfs.server.lock;

import java.util.HashMap;
import java.util.Map;

/**
 * Places for what is under way for hosts, each with a thread: some for all, few for one.
 * Thread-safe.
 *
 * @param <H> what tells hosts apart
 */
final class Places<H> {
    private final int max;
    private final int ofHostMax;

    /** How many each host has taken; never 0. Its monitor guards it and the sum. */
    private final Map<H, Integer> taken = new HashMap<>();

    private int total;

    Places(int max, int ofHostMax) {
        this.max = max;
        this.ofHostMax = ofHostMax;
    }

    /** Takes a place. Returns whether there was one. */
    boolean take(H host) {
        synchronized (taken) {
            int own = taken.getOrDefault(host, 0);
            if (total == max || own == ofHostMax) {
                return false;
            }
            taken.put(host, own + 1);
            total++;
            return true;
        }
    }

    /** Gives a place back. */
    void giveBack(H host) {
        synchronized (taken) {
            taken.computeIfPresent(host, (_, own) -> own == 1 ? null : own - 1);
            total--;
        }
    }
}
