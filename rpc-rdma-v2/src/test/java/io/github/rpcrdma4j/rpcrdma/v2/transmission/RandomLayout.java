package io.github.rpcrdma4j.rpcrdma.v2.transmission;

import io.github.rpcrdma4j.rpcrdma.v2.wire.BufferStructure;
import io.github.rpcrdma4j.rpcrdma.v2.wire.BufferStructure.Group;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Extension;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.PlacementItem;
import io.github.rpcrdma4j.rpcrdma.v2.wire.PlacementItem.Location;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Received;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2HeaderCodec;
import io.github.rpcrdma4j.xdr.PayloadStream;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.random.RandomGenerator;

/**
 * A request with items at random positions, as a sender lays it out.
 *
 * @param stream the message with its items in it
 * @param sends the bytes of each transmission
 */
record RandomLayout(byte[] stream, List<MemorySegment> sends) {
    static final int XID = 0x1234;
    private static final ValueLayout.OfInt UINT32 =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    /** Returns a structure with 1 to 4 groups, at least one of them for placement. */
    static BufferStructure structure(RandomGenerator random) {
        var groups = new ArrayList<Group>();
        int count = random.nextInt(1, 5);
        int placement = random.nextInt(count);
        long length = 0;
        for (int i = 0; i < count; i++) {
            boolean isPlacement = i == placement || random.nextInt(3) == 0;
            // A receiver ignores unknown flags.
            int flags = (isPlacement ? Group.PLACEMENT : 0) | random.nextInt(2) << 7;
            var group =
                    new Group(
                            random.nextInt(1, 4),
                            4L * random.nextInt(1, 200),
                            1L << random.nextInt(12),
                            flags);
            groups.add(group);
            length += group.count() * group.segmentLength();
        }
        return new BufferStructure(length, groups);
    }

    static byte[] bytes(RandomGenerator random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    /** Returns a call of {@code payload} bytes with these items at random positions in it. */
    static Optional<RandomLayout> of(
            BufferLayout buffer, int payload, int[] itemLengths, int max, RandomGenerator random) {
        var reduced = MemorySegment.ofArray(bytes(random, payload));
        reduced.set(UINT32, 0, XID);
        reduced.set(UINT32, 4, 0);
        var cuts = random.ints(itemLengths.length, 8, payload + 1).map(at -> at & -4).sorted();
        int[] at = cuts.toArray();
        var stream = new ByteArrayOutputStream();
        var data = new ArrayList<MemorySegment>();
        long[] displacements = new long[at.length];
        int from = 0;
        for (int i = 0; i < at.length; i++) {
            stream.writeBytes(reduced.asSlice(from, at[i] - from).toArray(ValueLayout.JAVA_BYTE));
            displacements[i] = stream.size();
            byte[] item = bytes(random, itemLengths[i]);
            data.add(MemorySegment.ofArray(item));
            stream.writeBytes(item);
            stream.writeBytes(new byte[-itemLengths[i] & 3]);
            from = at[i];
        }
        stream.writeBytes(reduced.asSlice(from).toArray(ValueLayout.JAVA_BYTE));
        var lengths = data.stream().map(MemorySegment::byteSize).toList();
        return SendPlan.of(
                        buffer,
                        payload,
                        lengths,
                        counts -> Version2HeaderCodec.encodedLength(sized(counts)),
                        max)
                .map(
                        plan ->
                                new RandomLayout(
                                        stream.toByteArray(),
                                        sends(plan, reduced, data, displacements)));
    }

    private static Version2Header sized(List<Integer> counts) {
        return request(
                counts.stream()
                        .map(
                                count ->
                                        new PlacementItem(
                                                0,
                                                0,
                                                new Location.Numbered(
                                                        0,
                                                        java.util.Collections.nCopies(count, 0L))))
                        .toList(),
                0,
                0);
    }

    private static Version2Header request(List<PlacementItem> moved, long count, long payload) {
        return new Version2Header.Option(
                XID,
                1,
                Direction.CALL,
                new Operation.TransmitRequest(
                        moved, List.of(), count, 1, payload, Optional.empty()));
    }

    private static List<MemorySegment> sends(
            SendPlan plan, MemorySegment payload, List<MemorySegment> data, long[] displacements) {
        var moved = new ArrayList<PlacementItem>();
        for (int i = 0; i < data.size(); i++) {
            moved.add(
                    new PlacementItem(
                            displacements[i],
                            data.get(i).byteSize(),
                            new Location.Numbered(0, plan.numbers().get(i))));
        }
        var sends = new ArrayList<MemorySegment>();
        int count = plan.transmissions().size();
        for (int t = 0; t < count; t++) {
            long length = plan.transmissions().get(t).payloadLength();
            var header =
                    t == 0
                            ? request(moved, count, length)
                            : new Version2Header.Option(
                                    XID,
                                    1,
                                    Direction.CALL,
                                    new Operation.Continuation(
                                            t, Version2HeaderCodec.XMTREQ, length));
            var encoded =
                    MemorySegment.ofArray(new byte[Version2HeaderCodec.encodedLength(header)]);
            Version2HeaderCodec.encode(header, encoded);
            var out = new ByteArrayOutputStream();
            out.writeBytes(encoded.toArray(ValueLayout.JAVA_BYTE));
            plan.pieces(t, whole(payload), data)
                    .forEach(piece -> out.writeBytes(piece.toArray(ValueLayout.JAVA_BYTE)));
            sends.add(MemorySegment.ofArray(out.toByteArray()));
        }
        return sends;
    }

    /** Returns a payload of one piece. */
    static PayloadStream whole(MemorySegment payload) {
        return PayloadStream.of(payload, List.of(), new BitSet());
    }

    /** Assembles transmissions, and returns the actions for the last one. */
    static List<GroupAssembly.Action> assemble(List<MemorySegment> sends, long limit) {
        GroupAssembly.State state = new GroupAssembly.State.Idle();
        List<GroupAssembly.Action> actions = List.of();
        for (var send : sends) {
            if (Received.of(send, EnumSet.allOf(Extension.class))
                    instanceof Received.Transmission transmission) {
                var arrived = new GroupAssembly.Event.Arrived(transmission, OptionalLong.of(limit));
                var step = GroupAssembly.step(state, arrived);
                state = step.next();
                actions = step.actions();
            }
        }
        return actions;
    }

    /**
     * Returns the message as if nothing had been moved, with zeros for padding that was not sent.
     *
     * @param explicit the data of an explicit item
     */
    static byte[] virtualStream(PlacedMessage message, byte[] explicit) {
        byte[] payload = joined(message.payload());
        var stream = new ByteArrayOutputStream();
        int from = 0;
        for (var item : message.items()) {
            int length = (int) item.moved().displacement() - stream.size();
            stream.write(payload, from, length);
            from += length;
            stream.writeBytes(
                    item.moved().location() instanceof Location.Explicit
                            ? explicit
                            : joined(item.pieces()));
            stream.writeBytes(new byte[(int) -item.moved().length() & 3]);
        }
        stream.write(payload, from, payload.length - from);
        return stream.toByteArray();
    }

    /** Returns all bytes of the pieces, in order. */
    static byte[] joined(List<MemorySegment> pieces) {
        var out = new ByteArrayOutputStream();
        pieces.forEach(piece -> out.writeBytes(piece.toArray(ValueLayout.JAVA_BYTE)));
        return out.toByteArray();
    }
}
