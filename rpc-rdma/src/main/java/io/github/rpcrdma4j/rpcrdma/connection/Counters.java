package io.github.rpcrdma4j.rpcrdma.connection;

import io.github.rpcrdma4j.rpcrdma.events.ChunkEvent;
import io.github.rpcrdma4j.rpcrdma.metrics.Counted;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.metrics.Statistics;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts what a client or a server does. Thread-safe. */
public final class Counters {
    private final LongAdder[] counts = new LongAdder[Counter.values().length];

    /** Of profiles. */
    private final Map<Counted, LongAdder> others = new ConcurrentHashMap<>();

    public Counters() {
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

    /**
     * Counts a chunk, and records that it was offered or filled.
     *
     * @param chunks what counts chunks of its kind
     * @param bytes what counts their bytes
     * @param xid of the call that it belongs to
     */
    public void countChunk(Counter chunks, Counter bytes, int xid, long length) {
        count(chunks);
        count(bytes, length);
        ChunkEvent.record(chunks.words(), xid, length);
    }

    /** What was counted so far. */
    public long value(Counted counted) {
        return adder(counted).sum();
    }

    private LongAdder adder(Counted counted) {
        return counted instanceof Counter counter
                ? counts[counter.ordinal()]
                : others.computeIfAbsent(counted, _ -> new LongAdder());
    }

    /** All that was counted so far. */
    public Statistics snapshot() {
        var values = new LinkedHashMap<Counted, Long>();
        for (var counter : Counter.values()) {
            values.put(counter, value(counter));
        }
        others.forEach((counted, adder) -> values.put(counted, adder.sum()));
        return new Statistics(values);
    }
}
