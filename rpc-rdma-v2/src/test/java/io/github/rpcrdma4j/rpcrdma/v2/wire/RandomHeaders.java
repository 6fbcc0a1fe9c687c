package io.github.rpcrdma4j.rpcrdma.v2.wire;

import io.github.rpcrdma4j.rpcrdma.v2.wire.PlacementItem.Location;
import io.github.rpcrdma4j.rpcrdma.v2.wire.ResponseSet.Target;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/** Random headers of version 2 that can be encoded. */
public final class RandomHeaders {
    private final RandomGenerator random;

    public RandomHeaders(RandomGenerator random) {
        this.random = random;
    }

    /** Returns any header. */
    public Version2Header header() {
        int xid = random.nextInt();
        int credits = random.nextInt();
        return switch (random.nextInt(8)) {
            case 0 -> new Version2Header.Msg(xid, credits, direction(), lists());
            case 1 -> new Version2Header.NoMsg(xid, credits, direction(), lists());
            case 2 ->
                    new Version2Header.VersionError(
                            xid, random.nextInt(), credits, random.nextInt(), random.nextInt());
            case 3 -> new Version2Header.BadHeader(xid, credits);
            case 4 -> new Version2Header.BadOption(xid, credits);
            default -> new Version2Header.Option(xid, credits, direction(), operation());
        };
    }

    /** Returns any operation, for either direction. */
    public Operation operation() {
        return switch (random.nextInt(11)) {
            case 0 -> new Operation.InitialExchange(some(9, this::characteristic), subset());
            case 1 -> new Operation.ChangeRequest(some(9, this::characteristic));
            case 2 -> new Operation.ChangeResponse(subset(), subset(), subset());
            case 3 -> new Operation.Update(characteristic(), random.nextBoolean());
            case 4, 5 ->
                    new Operation.TransmitRequest(
                            some(4, this::item),
                            some(4, this::set),
                            number(),
                            number(),
                            number(),
                            random.nextBoolean() ? Optional.empty() : Optional.of(trailer()));
            case 6 -> new Operation.TransmitResponse(some(4, this::item), number(), number());
            case 7 -> new Operation.Continuation(number(), random.nextInt(), number());
            case 8 ->
                    new Operation.TransmitError(
                            id(),
                            random.nextBoolean() ? Optional.empty() : Optional.of(id()),
                            fault());
            case 9 -> new Operation.DoneNotice(some(5, random::nextInt));
            default -> new Operation.CallWithDoneNotices(some(5, random::nextInt), lists());
        };
    }

    private Characteristic characteristic() {
        return switch (random.nextInt(10)) {
            case 0 -> new Characteristic.ReceiveSize(number());
            case 1 -> new Characteristic.RemoteInvalidation(random.nextBoolean());
            case 2 ->
                    new Characteristic.ReverseSupport(
                            Characteristic.Reverse.values()[random.nextInt(4)]);
            case 3 -> new Characteristic.Transmissions(random.nextInt());
            case 4 ->
                    new Characteristic.ReceiveStructure(
                            new BufferStructure(number(), some(4, this::group)));
            case 5 -> new Characteristic.RequestTransmissions(number());
            case 6 -> new Characteristic.ResponseTransmissions(number());
            case 7 -> new Characteristic.ReadChunks(random.nextInt());
            case 8 -> new Characteristic.ReadChunkHold(number());
            default -> new Characteristic.Unknown(random.nextInt(8, 1000));
        };
    }

    private BufferStructure.Group group() {
        return new BufferStructure.Group(number(), number(), number(), random.nextInt());
    }

    private PlacementItem item() {
        Location place =
                switch (random.nextInt(4)) {
                    case 0 -> new Location.Explicit(some(4, this::segment));
                    case 1 -> new Location.Numbered(number(), some(6, this::number));
                    case 2 -> new Location.TooShort();
                    default -> new Location.NoItem();
                };
        return new PlacementItem(number(), number(), place);
    }

    private ResponseSet set() {
        return new ResponseSet(
                number(),
                number(),
                some(4, () -> new ResponseSet.ExpectedResult(number(), target())));
    }

    private Target target() {
        return switch (random.nextInt(4)) {
            case 0 -> new Target.Explicit(some(3, this::segment));
            case 1 -> new Target.Numbered();
            case 2 -> new Target.Choice(some(3, this::segment));
            default -> new Target.BySize(number(), some(3, this::segment));
        };
    }

    private Operation.Trailer trailer() {
        return new Operation.Trailer(
                random.nextBoolean() ? Optional.empty() : Optional.of(some(3, this::segment)),
                some(4, random::nextInt));
    }

    private Fault fault() {
        return switch (random.nextInt(3)) {
            case 0 -> new Fault.NoGroup();
            case 1 ->
                    new Fault.Unexpected(
                            Fault.Mismatch.values()[random.nextInt(4)], number(), number());
            default ->
                    new Fault.OutOfRange(
                            Fault.Measure.values()[random.nextInt(3)],
                            number(),
                            number(),
                            number());
        };
    }

    private TransmissionId id() {
        return new TransmissionId(random.nextInt(), direction(), number());
    }

    private Direction direction() {
        return random.nextBoolean() ? Direction.CALL : Direction.REPLY;
    }

    private Subset subset() {
        return new Subset(some(3, random::nextInt));
    }

    private ChunkLists lists() {
        return new ChunkLists(
                some(4, () -> new ReadSegment(random.nextInt(), segment())),
                some(3, () -> new WriteChunk(some(3, this::segment))),
                random.nextBoolean()
                        ? Optional.empty()
                        : Optional.of(new WriteChunk(some(3, this::segment))));
    }

    private Segment segment() {
        return new Segment(random.nextInt(), random.nextInt(), random.nextLong());
    }

    private long number() {
        return Integer.toUnsignedLong(random.nextInt());
    }

    private <T> List<T> some(int max, Supplier<T> element) {
        return IntStream.range(0, random.nextInt(max)).mapToObj(_ -> element.get()).toList();
    }
}
