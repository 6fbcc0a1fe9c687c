package io.github.rpcrdma4j.rpcrdma.connection;

import io.github.rpcrdma4j.oncrpc.spi.HostPort;
import io.github.rpcrdma4j.rpcrdma.events.Recordings;
import io.github.rpcrdma4j.rpcrdma.metrics.Counted;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.metrics.Statistics;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * The live counters of a client or a server. Thread-safe.
 *
 * <p>Tests: {@code RecordedEventsTest}, {@code BuildersTest}.
 */
public final class Counters {
    private final LongAdder[] counts;

    /** The counters that profiles define. */
    private final Map<Counted, LongAdder> others;

    /** What one connection has carried; null if the counters are not those of one. */
    private final Carried carried;

    private final String side;

    /** Empty if the counters are not those of one connection. */
    private final String peer;

    public Counters() {
        this(new LongAdder[Counter.values().length], new ConcurrentHashMap<>(), null, "", "");
        for (int i = 0; i < counts.length; i++) {
            counts[i] = new LongAdder();
        }
    }

    private Counters(
            LongAdder[] counts,
            Map<Counted, LongAdder> others,
            Carried carried,
            String side,
            String peer) {
        this.counts = counts;
        this.others = others;
        this.carried = carried;
        this.side = side;
        this.peer = peer;
    }

    /**
     * Returns these counters for one connection. What it counts is counted here too, and its chunk
     * events name its side and peer.
     *
     * @param ofSide client or server
     * @param ofPeer the address of the peer
     */
    public Counters of(String ofSide, InetSocketAddress ofPeer) {
        return new Counters(counts, others, new Carried(), ofSide, HostPort.text(ofPeer));
    }

    /** What one connection has carried. Thread-safe. */
    public static final class Carried {
        private final LongAdder calls = new LongAdder();
        private final LongAdder callBytes = new LongAdder();
        private final LongAdder replyBytes = new LongAdder();

        private void count(Counter counter, long amount) {
            switch (counter) {
                case CALLS -> calls.add(amount);
                case INLINE_CALL_BYTES, READ_CHUNK_BYTES, LONG_CALL_BYTES -> callBytes.add(amount);
                case INLINE_REPLY_BYTES, WRITE_CHUNK_BYTES, REPLY_CHUNK_BYTES ->
                        replyBytes.add(amount);
                case CONNECTIONS_OPENED, CONNECTIONS_ENDED, CONNECTIONS_REFUSED -> {}
                case CONNECTIONS_IDLE, PEERS_STALLED, CALLS_DELAYED, REPLIES -> {}
                case READ_CHUNKS, LONG_CALLS, WRITE_CHUNKS, REPLY_CHUNKS -> {}
                case REMOTE_INVALIDATIONS, VERSION_ERRORS, CHUNK_ERRORS, DISCARDED -> {}
            }
        }

        /** Returns how many calls it has carried. */
        public long calls() {
            return calls.sum();
        }

        /** Returns the bytes of these calls. */
        public long callBytes() {
            return callBytes.sum();
        }

        /** Returns the bytes of replies. */
        public long replyBytes() {
            return replyBytes.sum();
        }
    }

    /**
     * Returns what the connection has carried; what a profile alone counts is not in it.
     *
     * @throws IllegalStateException if the counters are not those of one connection
     */
    public Carried carried() {
        if (carried == null) {
            throw new IllegalStateException("these counters are those of all connections");
        }
        return carried;
    }

    /** Adds one. */
    public void count(Counted counted) {
        count(counted, 1);
    }

    /** Adds {@code amount}. */
    public void count(Counted counted, long amount) {
        adder(counted).add(amount);
        if (carried != null && counted instanceof Counter counter) {
            carried.count(counter, amount);
        }
    }

    /**
     * Counts a chunk, and records that it was offered, fetched or filled.
     *
     * @param chunks the counter of chunks of this kind
     * @param bytes the counter of their bytes
     * @param xid the XID of the call with the chunk
     * @param length the length of the chunk in bytes
     */
    public void countChunk(Counter chunks, Counter bytes, int xid, long length) {
        count(chunks);
        count(bytes, length);
        Recordings.chunk(side, peer, chunks.words(), xid, length);
    }

    /** Returns the present value of a counter. */
    public long value(Counted counted) {
        return adder(counted).sum();
    }

    private LongAdder adder(Counted counted) {
        return counted instanceof Counter counter
                ? counts[counter.ordinal()]
                : others.computeIfAbsent(counted, _ -> new LongAdder());
    }

    /** Returns the present values of all counters. */
    public Statistics snapshot() {
        var values = new LinkedHashMap<Counted, Long>();
        for (var counter : Counter.values()) {
            values.put(counter, value(counter));
        }
        others.forEach((counted, adder) -> values.put(counted, adder.sum()));
        return new Statistics(values);
    }
}
