package io.github.rpcrdma4j.rpcrdma.v2.transmission;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.github.rpcrdma4j.rpcrdma.v2.transmission.GroupAssembly.Action;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.PlacedMessage.Checked;
import io.github.rpcrdma4j.rpcrdma.v2.wire.BufferStructure;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Examples;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Fault;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.PlacementItem;
import io.github.rpcrdma4j.rpcrdma.v2.wire.PlacementItem.Location;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The buffers of these tests are those of the examples: 512 plain bytes, and two segments of 2048
 * for placement.
 */
class PlacedMessageTest {
    private static final BufferLayout LAYOUT = BufferLayout.of(Examples.STRUCTURE).orElseThrow();
    private static final ValueLayout.OfInt UINT32 =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int XID = 5;
    private static final int HEADER = 100;
    private static final int PAYLOAD = 40;

    private static PlacedMessage good(String... names) {
        var sends = Arrays.stream(names).map(Examples::message).toList();
        var actions = RandomLayout.assemble(sends, sends.size());
        var deliver = assertInstanceOf(Action.Deliver.class, actions.getLast());
        var checked = PlacedMessage.check(deliver.group(), LAYOUT);
        return assertInstanceOf(Checked.Good.class, checked).message();
    }

    @Test
    @Tag("RTR-7.3-1")
    @Tag("RTR-3.3-1")
    void readsTheExampleOfAPlacedWrite() {
        var message = good("E12a", "E12b");
        var item = message.items().getFirst();
        assertEquals(80, item.moved().displacement());
        assertEquals(
                List.of(4096L, 905L), item.pieces().stream().map(MemorySegment::byteSize).toList());
        byte[] stream = RandomLayout.virtualStream(message, new byte[0]);
        assertEquals(80 + 5004, stream.length);
        // This call with explicit RDMA has the same payload.
        var explicit = good("E11");
        assertArrayEquals(RandomLayout.joined(explicit.payload()), Arrays.copyOf(stream, 80));
        var data = RandomLayout.joined(item.pieces());
        assertArrayEquals(stream, RandomLayout.virtualStream(explicit, data));
    }

    /** Goal: a request in one Send with an explicit item is accepted by plain buffers. */
    @Test
    @Tag("RTR-5.1-2")
    void readsARequestThatHasNeitherContinuationNorPlacement() {
        var actions = RandomLayout.assemble(List.of(Examples.message("E11")), 1);
        var deliver = assertInstanceOf(Action.Deliver.class, actions.getLast());
        assertInstanceOf(
                Checked.Good.class, PlacedMessage.check(deliver.group(), BufferLayout.plain(4096)));
    }

    @Test
    @Tag("RTR-7.3-5")
    @Tag("RTR-6.2-1")
    @Tag("RTR-6.2-6")
    void readsTheOtherExamples() {
        assertEquals(10_000, length("E13a", "E13b", "E13c"));
        assertEquals(60, length("E09"));
        assertEquals(112, length("E10"));
        assertEquals(44 + 3000, length("E15"));
        assertEquals(144, length("E16"));
        assertEquals(List.of(), good("E16").items());
        assertEquals(32, length("E17"));
    }

    private static int length(String... names) {
        return RandomLayout.virtualStream(good(names), new byte[0]).length;
    }

    @Test
    @Tag("RTR-11-1")
    void laysTheExamplesOutAsTheyAre() {
        var message = good("E12a", "E12b");
        var data = MemorySegment.ofArray(RandomLayout.joined(message.items().getFirst().pieces()));
        var payload = MemorySegment.ofArray(RandomLayout.joined(message.payload()));
        var plan =
                SendPlan.of(LAYOUT, 80, List.of(5001L), counts -> 68 + 4L * counts.getFirst(), 4);
        assertEquals(List.of(List.of(0L, 1L, 2L)), plan.orElseThrow().numbers());
        var names = List.of("E12a", "E12b");
        for (int t = 0; t < names.size(); t++) {
            var send = Examples.message(names.get(t));
            long header = plan.get().transmissions().get(t).headerLength();
            assertArrayEquals(
                    send.asSlice(header).toArray(ValueLayout.JAVA_BYTE),
                    RandomLayout.joined(
                            plan.get().pieces(t, RandomLayout.whole(payload), List.of(data))));
        }
        var plain = SendPlan.of(BufferLayout.plain(4096), 10_000, List.of(), _ -> 48, 4);
        assertEquals(
                List.of(4048L, 4056L, 1896L),
                plain.orElseThrow().transmissions().stream()
                        .map(SendPlan.Transmission::payloadLength)
                        .toList());
    }

    @Test
    @Tag("RTR-4.3-1")
    @Tag("RTR-4.3-2")
    @Tag("RTR-5.3-1")
    void knowsBeforehandWhatDoesNotFit() {
        assertEquals(Optional.empty(), SendPlan.of(LAYOUT, 80, List.of(5001L), _ -> 80, 1));
        assertEquals(
                Optional.empty(),
                SendPlan.of(BufferLayout.plain(4096), 80, List.of(1L), _ -> 80, 9));
        assertEquals(Optional.empty(), SendPlan.of(LAYOUT, 80, List.of(1L << 40), _ -> 80, 1000));
        assertEquals(Optional.empty(), SendPlan.of(LAYOUT, 80, List.of(), _ -> 5000, 1000));
    }

    /** Checks a group of two full transmissions, the first with payload and items. */
    private static String check(Direction direction, PlacementItem... items) {
        var first = MemorySegment.ofArray(new byte[(int) LAYOUT.bytes()]);
        first.set(UINT32, HEADER, XID);
        first.set(UINT32, HEADER + 4, direction.ordinal());
        var second = MemorySegment.ofArray(new byte[(int) LAYOUT.bytes() - 1000]);
        var moved = List.of(items);
        Operation.Initial initial =
                switch (direction) {
                    case CALL ->
                            new Operation.TransmitRequest(
                                    moved, List.of(), 2, 1, PAYLOAD, Optional.empty());
                    case REPLY -> new Operation.TransmitResponse(moved, 2, PAYLOAD);
                };
        var group =
                new Group(
                        XID,
                        direction,
                        initial,
                        List.of(
                                new GroupSend(first, HEADER, PAYLOAD),
                                // Payload covers the first half of the first segment.
                                new GroupSend(second, 40, 512 + 1024 - 40)));
        return switch (PlacedMessage.check(group, LAYOUT)) {
            case Checked.Good(var message) -> "" + message.items().size();
            case Checked.Bad(Fault.OutOfRange(var what, var value, var min, var max)) ->
                    what + " " + value + " " + min + ".." + max;
            case Checked.Bad(var other) -> other.toString();
            case Checked.OtherMessage(var why) -> why;
        };
    }

    private static PlacementItem at(long displacement, long length, long offset, Long... numbers) {
        return new PlacementItem(
                displacement, length, new Location.Numbered(offset, List.of(numbers)));
    }

    private static PlacementItem explicit(long displacement, long length, int... lengths) {
        return new PlacementItem(
                displacement,
                length,
                new Location.Explicit(
                        Arrays.stream(lengths).mapToObj(l -> new Segment(1, l, 0)).toList()));
    }

    @Test
    @Tag("RTR-5.4-2")
    @Tag("RTR-7.3-1")
    @Tag("RTR-9.5-6")
    @Tag("RTR-9.5-7")
    @Tag("RTR-9.5-9")
    void holdsSegmentNumbersAndOffsetsAgainstTheBuffers() {
        var call = Direction.CALL;
        assertEquals("1", check(call, at(8, 2048, 0, 0L)));
        assertEquals("1", check(call, at(8, 1920 + 100, 128, 0L, 1L)));
        assertEquals("SEGMENT_NUMBER 4 0..3", check(call, at(8, 100, 0, 4L)));
        assertEquals("SEGMENT_NUMBER 0 0..3", check(call, at(8, 4096, 0, 1L, 0L)));
        assertEquals("SEGMENT_NUMBER 1 0..3", check(call, at(8, 100, 0, 0L, 1L)));
        assertEquals("SEGMENT_NUMBER 4 0..3", check(call, at(8, 2049, 0, 0L)));
        assertEquals("SEGMENT_NUMBER 1 0..3", check(call, at(8, 100, 0, 1L), at(108, 100, 0, 1L)));
        // The last transmission ends 1000 bytes before the end of its buffer.
        assertEquals("1", check(call, at(8, 1048, 0, 3L)));
        assertEquals("SEGMENT_NUMBER 3 0..3", check(call, at(8, 1049, 0, 3L)));
        assertEquals("OFFSET 2048 0..2044", check(call, at(8, 4, 2048, 0L)));
        assertEquals("OFFSET 6 0..2044", check(call, at(8, 4, 6, 0L)));
        assertEquals("OFFSET 1020 1024..2044", check(call, at(8, 4, 1020, 2L)));
        assertEquals("1", check(call, at(8, 4, 1024, 2L)));
        assertEquals("SEGMENT_NUMBER 2 0..3", check(call, at(8, 4096, 0, 1L, 2L)));
        assertEquals("OFFSET 4294967292 0..2044", check(call, at(8, 100, 0xffff_fffcL, 0L)));
    }

    @Test
    @Tag("RTR-7.3-2")
    @Tag("RTR-7.3-3")
    @Tag("RTR-7.3-4")
    @Tag("RTR-7.3-6")
    @Tag("RTR-7.3-7")
    void holdsItemsAgainstEachOtherAndTheMessage() {
        var call = Direction.CALL;
        long all = PAYLOAD + 512 + 1024 - 40;
        assertEquals("2", check(call, at(8, 5, 0, 0L), explicit(20, 9, 4, 5)));
        assertEquals(
                "OFFSET 12 16..%d".formatted(all + 8),
                check(call, at(8, 5, 0, 0L), explicit(12, 4, 4)));
        assertEquals("OFFSET 10 0.." + all, check(call, explicit(10, 4, 4)));
        assertEquals("1", check(call, explicit(all, 4, 4)));
        assertEquals(
                "OFFSET %d 0..%d".formatted(all + 4, all), check(call, explicit(all + 4, 4, 4)));
        assertEquals("OFFSET 8 9..9", check(call, explicit(8, 9, 4, 4)));
        assertEquals("1", check(Direction.REPLY, explicit(8, 9, 9)));
        var nothing = new PlacementItem(0, 0, new Location.NoItem());
        var tooShort = new PlacementItem(0, 0, new Location.TooShort());
        assertEquals("OFFSET 6 1..2", check(call, nothing));
        assertEquals("OFFSET 5 1..2", check(call, tooShort));
        assertEquals("1", check(Direction.REPLY, nothing, tooShort, at(8, 4, 0, 0L)));
    }

    @Test
    @Tag("RTR-7.2-1")
    @Tag("RTR-7.2-5")
    @Tag("RTR-8.3-2")
    @Tag("RTR-8.3-4")
    void describesABufferByItsSegments() {
        assertEquals(
                List.of(
                        new BufferSegment(0, 512, 4, false),
                        new BufferSegment(512, 2048, 2048, true),
                        new BufferSegment(2560, 2048, 2048, true)),
                LAYOUT.segments());
        assertEquals(512, LAYOUT.zone());
        assertEquals(true, LAYOUT.takesPlacement());
        assertEquals(false, BufferLayout.plain(8192).takesPlacement());
        assertEquals(8192, BufferLayout.plain(8192).zone());
        assertEquals(Optional.empty(), structure(513, 1, 512, 0));
        assertEquals(Optional.empty(), structure(0, 1, 0, 0));
        assertEquals(Optional.empty(), structure(0, 0, 8, 0));
        assertEquals(Optional.empty(), structure(512, 1, 512, 3));
        assertEquals(Optional.empty(), structure(4097 * 4, 4097, 4, 0));
        assertEquals(Optional.empty(), structure(4, 0xffff_ffffL, 0xffff_ffffL, 0));
        assertEquals(true, structure(4096 * 4, 4096, 4, 1).isPresent());
    }

    private static Optional<BufferLayout> structure(
            long length, long count, long segmentLength, long alignment) {
        return BufferLayout.of(
                new BufferStructure(
                        length,
                        List.of(new BufferStructure.Group(count, segmentLength, alignment, 0))));
    }

    @Test
    void acceptsOnlyTheMessageOfItsHeader() {
        var short8 = MemorySegment.ofArray(new byte[44]);
        var initial = new Operation.TransmitResponse(List.of(), 1, 4);
        var group = new Group(XID, Direction.REPLY, initial, List.of(new GroupSend(short8, 40, 4)));
        assertInstanceOf(Checked.OtherMessage.class, PlacedMessage.check(group, LAYOUT));
        var other = MemorySegment.ofArray(new byte[48]);
        group = new Group(XID, Direction.REPLY, initial, List.of(new GroupSend(other, 40, 8)));
        assertInstanceOf(Checked.OtherMessage.class, PlacedMessage.check(group, LAYOUT));
    }
}
