package io.github.rpcrdma4j.oncrpc.spi;

import java.util.concurrent.ConcurrentHashMap;

/**
 * The kinds of lines that were logged within the last minute. A client may have a quarter of the
 * places that the others leave, but one at least, so no client keeps the lines of others out of the
 * log. Thread-safe. Times are arguments, in nanoseconds of any origin.
 */
final class LoggedKinds {
    /** The part of what others leave that one client may have. */
    private static final int PART = 4;

    private record Entry(Object client, long logged) {}

    private final int max;
    private final long silenceNanos;
    private final ConcurrentHashMap<String, Entry> entries = new ConcurrentHashMap<>();

    /**
     * @param max the most kinds
     * @param silenceNanos how long a kind is not logged again
     */
    LoggedKinds(int max, long silenceNanos) {
        this.max = max;
        this.silenceNanos = silenceNanos;
    }

    /** Returns whether a line of this side's own is to be logged, and notes that it is. */
    boolean isNew(String kind, long now) {
        return isNew("", kind, now);
    }

    /**
     * Returns whether a line about a client is to be logged, and notes that it is.
     *
     * @param client equal to that of the other lines about it
     */
    boolean isNewOf(Object client, String kind, long now) {
        return isNew(client, client + " " + kind, now);
    }

    private boolean isNew(Object client, String kind, long now) {
        var before = entries.get(kind);
        if (before != null && now - before.logged < silenceNanos) {
            return false;
        }
        return isAdded(client, kind, now);
    }

    private synchronized boolean isAdded(Object client, String kind, long now) {
        entries.values().removeIf(each -> now - each.logged >= silenceNanos);
        return !entries.containsKey(kind)
                && hasRoom(client)
                && entries.put(kind, new Entry(client, now)) == null;
    }

    private boolean hasRoom(Object client) {
        if (entries.size() >= max) {
            return false;
        }
        long own = entries.values().stream().filter(each -> each.client.equals(client)).count();
        long others = entries.size() - own;
        return client.equals("") || own < Math.max(1, (max - others) / PART);
    }
}
