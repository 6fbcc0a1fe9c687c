package io.github.rpcrdma4j.rpcrdma.v2.characteristics;

import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The servers that were found to speak only version 1, which need no other probe for a while
 * (V2-5.2-3). The number is bounded; the oldest entry is removed first. Thread-safe. Times are
 * nanoseconds of any origin.
 */
public final class VersionMemory {
    private final int serversMax;
    private final long nanos;
    private final Map<InetSocketAddress, Long> servers = new LinkedHashMap<>();

    /**
     * @param serversMax the most servers
     * @param nanos how long an entry is valid, in nanoseconds: the server may be replaced by a
     *     newer one
     */
    public VersionMemory(int serversMax, long nanos) {
        this.serversMax = serversMax;
        this.nanos = nanos;
    }

    /** Records that a server speaks only version 1. */
    public synchronized void remember(InetSocketAddress server, long now) {
        servers.remove(server);
        if (servers.size() == serversMax) {
            servers.remove(servers.keySet().iterator().next());
        }
        servers.put(server, now);
    }

    /** Returns whether a valid entry says that the server speaks only version 1. */
    public synchronized boolean speaks1Alone(InetSocketAddress server, long now) {
        var since = servers.get(server);
        return since != null && now - since < nanos;
    }
}
