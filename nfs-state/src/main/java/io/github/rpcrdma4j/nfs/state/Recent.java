package io.github.rpcrdma4j.nfs.state;

import java.util.LinkedHashMap;
import java.util.SequencedMap;

/**
 * Remembers for a short time to whom something has happened; the latest alone, if there are many.
 *
 * @param <K> what it has happened to
 */
final class Recent<K> {
    private final long nanos;
    private final int max;

    /** When it has happened last, the longest ago first. */
    private final SequencedMap<K, Long> times = new LinkedHashMap<>();

    Recent(long nanos, int max) {
        this.nanos = nanos;
        this.max = max;
    }

    /** It happens now. */
    void add(K key, long now) {
        times.remove(key);
        times.put(key, now);
        if (times.size() > max || now - times.firstEntry().getValue() > nanos) {
            times.pollFirstEntry();
        }
    }

    boolean has(K key, long now) {
        var time = times.get(key);
        return time != null && now - time <= nanos;
    }
}
