package io.github.rpcrdma4j.rpcrdma.metrics;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** What a client or a server has counted since its start. Thread-safe. */
public final class Statistics {
    /** What can be counted: each {@link Counter}, and what a profile counts beside those. */
    public interface Counted {
        /** The name for a user. */
        String words();
    }

    private final LongAdder[] counts = new LongAdder[Counter.values().length];

    /** Of profiles. */
    private final Map<Counted, LongAdder> others = new ConcurrentHashMap<>();

    public Statistics() {
        for (int i = 0; i < counts.length; i++) {
            counts[i] = new LongAdder();
        }
    }

    /** Adds one. */
    public void count(Counted counted) {
        adder(counted).increment();
    }

    /** Adds {@code amount}. */
    public void count(Counted counted, long amount) {
        adder(counted).add(amount);
    }

    public long value(Counted counted) {
        return adder(counted).sum();
    }

    private LongAdder adder(Counted counted) {
        return counted instanceof Counter counter
                ? counts[counter.ordinal()]
                : others.computeIfAbsent(counted, _ -> new LongAdder());
    }

    /** All that can be counted by every client and server, and all that was; a copy. */
    public Map<Counted, Long> values() {
        var values = new LinkedHashMap<Counted, Long>();
        for (var counter : Counter.values()) {
            values.put(counter, value(counter));
        }
        others.forEach((counted, adder) -> values.put(counted, adder.sum()));
        return values;
    }
}
