package io.github.rpcrdma4j.capture;

import java.io.IOException;
import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * Brings packets into the order of their times. Files that were merged, and adapters with several
 * queues, have packets of one direction behind later ones of the other. Packets of one time keep
 * their order.
 *
 * <p>A bounded number of bytes waits for earlier packets, so that a capture may have any length. A
 * packet that is further out of order is passed on late.
 *
 * <p>Not thread-safe.
 */
public final class PacketOrder {
    /** The most bytes that wait, with the memory of their packets. */
    public static final long WAITING_MAX = 64 << 20;

    private static final long PACKET_OVERHEAD = 128;

    private final PacketReader reader;
    private final long waitingMax;
    private final PriorityQueue<Packet> waiting =
            new PriorityQueue<>(
                    Comparator.comparingLong(Packet::nanos).thenComparingLong(Packet::number));
    private long waitingBytes;
    private boolean atEnd;
    private long latestRead = Long.MIN_VALUE;
    private long latestPassed = Long.MIN_VALUE;
    private long moved;
    private long late;

    /** Reads all packets of {@code reader}. */
    public PacketOrder(PacketReader reader) {
        this(reader, WAITING_MAX);
    }

    /**
     * Reads all packets of {@code reader}.
     *
     * @param waitingMax the most bytes that wait
     */
    PacketOrder(PacketReader reader, long waitingMax) {
        this.reader = reader;
        this.waitingMax = waitingMax;
    }

    /**
     * Returns the next packet; null after the last one.
     *
     * @throws IOException if the stream cannot be read
     */
    public Packet next() throws IOException {
        while (!atEnd && (waiting.isEmpty() || waitingBytes <= waitingMax)) {
            read();
        }
        var next = waiting.poll();
        if (next != null) {
            waitingBytes -= bytes(next);
            late += next.nanos() < latestPassed ? 1 : 0;
            latestPassed = Math.max(latestPassed, next.nanos());
        }
        return next;
    }

    private void read() throws IOException {
        var packet = reader.next();
        atEnd = packet == null;
        if (!atEnd) {
            moved += packet.nanos() < latestRead ? 1 : 0;
            latestRead = Math.max(latestRead, packet.nanos());
            waiting.add(packet);
            waitingBytes += bytes(packet);
        }
    }

    private static long bytes(Packet packet) {
        return packet.bytes().remaining() + PACKET_OVERHEAD;
    }

    /** Returns how many packets so far were read behind a packet of a later time. */
    public long moved() {
        return moved;
    }

    /** Returns how many packets so far were passed on behind a packet of a later time. */
    public long late() {
        return late;
    }
}
