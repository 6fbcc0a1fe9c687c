package io.github.rpcrdma4j.rpcrdma.metrics;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a client or a server has counted since its start, at one moment. Immutable.
 *
 * @param values all that every client and server counts, and what a profile has counted
 */
public record Statistics(Map<Counted, Long> values) {
    /** Copies the values. */
    public Statistics {
        values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
    }

    /** How much was counted; 0 if there was nothing to count. */
    public long value(Counted counted) {
        return values.getOrDefault(counted, 0L);
    }
}
