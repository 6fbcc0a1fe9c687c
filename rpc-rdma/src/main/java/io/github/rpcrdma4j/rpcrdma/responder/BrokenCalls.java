package io.github.rpcrdma4j.rpcrdma.responder;

import java.util.LinkedHashMap;

/**
 * Calls whose chunks broke the connection that they came by: a requester that sends one again would
 * break the next as well, and so on without an end (RFC 8166, Section 4.5.3). Clients are known by
 * their addresses, as they come back from other ports. Thread-safe. Time comes from outside.
 */
public final class BrokenCalls {
    /** Knows none. */
    public BrokenCalls() {}

    /** Calls that are known at a time; above it the oldest goes. */
    static final int ENTRIES_MAX = 1024;

    /** How long a call is known, in nanoseconds. */
    static final long AGE_NANOS = 120_000_000_000L;

    private record Key(String client, int xid) {}

    /** When each broke its connection; the oldest comes first. */
    private final LinkedHashMap<Key, Long> calls = new LinkedHashMap<>();

    /**
     * A call broke its connection.
     *
     * @param client its address, without port
     * @param now nanoseconds of any origin
     */
    public synchronized void add(String client, int xid, long now) {
        var key = new Key(client, xid);
        calls.remove(key);
        if (calls.size() == ENTRIES_MAX) {
            calls.pollFirstEntry();
        }
        calls.put(key, now);
    }

    /** Whether a call of that XID broke a connection of the client. */
    public synchronized boolean contains(String client, int xid, long now) {
        var since = calls.get(new Key(client, xid));
        return since != null && now - since < AGE_NANOS;
    }
}
