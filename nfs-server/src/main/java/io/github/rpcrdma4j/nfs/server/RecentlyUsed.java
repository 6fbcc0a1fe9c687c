package io.github.rpcrdma4j.nfs.server;

import java.util.concurrent.ConcurrentHashMap;

/**
 * Remembers what was used recently: at least the half of {@code max} that was used last, at most
 * {@code max} and one more for each thread that learns at the same time. Finding takes no lock:
 * there are two maps, and when the younger is full it takes the place of the older, which is
 * forgotten. Thread-safe.
 *
 * @param <K> what is looked for, with {@code equals}
 * @param <V> what is known of it; equal for every thread that finds it out
 */
final class RecentlyUsed<K, V> {
    private final int halfMax;
    private volatile Halves<K, V> halves = new Halves<>();

    private record Halves<K, V>(ConcurrentHashMap<K, V> younger, ConcurrentHashMap<K, V> older) {
        Halves() {
            this(new ConcurrentHashMap<>(), new ConcurrentHashMap<>());
        }
    }

    /**
     * @param max how much is remembered at most; at least 2
     */
    RecentlyUsed(int max) {
        this.halfMax = max / 2;
    }

    /** What is known; null if nothing is. */
    V find(K key) {
        var now = halves;
        var value = now.younger.get(key);
        if (value == null) {
            value = now.older.get(key);
            if (value != null) {
                learn(key, value);
            }
        }
        return value;
    }

    void learn(K key, V value) {
        var now = halves;
        if (now.younger.mappingCount() >= halfMax) {
            synchronized (this) {
                // A thread that waited here finds the maps changed.
                if (halves == now) {
                    halves = new Halves<>(new ConcurrentHashMap<>(), now.younger);
                }
                now = halves;
            }
        }
        now.younger.put(key, value);
    }

    /** How much is remembered. */
    long size() {
        var now = halves;
        return now.younger.mappingCount() + now.older.mappingCount();
    }
}
