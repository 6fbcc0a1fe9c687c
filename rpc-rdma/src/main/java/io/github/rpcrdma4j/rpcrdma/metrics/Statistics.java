package io.github.rpcrdma4j.rpcrdma.metrics;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** The counters of a client or a server, from its start. Thread-safe. */
public final class Statistics {
    private final LongAdder[] counts = new LongAdder[Counter.values().length];

    public Statistics() {
        for (int i = 0; i < counts.length; i++) {
            counts[i] = new LongAdder();
        }
    }

    /** Adds one. */
    public void count(Counter counter) {
        counts[counter.ordinal()].increment();
    }

    /** Adds {@code amount}. */
    public void count(Counter counter, long amount) {
        counts[counter.ordinal()].add(amount);
    }

    public long value(Counter counter) {
        return counts[counter.ordinal()].sum();
    }

    /** All counters, in their order; a copy. */
    public Map<Counter, Long> values() {
        var values = new EnumMap<Counter, Long>(Counter.class);
        for (var counter : Counter.values()) {
            values.put(counter, value(counter));
        }
        return values;
    }
}
