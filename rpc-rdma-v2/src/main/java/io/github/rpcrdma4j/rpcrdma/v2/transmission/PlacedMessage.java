package io.github.rpcrdma4j.rpcrdma.v2.transmission;

import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Fault;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Fault.Measure;
import io.github.rpcrdma4j.rpcrdma.v2.wire.PlacementItem;
import io.github.rpcrdma4j.rpcrdma.v2.wire.PlacementItem.Location;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Received.RpcMessage;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongFunction;

/**
 * A checked group: a payload stream, and the items that belong into it.
 *
 * <pre>
 *   payload     aaaaaaaa bbbb         bbbb cccc          from several transmissions, one stream
 *   items               XXXXX  (5)        YYYYYYYY       in receive buffers, or elsewhere
 *   virtual     aaaaaaaaXXXXX000bbbbbbbbYYYYYYYYcccc     displacements count here (RTR-6.2-2)
 * </pre>
 *
 * @param payload the payload of the transmissions in order (RTR-6.2-1); views of the receive
 *     buffers
 * @param items the items that are not in the payload, in stream order
 */
public record PlacedMessage(List<MemorySegment> payload, List<PlacedItem> items) {
    private static final ValueLayout.OfInt UINT32 =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final long UINT32_MAX = 0xffff_ffffL;
    private static final int FIRST_WORDS = 8;

    /**
     * An item outside of the payload.
     *
     * @param moved the item as the message describes it
     * @param pieces views of the receive buffers; none for an explicit item (RTR-7.3-2, RTR-7.3-3)
     */
    public record PlacedItem(PlacementItem moved, List<MemorySegment> pieces) {
        public PlacedItem {
            pieces = List.copyOf(pieces);
        }

        /**
         * Returns the item in one piece: a view if it lies in one receive buffer, a copy otherwise.
         *
         * @param memory allocates memory for a copy
         */
        public MemorySegment data(LongFunction<MemorySegment> memory) {
            return joined(pieces, memory);
        }
    }

    /** The result of the check of a group. */
    public sealed interface Checked {
        /** The group is valid. */
        record Good(PlacedMessage message) implements Checked {}

        /**
         * The placement is invalid: complain with ROPT_XMTERR about the first transmission, which
         * lists the items.
         */
        record Bad(Fault fault) implements Checked {}

        /** The payload is not the message that its header describes. */
        record OtherMessage(String why) implements Checked {}
    }

    public PlacedMessage {
        payload = List.copyOf(payload);
        items = List.copyOf(items);
    }

    /**
     * Checks a group of one transmission or more (RTR-5.1-2), and finds its items (RTR-5.4-2). All
     * sums have 64 bits (RTR-11-2).
     *
     * @param buffer how the receives of the group were built
     */
    public static Checked check(Group group, BufferLayout buffer) {
        return new Check(group, buffer).run();
    }

    /**
     * Returns the payload stream in one piece: a view if it arrived in one Send, a copy otherwise.
     * Without items it is the whole message (RTR-7.3-5).
     *
     * @param memory allocates memory for a copy
     */
    public MemorySegment stream(LongFunction<MemorySegment> memory) {
        return joined(payload, memory);
    }

    /** Returns data that is cut anywhere in one piece (RTR-4.2-4). */
    private static MemorySegment joined(
            List<MemorySegment> pieces, LongFunction<MemorySegment> memory) {
        if (pieces.size() == 1) {
            return pieces.getFirst();
        }
        var whole = memory.apply(pieces.stream().mapToLong(MemorySegment::byteSize).sum());
        long at = 0;
        for (var piece : pieces) {
            MemorySegment.copy(piece, 0, whole, at, piece.byteSize());
            at += piece.byteSize();
        }
        return whole;
    }

    /** The check of one group. */
    private static final class Check {
        private static final int KIND_MIN = 1;
        private static final int KIND_MAX = 2;

        private final Group group;
        private final List<BufferSegment> segments;
        private final List<PlacedItem> items = new ArrayList<>();
        private final Set<Long> used = new HashSet<>();
        private final long payloadLength;

        /** The end of the items so far in the virtual stream, and their total length, in bytes. */
        private long end;

        private long reduced;

        Check(Group group, BufferLayout buffer) {
            this.group = group;
            this.segments = buffer.placementSegments();
            this.payloadLength = group.sends().stream().mapToLong(GroupSend::payloadLength).sum();
        }

        Checked run() {
            for (var moved : group.initial().moved()) {
                var fault = kindFault(moved).or(() -> fault(moved));
                if (fault.isPresent()) {
                    return new Checked.Bad(fault.get());
                }
            }
            var payload = group.sends().stream().map(GroupSend::payload).toList();
            return messageFault(payload)
                    .<Checked>map(Checked.OtherMessage::new)
                    .orElseGet(() -> new Checked.Good(new PlacedMessage(payload, items)));
        }

        /** RTR-7.3-4: only a result may be without a place. */
        private Optional<Fault> kindFault(PlacementItem moved) {
            boolean hasLocation =
                    switch (moved.location()) {
                        case Location.Explicit _, Location.Numbered _ -> true;
                        case Location.TooShort _, Location.NoItem _ -> false;
                    };
            return hasLocation || group.direction() == Direction.REPLY
                    ? Optional.empty()
                    : Optional.of(offset(kind(moved.location()), KIND_MIN, KIND_MAX));
        }

        private static long kind(Location location) {
            return switch (location) {
                case Location.Explicit _ -> 1;
                case Location.Numbered _ -> 2;
                case Location.TooShort _ -> 5;
                case Location.NoItem _ -> 6;
            };
        }

        private Optional<Fault> fault(PlacementItem moved) {
            return switch (moved.location()) {
                case Location.TooShort _, Location.NoItem _ -> Optional.empty();
                // RTR-7.3-6: both kinds in one message.
                case Location.Explicit explicit ->
                        displacementFault(moved)
                                .or(() -> explicitFault(moved, explicit))
                                .or(() -> accept(moved, List.of()));
                case Location.Numbered numbered ->
                        displacementFault(moved).or(() -> numberedFault(moved, numbered));
            };
        }

        /** Items are in order, do not overlap, and lie inside the message. */
        private Optional<Fault> displacementFault(PlacementItem moved) {
            long last = payloadLength + reduced;
            return moved.displacement() < end
                            || moved.displacement() > last
                            || moved.displacement() % Integer.BYTES != 0
                    ? Optional.of(offset(moved.displacement(), end, last))
                    : Optional.empty();
        }

        /** RTR-7.3-7. */
        private Optional<Fault> explicitFault(PlacementItem moved, Location.Explicit explicit) {
            return explicit.size() == moved.length()
                    ? Optional.empty()
                    : Optional.of(offset(explicit.size(), moved.length(), moved.length()));
        }

        private Optional<Fault> accept(PlacementItem moved, List<MemorySegment> pieces) {
            items.add(new PlacedItem(moved, pieces));
            long padded = XdrWriter.roundUp(moved.length());
            end = moved.displacement() + padded;
            reduced += padded;
            return Optional.empty();
        }

        /**
         * RTR-7.3-1: an item begins at the offset in its first segment, and continues through whole
         * ones.
         */
        private Optional<Fault> numberedFault(PlacementItem moved, Location.Numbered numbered) {
            long last = (long) group.sends().size() * segments.size() - 1;
            var pieces = new ArrayList<MemorySegment>();
            GroupSend before = null;
            long begun = 0;
            long ended = 0;
            long left = moved.length();
            long previous = -1;
            for (long number : numbered.numbers()) {
                // RTR-9.5-6: out of range, out of order, used before, or not needed.
                if (number > last || number <= previous || left == 0 || !used.add(number)) {
                    return Optional.of(number(number, last));
                }
                var transmission = group.sends().get((int) (number / segments.size()));
                var segment = segments.get((int) (number % segments.size()));
                long from = previous < 0 ? numbered.offset() : 0;
                var fault = startFault(transmission, segment, from, number, last, previous < 0);
                if (fault.isPresent()) {
                    return fault;
                }
                long length = Math.min(left, segment.length() - from);
                long start = segment.offset() + from;
                if (start + length > transmission.whole().byteSize()) {
                    return Optional.of(number(number, last));
                }
                if (before == transmission && start == ended) {
                    // The next segment of the same buffer.
                    var grown = transmission.whole().asSlice(begun, start + length - begun);
                    pieces.set(pieces.size() - 1, grown);
                } else {
                    begun = start;
                    pieces.add(transmission.whole().asSlice(start, length));
                }
                before = transmission;
                ended = start + length;
                left -= length;
                previous = number;
            }
            return left > 0 ? Optional.of(number(last + 1, last)) : accept(moved, pieces);
        }

        /** RTR-9.5-7: bulk data starts inside its segment, and after header and payload. */
        private static Optional<Fault> startFault(
                GroupSend transmission,
                BufferSegment segment,
                long from,
                long number,
                long last,
                boolean isFirst) {
            long free = Math.max(0, transmission.payloadEnd() - segment.offset());
            if (!isFirst) {
                return free > 0 ? Optional.of(number(number, last)) : Optional.empty();
            }
            return from < free || from >= segment.length() || from % Integer.BYTES != 0
                    ? Optional.of(offset(from, free, segment.length() - Integer.BYTES))
                    : Optional.empty();
        }

        private Optional<String> messageFault(List<MemorySegment> payload) {
            if (payloadLength < FIRST_WORDS) {
                return Optional.of("a group without a message");
            }
            var words = MemorySegment.ofArray(new byte[FIRST_WORDS]);
            long at = 0;
            for (var piece : payload) {
                long length = Math.min(piece.byteSize(), FIRST_WORDS - at);
                MemorySegment.copy(piece, 0, words, at, length);
                at += length;
            }
            return RpcMessage.fault(
                    words.get(UINT32, 0),
                    words.get(UINT32, Integer.BYTES),
                    group.xid(),
                    group.direction());
        }

        private static Fault offset(long value, long min, long max) {
            return outOfRange(Measure.OFFSET, value, min, max);
        }

        private static Fault number(long value, long last) {
            return outOfRange(Measure.SEGMENT_NUMBER, value, 0, Math.max(0, last));
        }

        private static Fault outOfRange(Measure what, long value, long min, long max) {
            return new Fault.OutOfRange(
                    what,
                    Math.clamp(value, 0, UINT32_MAX),
                    Math.clamp(min, 0, UINT32_MAX),
                    Math.clamp(max, 0, UINT32_MAX));
        }
    }
}
