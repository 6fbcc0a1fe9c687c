package io.github.rpcrdma4j.rpcrdma.v2.characteristics;

import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The servers that were found to speak version 1 alone: not worth another try for a while
 * (V2-5.2-3). Bounded; the oldest are forgotten first. Thread-safe; times are nanoseconds of any
 * origin.
 */
public final class VersionMemory {
    private final int serversMax;
    private final long nanos;
    private final Map<InetSocketAddress, Long> servers = new LinkedHashMap<>();

    /**
     * @param serversMax the most servers
     * @param nanos how long one is remembered: it may be replaced by a newer one
     */
    public VersionMemory(int serversMax, long nanos) {
        this.serversMax = serversMax;
        this.nanos = nanos;
    }

    /** A server speaks version 1 alone. */
    public synchronized void remember(InetSocketAddress server, long now) {
        servers.remove(server);
        if (servers.size() == serversMax) {
            servers.remove(servers.keySet().iterator().next());
        }
        servers.put(server, now);
    }

    /** Whether that is remembered of a server. */
    public synchronized boolean speaks1Alone(InetSocketAddress server, long now) {
        var since = servers.get(server);
        return since != null && now - since < nanos;
    }
}
