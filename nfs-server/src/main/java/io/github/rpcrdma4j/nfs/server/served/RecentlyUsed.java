package io.github.rpcrdma4j.nfs.server.served;

import java.util.concurrent.ConcurrentHashMap;

/**
 * A cache of recently used entries. It keeps at least the {@code max/2} latest entries, and at most
 * {@code max} plus one for each concurrent {@link #put}. Finding takes no lock: there are two maps.
 * When the younger map is full, it replaces the older one, whose entries are dropped. Thread-safe.
 *
 * @param <K> the key, compared with {@code equals}
 * @param <V> the value; every thread that computes it for a key gets an equal one
 */
public final class RecentlyUsed<K, V> {
    private final int halfMax;
    private volatile Halves<K, V> halves = new Halves<>();

    private record Halves<K, V>(ConcurrentHashMap<K, V> younger, ConcurrentHashMap<K, V> older) {
        Halves() {
            this(new ConcurrentHashMap<>(), new ConcurrentHashMap<>());
        }
    }

    /**
     * @param max the most entries; at least 2
     */
    public RecentlyUsed(int max) {
        this.halfMax = max / 2;
    }

    /** Returns the value of a key; null if it is not in the cache. */
    public V find(K key) {
        var now = halves;
        var value = now.younger.get(key);
        if (value == null) {
            value = now.older.get(key);
            if (value != null) {
                put(key, value);
            }
        }
        return value;
    }

    public void put(K key, V value) {
        var now = halves;
        if (now.younger.mappingCount() >= halfMax) {
            synchronized (this) {
                // Another thread may have replaced the maps while this one waited for the lock.
                if (halves == now) {
                    halves = new Halves<>(new ConcurrentHashMap<>(), now.younger);
                }
                now = halves;
            }
        }
        now.younger.put(key, value);
    }

    /** Returns the number of entries. */
    long size() {
        var now = halves;
        return now.younger.mappingCount() + now.older.mappingCount();
    }
}
