package io.github.rpcrdma4j.rpcrdma.metrics;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A snapshot of the counters of a client or a server since its start. Immutable.
 *
 * @param values the value of each {@link Counter}, and of each counter that a profile has used
 */
public record Statistics(Map<Counted, Long> values) {
    /** Copies the values. */
    public Statistics {
        values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
    }

    /** Returns the value of a counter; 0 if the snapshot does not have it. */
    public long value(Counted counted) {
        return values.getOrDefault(counted, 0L);
    }
}
