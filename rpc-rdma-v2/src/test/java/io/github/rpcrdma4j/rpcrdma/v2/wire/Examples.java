package io.github.rpcrdma4j.rpcrdma.v2.wire;

import io.github.rpcrdma4j.rpcrdma.v2.wire.BufferStructure.Group;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReadChunks;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReceiveSize;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReceiveStructure;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.RemoteInvalidation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.RequestTransmissions;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ResponseTransmissions;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.Reverse;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReverseSupport;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.Transmissions;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Fault.Measure;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Fault.Mismatch;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.CallWithDoneNotices;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.Continuation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.DoneAck;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.DoneNotice;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.Trailer;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.TransmitError;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.TransmitRequest;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.TransmitResponse;
import io.github.rpcrdma4j.rpcrdma.v2.wire.PlacementItem.Location;
import io.github.rpcrdma4j.rpcrdma.v2.wire.ResponseSet.ExpectedResult;
import io.github.rpcrdma4j.rpcrdma.v2.wire.ResponseSet.Target;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header.BadOption;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header.Msg;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header.NoMsg;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header.Option;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header.VersionError;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.Golden;
import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** The worked examples of version 2, made by hand from the drafts, and their decoded headers. */
public final class Examples {
    /** A receive buffer of 4608 bytes: one plain segment of 512, two of 2048 for placement. */
    public static final BufferStructure STRUCTURE =
            new BufferStructure(
                    4608,
                    List.of(new Group(1, 512, 4, 0), new Group(2, 2048, 2048, Group.PLACEMENT)));

    static final Set<Extension> ALL = EnumSet.allOf(Extension.class);

    private Examples() {}

    /** Returns the bytes of a transmission, by a name such as E01 or E12a. */
    public static MemorySegment message(String name) {
        return MemorySegment.ofArray(Golden.bytes("v2/" + name));
    }

    private static PlacementItem item(long displacement, long length, Location place) {
        return new PlacementItem(displacement, length, place);
    }

    private static TransmitRequest request(
            List<PlacementItem> moved, long count, long responses, long payload) {
        return new TransmitRequest(moved, List.of(), count, responses, payload, Optional.empty());
    }

    private static Option call(int xid, Operation operation) {
        return new Option(xid, 32, Direction.CALL, operation);
    }

    private static Option reply(int xid, Operation operation) {
        return new Option(xid, 16, Direction.REPLY, operation);
    }

    private static ReadSegment read(int handle, int length, long offset) {
        return new ReadSegment(0, new Segment(handle, length, offset));
    }

    /** Returns the header of each example of this version, field by field. */
    static Map<String, Version2Header> meanings() {
        var meanings = new TreeMap<String, Version2Header>();
        putBase(meanings);
        putExchanges(meanings);
        putTransmissions(meanings);
        putErrors(meanings);
        putReadChunks(meanings);
        return meanings;
    }

    private static void putBase(Map<String, Version2Header> meanings) {
        meanings.put("E01", new Msg(0xa001, 32, Direction.CALL, ChunkLists.EMPTY));
        meanings.put("E02", new Msg(0xa001, 16, Direction.REPLY, ChunkLists.EMPTY));
        meanings.put("E03", new VersionError(0xa001, 1, 16, 1, 1));
        meanings.put("E04", new BadOption(0xa002, 16));
    }

    private static void putExchanges(Map<String, Version2Header> meanings) {
        List<Characteristic> start =
                List.of(
                        new ReceiveSize(4608),
                        new RemoteInvalidation(true),
                        new ReverseSupport(Reverse.SIZE_LIMITED),
                        new Transmissions(
                                Transmissions.REQUESTS
                                        | Transmissions.RESPONSES
                                        | Transmissions.CONTINUATIONS),
                        new ReceiveStructure(STRUCTURE),
                        new RequestTransmissions(4),
                        new ResponseTransmissions(4),
                        new ReadChunks(ReadChunks.FETCHES | ReadChunks.INVALIDATES));
        meanings.put(
                "E05",
                call(0xa003, new Operation.InitialExchange(start, Subset.of(1, 4, 5, 6, 7))));
        meanings.put(
                "E06",
                call(
                        0xa004,
                        new Operation.ChangeRequest(
                                List.of(
                                        new ReceiveSize(16384),
                                        new ReverseSupport(Reverse.GENERAL)))));
        meanings.put(
                "E07",
                reply(
                        0xa004,
                        new Operation.ChangeResponse(Subset.of(1), Subset.NONE, Subset.of(0))));
        meanings.put(
                "E08",
                new Option(
                        0xa091,
                        16,
                        Direction.CALL,
                        new Operation.Update(new ReceiveSize(16384), true)));
    }

    private static void putTransmissions(Map<String, Version2Header> meanings) {
        meanings.put("E09", call(0xa005, request(List.of(), 1, 1, 60)));
        meanings.put("E10", reply(0xa005, new TransmitResponse(List.of(), 1, 112)));
        var pieces =
                List.of(
                        new Segment(0x1001, 4096, 0x7f0000001000L),
                        new Segment(0x1001, 905, 0x7f0000002000L));
        meanings.put(
                "E11",
                call(
                        0xa006,
                        request(List.of(item(80, 5001, new Location.Explicit(pieces))), 1, 1, 80)));
        var placed = new Location.Numbered(0, List.of(0L, 1L, 2L));
        meanings.put("E12a", call(0xa006, request(List.of(item(80, 5001, placed)), 2, 1, 80)));
        meanings.put("E12b", call(0xa006, new Continuation(1, Version2HeaderCodec.XMTREQ, 0)));
        meanings.put("E13a", call(0xa007, request(List.of(), 3, 3, 4048)));
        meanings.put("E13b", call(0xa007, new Continuation(1, Version2HeaderCodec.XMTREQ, 4056)));
        meanings.put("E13c", call(0xa007, new Continuation(2, Version2HeaderCodec.XMTREQ, 1896)));
        var bySize = new Target.BySize(4096, List.of(new Segment(0x2002, 4096, 0x7f0000010000L)));
        meanings.put(
                "E14",
                call(
                        0xa008,
                        new TransmitRequest(
                                List.of(),
                                List.of(
                                        new ResponseSet(
                                                0, 72, List.of(new ExpectedResult(256, bySize)))),
                                1,
                                2,
                                72,
                                Optional.empty())));
        meanings.put("E15", response(3000, new Location.Numbered(0, List.of(0L, 1L)), 44, 44));
        meanings.put("E16", response(100, new Location.TooShort(), 44, 144));
        meanings.put("E17", response(0, new Location.NoItem(), 0, 32));
        meanings.put("E18", call(0xa009, allTargets()));
    }

    private static Option response(long length, Location place, long displacement, long payload) {
        return reply(
                0xa008,
                new TransmitResponse(List.of(item(displacement, length, place)), 1, payload));
    }

    private static TransmitRequest allTargets() {
        var explicit = new Target.Explicit(List.of(new Segment(0x31, 8192, 0x1000)));
        var choice = new Target.Choice(List.of(new Segment(0x32, 8192, 0x4000)));
        var bySize = new Target.BySize(8192, List.of(new Segment(0x33, 65536, 0x8000)));
        return new TransmitRequest(
                List.of(),
                List.of(
                        new ResponseSet(
                                56,
                                80,
                                List.of(
                                        new ExpectedResult(512, explicit),
                                        new ExpectedResult(512, new Target.Numbered()))),
                        new ResponseSet(
                                80,
                                104,
                                List.of(
                                        new ExpectedResult(0, choice),
                                        new ExpectedResult(1024, bySize)))),
                1,
                4,
                104,
                Optional.empty());
    }

    private static void putErrors(Map<String, Version2Header> meanings) {
        meanings.put(
                "E19",
                reply(
                        0xa007,
                        new TransmitError(
                                new TransmissionId(0xa007, Direction.CALL, 2),
                                Optional.of(new TransmissionId(0xa007, Direction.CALL, 0)),
                                new Fault.Unexpected(Mismatch.SEQUENCE, 1, 2))));
        meanings.put(
                "E20",
                reply(
                        0xa00a,
                        new TransmitError(
                                new TransmissionId(0xa00a, Direction.CALL, 1),
                                Optional.empty(),
                                new Fault.NoGroup())));
        meanings.put(
                "E21",
                call(
                        0xa008,
                        new TransmitError(
                                new TransmissionId(0xa008, Direction.REPLY, 0),
                                Optional.empty(),
                                new Fault.OutOfRange(Measure.SEGMENT_NUMBER, 9, 0, 3))));
        meanings.put(
                "E22",
                reply(
                        0xa007,
                        new TransmitError(
                                new TransmissionId(0xa00b, Direction.CALL, 0),
                                Optional.of(new TransmissionId(0xa007, Direction.CALL, 1)),
                                new Fault.Unexpected(Mismatch.HEADER_TYPE, 5, 0))));
    }

    private static void putReadChunks(Map<String, Version2Header> meanings) {
        var reads =
                List.of(read(0x5005, 65536, 0x7fff00000000L), read(0x5006, 4464, 0x7fff00010000L));
        meanings.put(
                "E23",
                new NoMsg(
                        0xa00c,
                        16,
                        Direction.REPLY,
                        new ChunkLists(reads, List.of(), Optional.empty())));
        var unused = new WriteChunk(List.of(new Segment(0x9009, 0, 0x6000)));
        meanings.put(
                "E24",
                new NoMsg(
                        0xa00c,
                        16,
                        Direction.REPLY,
                        new ChunkLists(
                                List.of(read(0x5005, 70000, 0x7fff00000000L)),
                                List.of(),
                                Optional.of(unused))));
        meanings.put("E25", call(0xa00c, new DoneNotice(List.of(0xa00d))));
        meanings.put("E26", reply(0xa00c, new DoneAck(2)));
        meanings.put(
                "E27", call(0xa00e, new CallWithDoneNotices(List.of(0xa00c), ChunkLists.EMPTY)));
        meanings.put(
                "E28",
                call(
                        0xa00f,
                        new TransmitRequest(
                                List.of(),
                                List.of(),
                                1,
                                1,
                                40,
                                Optional.of(
                                        new Trailer(
                                                Optional.of(
                                                        List.of(
                                                                new Segment(
                                                                        0x7007, 32768, 0x9000))),
                                                List.of(0xa00c))))));
    }
}
