package io.github.rpcrdma4j.capture;

import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Puts the bytes of TCP connections in order. Bytes out of order wait for the missing ones, and
 * retransmitted bytes are passed on once. Bytes that the receiver acknowledged and the capture
 * lacks are a gap. A capture may start in the middle of a connection.
 *
 * <p>Not thread-safe.
 */
public final class TcpReassembly {
    /** The most connections that are followed; packets of further ones are skipped. */
    public static final int CONNECTIONS_MAX = 1 << 16;

    /**
     * The most bytes out of order that one direction keeps; beyond it the missing bytes are given
     * up.
     */
    private static final long HELD_MAX = 16 << 20;

    /** The most bytes out of order that all connections together keep. */
    private static final long ALL_HELD_MAX = 64 << 20;

    /**
     * The most packets of a connection between an acknowledgment and the acknowledged bytes, as
     * captures are not always in order.
     */
    private static final int LATE_MAX = 64;

    /**
     * The longest distance of a segment from the next byte, in bytes. A more distant one is beyond
     * any window, so it is damaged.
     */
    private static final long DISTANCE_MAX = 1 << 30;

    /** Receives all events in order, during {@link #add} and {@link #finish}. */
    public interface Watcher {
        /**
         * Reports a connection at its first packet.
         *
         * @param connection its number, from 1
         * @param client the side that opened it; if the capture does not show that, the first
         *     sender
         * @param whole whether the connection starts in the capture
         */
        void opened(int connection, Endpoint client, Endpoint server, boolean whole);

        /**
         * Passes on the next bytes of one direction.
         *
         * @param fromClient whether the client sent them
         * @param packet the packet with these bytes, or the one that completed the bytes before
         *     them
         * @param bytes the bytes, as a view
         */
        void data(int connection, boolean fromClient, Packet packet, ByteBuffer bytes);

        /** Reports that the next {@code bytes} bytes of one direction are not in the capture. */
        void gap(int connection, boolean fromClient, Packet packet, long bytes);

        /** Reports that one side sends no more, by a FIN or a reset. */
        void closed(int connection, boolean fromClient, Packet packet, boolean reset);
    }

    /** The counts of packets seen so far: in all, with TCP, IP fragments, of unknown link types. */
    public record Counts(long packets, long tcp, long fragments, long unknownLinks) {}

    /**
     * The two ends of a connection. They have an order because a capture can hold any number of
     * connections whose ends have one hash code.
     */
    private record Ends(Endpoint from, Endpoint to) implements Comparable<Ends> {
        private static final Comparator<Endpoint> ORDER =
                Comparator.comparingInt(Endpoint::port)
                        .thenComparingLong(Endpoint::low)
                        .thenComparingLong(Endpoint::high)
                        .thenComparing(Endpoint::v6);

        private Ends reversed() {
            return new Ends(to, from);
        }

        @Override
        public int compareTo(Ends other) {
            int compared = ORDER.compare(from, other.from);
            return compared != 0 ? compared : ORDER.compare(to, other.to);
        }
    }

    private static final class Half {
        private final boolean fromClient;
        private boolean known;
        private boolean closed;

        /** The sequence number of the first byte. */
        private int first;

        /** How many bytes were passed on or given up. */
        private long next;

        /** How many bytes the other side acknowledged. */
        private long acknowledged;

        private final TreeMap<Long, ByteBuffer> held = new TreeMap<>();
        private long heldBytes;
        private int late;

        private Half(boolean fromClient) {
            this.fromClient = fromClient;
        }

        private void start(int sequence) {
            known = true;
            first = sequence;
        }

        private long position(int sequence) {
            return next + (sequence - (first + (int) next));
        }
    }

    private static final class Connection {
        private final int number;
        private final Endpoint client;
        private final Half up = new Half(true);
        private final Half down = new Half(false);
        private Packet latest;

        private Connection(int number, Endpoint client) {
            this.number = number;
            this.client = client;
        }

        private Half from(Endpoint sender) {
            return sender.equals(client) ? up : down;
        }
    }

    private final Watcher watcher;
    private final Map<Ends, Connection> open = new HashMap<>();
    private int opened;
    private long held;
    private long packets;
    private long tcp;
    private long fragments;
    private long unknownLinks;

    /** Makes a reassembly that reports to {@code watcher}. */
    public TcpReassembly(Watcher watcher) {
        this.watcher = watcher;
    }

    /** Returns the counts of the packets added so far. */
    public Counts counts() {
        return new Counts(packets, tcp, fragments, unknownLinks);
    }

    /** Adds the next packet of the capture. */
    public void add(Packet packet) {
        packets++;
        if (!LinkLayer.knows(packet.linkType())) {
            unknownLinks++;
            return;
        }
        switch (TcpSegment.decode(packet.linkType(), packet.bytes())) {
            case TcpSegment.Decoded.Other() -> {}
            case TcpSegment.Decoded.Fragment() -> fragments++;
            case TcpSegment.Decoded.Tcp(var segment) -> {
                tcp++;
                var connection = connection(segment);
                if (connection != null) {
                    connection.latest = packet;
                    take(connection, segment);
                }
            }
        }
    }

    /** Returns the connection of a segment; null if there are too many connections. */
    private Connection connection(TcpSegment segment) {
        var ends = new Ends(segment.from(), segment.to());
        var known = open.get(ends);
        if (known == null) {
            known = open.get(ends.reversed());
        }
        boolean opens = segment.has(TcpSegment.SYN) && !segment.has(TcpSegment.ACK);
        if (known != null && !(opens && isAnother(known, segment))) {
            return known;
        }
        if (known != null) {
            finish(known);
            open.remove(ends);
            open.remove(ends.reversed());
        }
        if (opened == CONNECTIONS_MAX) {
            return null;
        }
        boolean answers = segment.has(TcpSegment.SYN) && segment.has(TcpSegment.ACK);
        var client = answers ? segment.to() : segment.from();
        var server = answers ? segment.from() : segment.to();
        var connection = new Connection(++opened, client);
        open.put(new Ends(client, server), connection);
        watcher.opened(connection.number, client, server, opens || answers);
        return connection;
    }

    /** Returns whether a SYN opens a new connection between known endpoints. */
    private static boolean isAnother(Connection known, TcpSegment syn) {
        var half = known.from(syn.from());
        return half.known && (half.closed || half.first != syn.sequence() + 1);
    }

    private void take(Connection connection, TcpSegment segment) {
        var half = connection.from(segment.from());
        var other = half == connection.up ? connection.down : connection.up;
        boolean syn = segment.has(TcpSegment.SYN);
        int sequence = segment.sequence() + (syn ? 1 : 0);
        if (!half.known) {
            half.start(sequence);
        }
        if (segment.has(TcpSegment.ACK) && other.known) {
            long acknowledged = other.position(segment.acknowledgment());
            if (acknowledged - other.next < DISTANCE_MAX) {
                other.acknowledged = Math.max(other.acknowledged, acknowledged);
            }
        }
        if (segment.length() > 0) {
            data(connection, half, sequence, segment);
        }
        giveUp(connection, half);
        giveUp(connection, other);
        if (segment.has(TcpSegment.FIN) || segment.has(TcpSegment.RST)) {
            close(connection, half, segment.has(TcpSegment.RST));
        }
    }

    private void close(Connection connection, Half half, boolean reset) {
        if (!half.closed) {
            half.closed = true;
            watcher.closed(connection.number, half.fromClient, connection.latest, reset);
        }
    }

    private void data(Connection connection, Half half, int sequence, TcpSegment segment) {
        long at = half.position(sequence);
        var payload = segment.payload();
        if (Math.abs(at - half.next) > DISTANCE_MAX) {
            return;
        }
        if (at > half.next) {
            hold(half, at, payload);
            return;
        }
        pass(connection, half, at, payload);
        long missing = at + segment.length() - half.next;
        if (missing > 0 && payload.remaining() < segment.length()) {
            // The capture kept only the start of each packet.
            skip(connection, half, missing);
        }
        drain(connection, half);
    }

    private void hold(Half half, long at, ByteBuffer payload) {
        var there = half.held.get(at);
        if (there == null || there.remaining() < payload.remaining()) {
            half.held.put(at, payload);
            int more = payload.remaining() - (there == null ? 0 : there.remaining());
            half.heldBytes += more;
            held += more;
        }
    }

    /** Passes on the new bytes of a payload that starts at or before the next byte. */
    private void pass(Connection connection, Half half, long at, ByteBuffer payload) {
        long seen = half.next - at;
        if (seen < payload.remaining()) {
            int from = payload.position() + (int) seen;
            var fresh = payload.slice(from, payload.limit() - from);
            half.next += fresh.remaining();
            half.late = 0;
            watcher.data(connection.number, half.fromClient, connection.latest, fresh);
        }
    }

    private void drain(Connection connection, Half half) {
        while (!half.held.isEmpty() && half.held.firstKey() <= half.next) {
            var first = half.held.pollFirstEntry();
            half.heldBytes -= first.getValue().remaining();
            held -= first.getValue().remaining();
            pass(connection, half, first.getKey(), first.getValue());
        }
    }

    private void skip(Connection connection, Half half, long bytes) {
        half.next += bytes;
        half.late = 0;
        watcher.gap(connection.number, half.fromClient, connection.latest, bytes);
    }

    /** Gives up missing bytes that cannot arrive any more. */
    private void giveUp(Connection connection, Half half) {
        if (half.held.isEmpty()) {
            return;
        }
        boolean arrived = half.acknowledged >= half.held.firstKey();
        boolean tooMuch = half.heldBytes > HELD_MAX || held > ALL_HELD_MAX;
        if ((arrived && ++half.late > LATE_MAX) || tooMuch) {
            skip(connection, half, half.held.firstKey() - half.next);
            drain(connection, half);
        }
    }

    /** Ends the capture: gives up all missing bytes and passes on the waiting ones. */
    public void finish() {
        open.values().stream()
                .sorted((a, b) -> Integer.compare(a.number, b.number))
                .forEach(this::finish);
        open.clear();
    }

    private void finish(Connection connection) {
        for (var half : List.of(connection.up, connection.down)) {
            while (!half.held.isEmpty()) {
                skip(connection, half, half.held.firstKey() - half.next);
                drain(connection, half);
            }
        }
    }
}
