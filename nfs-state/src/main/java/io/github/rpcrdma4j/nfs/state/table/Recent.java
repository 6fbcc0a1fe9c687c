package io.github.rpcrdma4j.nfs.state.table;

import java.util.LinkedHashMap;
import java.util.SequencedMap;

/**
 * Remembers for a short time to whom something has happened; the latest alone, if there are many.
 *
 * @param <K> what it has happened to
 */
public final class Recent<K> {
    private final long nanos;
    private final int max;

    /** When it has happened last, the longest ago first. */
    private final SequencedMap<K, Long> times = new LinkedHashMap<>();

    public Recent(long nanos, int max) {
        this.nanos = nanos;
        this.max = max;
    }

    /** It happens now. */
    public void add(K key, long now) {
        times.remove(key);
        times.put(key, now);
        if (times.size() > max || now - times.firstEntry().getValue() > nanos) {
            times.pollFirstEntry();
        }
    }

    public boolean has(K key, long now) {
        var time = times.get(key);
        return time != null && now - time <= nanos;
    }
}
