package io.github.rpcrdma4j.rpcrdma.v2.transmission;

import io.github.rpcrdma4j.xdr.PayloadStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The layout of a message in the receive buffers of its peer.
 *
 * <pre>
 *   transmission 0   header | payload | zeros | bulk | bulk | ...
 *   transmission 1   header | payload | zeros | bulk
 *   transmission 2   header | payload ...
 * </pre>
 *
 * <p>While bulk data remains, payload extends no further than to the first segment for placement;
 * after that it fills whole buffers. An item starts at the start of a segment (RTR-7.2-5) and
 * shares no segment with another item. A segment that header or payload cover is skipped and keeps
 * its number (RTR-6.2-3). A continuation may have payload, bulk data or both (RTR-4.2-5). Every
 * item is listed (RTR-7.1-1, RTR-9.2-1), and a listed item is in no payload (RTR-3.3-2). The number
 * of Sends is known before the first (RTR-4.3-2, RTR-9.2-3). A Send ends with its last meaningful
 * byte.
 *
 * <p>Tests: {@code PlacedMessageTest}, {@code RandomLayoutsTest}.
 *
 * @param transmissions the Sends in order; at least one
 * @param numbers the segment numbers of each item
 */
public record SendPlan(List<Transmission> transmissions, List<List<Long>> numbers) {
    /** The header of a continuation, in bytes. */
    public static final int CONTINUATION_BYTES = 40;

    private static final MemorySegment ZEROS = Arena.global().allocate(4096).asReadOnly();

    /**
     * One Send.
     *
     * @param headerLength the length of its header, in bytes
     * @param payloadFrom where its part of the payload stream starts
     * @param payloadLength the length of that part, in bytes; a multiple of 4
     * @param bulk its pieces of bulk data, in buffer order
     * @param bytes the length of the Send
     */
    public record Transmission(
            long headerLength, long payloadFrom, long payloadLength, List<Piece> bulk, long bytes) {
        public Transmission {
            bulk = List.copyOf(bulk);
        }
    }

    /**
     * A piece of an item in one segment.
     *
     * @param item the index of the item
     * @param from the position of the first byte in the item
     * @param at the position of that byte in the Send
     * @param length the length, in bytes
     */
    public record Piece(int item, long from, long at, long length) {}

    /**
     * Returns the length of the first transmission's header, given how many segment numbers each
     * item has.
     */
    public interface HeaderLength {
        long bytes(List<Integer> numbers);
    }

    public SendPlan {
        transmissions = List.copyOf(transmissions);
        numbers = numbers.stream().map(List::copyOf).toList();
    }

    /**
     * Lays out a message.
     *
     * @param buffer how the receives of the peer are built
     * @param payloadLength the length of the payload, in bytes; a multiple of 4
     * @param items the length of each item that is placed, in bytes without padding; more than 0
     * @param header returns the length of the first header
     * @param max the most transmissions
     * @return empty if the message does not fit into so many, or has items and no segments for them
     */
    public static Optional<SendPlan> of(
            BufferLayout buffer,
            long payloadLength,
            List<Long> items,
            HeaderLength header,
            int max) {
        var segments = buffer.placementSegments();
        if (!items.isEmpty() && segments.isEmpty()) {
            return Optional.empty();
        }
        long largest = segments.stream().mapToLong(BufferSegment::length).max().orElse(1);
        var counts = new ArrayList<Integer>();
        for (long item : items) {
            long count = (item + largest - 1) / largest;
            if (count > (long) max * segments.size()) {
                return Optional.empty();
            }
            counts.add((int) count);
        }
        // The header lists the segments, and its length decides which are free. So the guess is
        // raised until it holds. It never falls, so the loop ends.
        while (true) {
            var layout = new Layout(buffer, segments, payloadLength, items, header.bytes(counts));
            if (!layout.layOut(max)) {
                return Optional.empty();
            }
            var raised = new ArrayList<Integer>();
            for (int i = 0; i < counts.size(); i++) {
                raised.add(Math.max(counts.get(i), layout.numbers.get(i).size()));
            }
            if (raised.equals(counts)) {
                var real = layout.numbers.stream().map(List::size).toList();
                return Optional.of(layout.plan(header.bytes(real)));
            }
            counts = raised;
        }
    }

    /** Lays out a message whose first header has a given length. */
    private static final class Layout {
        private final BufferLayout buffer;
        private final List<BufferSegment> segments;
        private final long payloadLength;
        private final List<Long> items;
        private final long firstHeader;
        private final List<Transmission> transmissions = new ArrayList<>();
        private final List<List<Long>> numbers = new ArrayList<>();
        private long payloadDone;
        private int item;
        private long itemDone;

        Layout(
                BufferLayout buffer,
                List<BufferSegment> segments,
                long payloadLength,
                List<Long> items,
                long firstHeader) {
            this.buffer = buffer;
            this.segments = segments;
            this.payloadLength = payloadLength;
            this.items = items;
            this.firstHeader = firstHeader;
            items.forEach(_ -> numbers.add(new ArrayList<>()));
        }

        boolean layOut(int max) {
            do {
                long header = transmissions.isEmpty() ? firstHeader : CONTINUATION_BYTES;
                if (header > buffer.bytes() || transmissions.size() == max) {
                    return false;
                }
                add(header);
            } while (payloadDone < payloadLength || item < items.size());
            return true;
        }

        private void add(long header) {
            long until = item < items.size() ? buffer.zone() : buffer.bytes();
            // RTR-9.2-4: the payload goes on across segments.
            long room = Math.max(0, until - header) & -Integer.BYTES;
            long payload = Math.min(payloadLength - payloadDone, room);
            long end = header + payload;
            var bulk = new ArrayList<Piece>();
            long first = (long) transmissions.size() * segments.size();
            for (int j = 0; j < segments.size() && item < items.size(); j++) {
                var segment = segments.get(j);
                if (segment.offset() >= end) {
                    long left = items.get(item) - itemDone;
                    long length = Math.min(left, segment.length());
                    bulk.add(new Piece(item, itemDone, segment.offset(), length));
                    numbers.get(item).add(first + j);
                    advance(length);
                }
            }
            long bytes = bulk.isEmpty() ? end : bulk.getLast().at() + bulk.getLast().length();
            transmissions.add(new Transmission(header, payloadDone, payload, bulk, bytes));
            payloadDone += payload;
        }

        private void advance(long length) {
            itemDone += length;
            if (itemDone == items.get(item)) {
                item++;
                itemDone = 0;
            }
        }

        /**
         * Returns the plan. A header that is shorter than the guess leaves more zeros after the
         * payload.
         */
        SendPlan plan(long header) {
            var first = transmissions.getFirst();
            long bytes = first.bulk().isEmpty() ? header + first.payloadLength() : first.bytes();
            transmissions.set(
                    0,
                    new Transmission(
                            header,
                            first.payloadFrom(),
                            first.payloadLength(),
                            first.bulk(),
                            bytes));
            return new SendPlan(transmissions, numbers);
        }
    }

    /**
     * Returns what one Send has after its header, piece by piece. Nothing is copied, and gaps are
     * zeros (RTR-11-1).
     *
     * @param number the number of the Send
     * @param payload the whole payload stream
     * @param items the whole items
     */
    public List<MemorySegment> pieces(
            int number, PayloadStream payload, List<MemorySegment> items) {
        var transmission = transmissions.get(number);
        var pieces =
                new ArrayList<>(
                        payload.range(transmission.payloadFrom(), transmission.payloadLength()));
        long at = transmission.headerLength() + transmission.payloadLength();
        for (var piece : transmission.bulk()) {
            for (long gap = piece.at() - at; gap > 0; gap -= ZEROS.byteSize()) {
                pieces.add(ZEROS.asSlice(0, Math.min(gap, ZEROS.byteSize())));
            }
            pieces.add(items.get(piece.item()).asSlice(piece.from(), piece.length()));
            at = piece.at() + piece.length();
        }
        return pieces;
    }
}
