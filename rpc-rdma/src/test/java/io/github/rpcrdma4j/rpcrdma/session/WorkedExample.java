package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.Golden;
import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import io.github.rpcrdma4j.rpcrdma.wire.Version1HeaderCodec;
import io.github.rpcrdma4j.rpcrdma.wire.Version1HeaderCodec.Decoded;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * A worked example whose segments can be replaced by segments in real memory. All other bytes stay
 * unchanged.
 *
 * @param bytes the bytes of the example
 */
public record WorkedExample(byte[] bytes) {
    /** The transport header of an example that has chunk lists. */
    private record Parts(Version1Header header, ChunkLists chunks, int headerBytes) {}

    public static WorkedExample of(String name) {
        return new WorkedExample(Golden.bytes(name));
    }

    /** Returns a message from its bytes in hexadecimal, for answers that no example has. */
    static WorkedExample hex(String bytes) {
        return new WorkedExample(HexFormat.of().parseHex(bytes.replaceAll("\\s", "")));
    }

    private Parts parts() {
        if (!(Version1HeaderCodec.decode(MemorySegment.ofArray(bytes))
                instanceof Decoded.Ok(var header, var length))) {
            return null;
        }
        return switch (header) {
            case Version1Header.Msg(_, _, var chunks) -> new Parts(header, chunks, length);
            case Version1Header.NoMsg(_, _, var chunks) -> new Parts(header, chunks, length);
            case Version1Header.VersionError _,
                    Version1Header.ChunkError _,
                    Version1Header.Done _ ->
                    null;
        };
    }

    /** Returns its chunk lists; empty lists if its header has none. */
    public ChunkLists chunks() {
        var parts = parts();
        return parts == null ? ChunkLists.EMPTY : parts.chunks;
    }

    /** Returns the bytes after the transport header. */
    MemorySegment payload() {
        return MemorySegment.ofArray(bytes).asSlice(parts().headerBytes);
    }

    /** Returns its segments in wire order. */
    List<Segment> segments() {
        var segments = new ArrayList<Segment>();
        map(
                segment -> {
                    segments.add(segment);
                    return segment;
                });
        return segments;
    }

    /** Returns a copy with real segments in place of the handles of the example. */
    public WorkedExample in(Map<Integer, Segment> real) {
        return map(
                segment -> {
                    var found = real.get(segment.handle());
                    return found == null ? segment : found.withLength(segment.length());
                });
    }

    /** Maps the handles of this example to the segments of {@code other} at equal positions. */
    public Map<Integer, Segment> pairedWith(WorkedExample other) {
        var own = segments();
        var others = other.segments();
        var paired = new TreeMap<Integer, Segment>();
        for (int i = 0; i < Math.min(own.size(), others.size()); i++) {
            paired.put(own.get(i).handle(), others.get(i));
        }
        return paired;
    }

    private WorkedExample map(UnaryOperator<Segment> change) {
        var parts = parts();
        if (parts == null) {
            return this;
        }
        var reads =
                parts.chunks.readList().stream()
                        .map(read -> new ReadSegment(read.position(), change.apply(read.target())))
                        .toList();
        var writes = parts.chunks.writeList().stream().map(chunk -> map(chunk, change)).toList();
        var reply = parts.chunks.replyChunk().map(chunk -> map(chunk, change));
        var chunks = new ChunkLists(reads, writes, reply);
        var header = parts.header;
        Version1Header changed =
                header instanceof Version1Header.NoMsg
                        ? new Version1Header.NoMsg(header.xid(), header.credits(), chunks)
                        : new Version1Header.Msg(header.xid(), header.credits(), chunks);
        byte[] copy = bytes.clone();
        Version1HeaderCodec.encode(changed, MemorySegment.ofArray(copy));
        return new WorkedExample(copy);
    }

    private static WriteChunk map(WriteChunk chunk, UnaryOperator<Segment> change) {
        return new WriteChunk(chunk.segments().stream().map(change).toList());
    }
}
