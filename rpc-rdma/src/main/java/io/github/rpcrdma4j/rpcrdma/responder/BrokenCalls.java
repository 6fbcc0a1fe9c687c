package io.github.rpcrdma4j.rpcrdma.responder;

import io.github.rpcrdma4j.oncrpc.KeyedHash;
import java.util.LinkedHashMap;

/**
 * The recent calls whose chunks broke their connection. A requester that repeats such a call would
 * break every further connection (RFC 8166, Section 4.5.3). Clients are identified by address,
 * because they reconnect from other ports. Thread-safe. Times are arguments.
 */
public final class BrokenCalls {
    /** Creates an empty table. */
    public BrokenCalls() {}

    /** The most calls in the table. Beyond that, the oldest is removed. */
    static final int ENTRIES_MAX = 1024;

    /** How long a call stays in the table, in nanoseconds. */
    static final long AGE_NANOS = 120_000_000_000L;

    private record Key(String client, int xid) {
        @Override
        public int hashCode() {
            return KeyedHash.of(KeyedHash.of(client), xid);
        }
    }

    /** The time at which each call broke its connection, oldest first. */
    private final LinkedHashMap<Key, Long> calls = new LinkedHashMap<>();

    /**
     * Adds a call that broke its connection.
     *
     * @param client the address of the client, without port
     * @param now the time in nanoseconds of any origin
     */
    public synchronized void add(String client, int xid, long now) {
        var key = new Key(client, xid);
        calls.remove(key);
        if (calls.size() == ENTRIES_MAX) {
            calls.pollFirstEntry();
        }
        calls.put(key, now);
    }

    /** Returns whether a recent call with this XID broke a connection of the client. */
    public synchronized boolean contains(String client, int xid, long now) {
        var since = calls.get(new Key(client, xid));
        return since != null && now - since < AGE_NANOS;
    }
}
