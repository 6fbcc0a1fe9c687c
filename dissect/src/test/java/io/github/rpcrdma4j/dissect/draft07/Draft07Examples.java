package io.github.rpcrdma4j.dissect.draft07;

import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Headers of the last draft of version 2: the worked examples, and one of every other type. */
public final class Draft07Examples {
    private static final WriteChunk CHUNK =
            new WriteChunk(List.of(new Segment(0x51, 4096, 0x5000), new Segment(0x52, 904, 0)));
    private static final ChunkLists LISTS =
            new ChunkLists(
                    List.of(read(40, 0x61), read(40, 0x62), read(80, 0x63)),
                    List.of(CHUNK, new WriteChunk(List.of())),
                    Optional.of(CHUNK));

    private Draft07Examples() {}

    static ReadSegment read(int position, int handle) {
        return new ReadSegment(position, new Segment(handle, 512, 0x7000));
    }

    /** Returns the decoded header of each worked example. */
    public static SortedMap<String, Draft07Header> meanings() {
        var meanings = new TreeMap<String, Draft07Header>();
        meanings.put(
                "E32",
                new Draft07Header.Properties(
                        1,
                        16,
                        true,
                        List.of(
                                new Property.SendSize(4096),
                                new Property.ReceiveSize(4096),
                                new Property.SegmentSize(1 << 20),
                                new Property.SegmentCount(16),
                                new Property.ReverseSupport(Property.Reverse.GENERAL))));
        meanings.put("E33", new Draft07Header.CallMiddle(0xc001, 18, 100));
        meanings.put("E34", new Draft07Header.CallInline(0xc001, 19, 0, ChunkLists.EMPTY));
        meanings.put("E35", new Draft07Header.Grant(0, 40));
        meanings.put(
                "E36",
                new Draft07Header.Failure(0xc001, 2, 41, new HeaderError.ReplyResource(70000)));
        return meanings;
    }

    /** Returns headers of all types, with all their fields. */
    static List<Draft07Header> all() {
        return List.of(
                new Draft07Header.Grant(0, -1),
                new Draft07Header.Properties(
                        2,
                        1,
                        false,
                        List.of(
                                new Property.HostAuthentication(List.of((byte) 1, (byte) -2)),
                                new Property.Default(2),
                                new Property.Unknown(99))),
                new Draft07Header.CallExternal(3, 1, 0x61, List.of(read(0, 0x60)), LISTS),
                new Draft07Header.CallMiddle(4, 1, 0xffff_ffffL),
                new Draft07Header.CallInline(5, 1, 0x61, LISTS),
                new Draft07Header.ReplyExternal(6, 1, LISTS.writeList(), CHUNK),
                new Draft07Header.ReplyMiddle(7, 1, 0),
                new Draft07Header.ReplyInline(8, 1, LISTS.writeList()),
                failure(new HeaderError.Version(1, 2)),
                failure(new HeaderError.BadXdr()),
                failure(new HeaderError.BadProperty()),
                failure(new HeaderError.UnknownType()),
                failure(new HeaderError.BadContinuation()),
                failure(new HeaderError.ReadChunks(1)),
                failure(new HeaderError.WriteChunks(2)),
                failure(new HeaderError.Segments(16)),
                failure(new HeaderError.WriteResource(1, 0x8000_0000L)),
                failure(new HeaderError.ReplyResource(70000)),
                failure(new HeaderError.OtherVersion()),
                failure(new HeaderError.ReceiverFailed()));
    }

    private static Draft07Header failure(HeaderError error) {
        return new Draft07Header.Failure(9, Draft07Header.VERSION, 1, error);
    }
}
