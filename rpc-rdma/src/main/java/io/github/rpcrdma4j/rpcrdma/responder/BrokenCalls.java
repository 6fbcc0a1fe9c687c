package io.github.rpcrdma4j.rpcrdma.responder;

import io.github.rpcrdma4j.oncrpc.KeyedHash;
import java.util.LinkedHashMap;
import java.util.function.Supplier;

/**
 * The recent calls whose chunks broke their connection. A requester that repeats such a call would
 * break every further connection (RFC 8166, Section 4.5.3). A call of another user of the same host
 * may have the same XID, so a call is known by its content too. Thread-safe. Times are arguments.
 */
public final class BrokenCalls {
    /** The most calls in the table. Beyond that, the oldest is removed. */
    static final int ENTRIES_MAX = 1024;

    /** How long a call stays in the table, in nanoseconds. */
    static final long AGE_NANOS = 120_000_000_000L;

    /**
     * Who made a call. Clients reconnect from other ports, so the port is no part of it.
     *
     * @param client the client that the quotas know: on this machine, the user
     * @param address the address, without port
     */
    public record Peer(Object client, String address) {}

    private record Key(Peer peer, CallMark mark) {
        @Override
        public int hashCode() {
            return KeyedHash.of(KeyedHash.of(peer.address()), mark.xid(), mark.checksum());
        }
    }

    /** The time at which each call broke its connection, oldest first. */
    private final LinkedHashMap<Key, Long> calls = new LinkedHashMap<>();

    /** Creates an empty table. */
    public BrokenCalls() {}

    /**
     * Adds a call that broke its connection.
     *
     * @param now the time in nanoseconds of any origin
     */
    public synchronized void add(Peer peer, CallMark mark, long now) {
        var key = new Key(peer, mark);
        calls.remove(key);
        if (calls.size() == ENTRIES_MAX) {
            calls.pollFirstEntry();
        }
        calls.put(key, now);
    }

    /**
     * Returns whether a call is one that broke a connection recently.
     *
     * @param mark makes the mark of the call, unless no call broke a connection
     */
    public synchronized boolean contains(Peer peer, Supplier<CallMark> mark, long now) {
        if (calls.isEmpty()) {
            return false;
        }
        var since = calls.get(new Key(peer, mark.get()));
        return since != null && now - since < AGE_NANOS;
    }
}
