package io.github.rpcrdma4j.nfs.state.table;

import io.github.rpcrdma4j.nfs.state.event.HostLock;
import io.github.rpcrdma4j.nfs.state.event.HostName;
import io.github.rpcrdma4j.nfs.state.event.HostRestart;
import io.github.rpcrdma4j.oncrpc.share.HostPermits;
import io.github.rpcrdma4j.oncrpc.share.HostPlace;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;

/**
 * The LOCKs of hosts that have arrived and are not decided: their files are being opened, or the
 * record of their host is being stored. An UNLOCK of such a host may overtake its LOCK, also on one
 * connection. The LOCK is void then: Linux would never unlock what that gets.
 *
 * <pre>
 *   arrived --is decided--> (forgotten)
 *       \--UNLOCK, CANCEL, restart--> void --is decided: DELAY--> (forgotten)
 * </pre>
 */
public final class HostArrivals {
    private static final int MAX = 4096;
    private static final int OF_HOST_MAX = 1024;

    private static final class Arrival {
        final HostLock lock;
        final int state;
        final HostPlace from;
        boolean isVoid;

        Arrival(HostLock lock, int state, HostPlace from) {
            this.lock = lock;
            this.state = state;
            this.from = from;
        }
    }

    private final HostPermits permits = new HostPermits(MAX, OF_HOST_MAX);

    /** Those of each host that has any, by their numbers. */
    private final Map<HostName, Map<Long, Arrival>> all = new HashMap<>();

    private long last;

    /**
     * Adds a LOCK.
     *
     * @param state the number of the start that it tells
     * @return its number; 0 if there is no room
     */
    public long add(HostName host, HostLock lock, int state, HostPlace from) {
        if (!permits.take(from)) {
            return 0;
        }
        last++;
        all.computeIfAbsent(host, _ -> new HashMap<>()).put(last, new Arrival(lock, state, from));
        return last;
    }

    /** Forgets a LOCK that is decided. */
    public void remove(HostName host, long number) {
        var ofHost = all.get(host);
        permits.giveBack(ofHost.remove(number).from);
        if (ofHost.isEmpty()) {
            all.remove(host);
        }
    }

    /** Returns whether a LOCK is not wanted any more. One that is not here always is. */
    public boolean isVoid(HostName host, long number) {
        var arrival = all.getOrDefault(host, Map.of()).get(number);
        return arrival != null && arrival.isVoid;
    }

    /**
     * A host does not want some locks any more.
     *
     * @return whether it had asked for any
     */
    public boolean giveUp(HostName host, Predicate<HostLock> which) {
        boolean isAny = false;
        for (var each : all.getOrDefault(host, Map.of()).values()) {
            if (!each.isVoid && which.test(each.lock)) {
                each.isVoid = true;
                isAny = true;
            }
        }
        return isAny;
    }

    /** A host has restarted: it does not want what it asked for in other starts. */
    public void giveUpOthers(HostRestart restart, HostName host) {
        for (var each : all.getOrDefault(host, Map.of()).values()) {
            each.isVoid |= !restart.starts().contains(each.state);
        }
    }
}
