package io.github.rpcrdma4j.rpcrdma.wire;

import io.github.rpcrdma4j.rpcrdma.wire.TransportHeader.ChunkError;
import io.github.rpcrdma4j.rpcrdma.wire.TransportHeader.Done;
import io.github.rpcrdma4j.rpcrdma.wire.TransportHeader.Msg;
import io.github.rpcrdma4j.rpcrdma.wire.TransportHeader.NoMsg;
import io.github.rpcrdma4j.rpcrdma.wire.TransportHeader.OtherError;
import io.github.rpcrdma4j.rpcrdma.wire.TransportHeader.PaddedMsg;
import io.github.rpcrdma4j.rpcrdma.wire.TransportHeader.VersionError;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The wire form of a {@link TransportHeader} (RFC 8166, Section 4): XDR, with the fields in the
 * order that the RFC describes (RFC 8166-4-1, 5666-4.3-1).
 *
 * <pre>
 *   xid | vers | credit | proc |  body, by proc
 *                          0      RDMA_MSG      Read list, Write list, Reply chunk, then payload
 *                          1      RDMA_NOMSG    Read list, Write list, Reply chunk
 *                          2      RDMA_MSGP     align, threshold, then as RDMA_MSG     RFC 5666
 *                          3      RDMA_DONE     nothing
 *                          4      RDMA_ERROR    1 ERR_VERS low high  |  2 ERR_CHUNK
 *                                               |  any code and eight words            RFC 5666
 *
 *   Read list     { 1 position segment }* 0
 *   Write list    { 1 count segment* }* 0
 *   Reply chunk   0  |  1 count segment*
 *   segment       handle length offset(64)
 * </pre>
 *
 * Decoding is total: any octets give a {@link Decoded}, never an exception.
 */
public final class TransportHeaderCodec {
    /** The part that has its place in every version of the protocol (RFC 5666-4.1-4), in octets. */
    public static final int FIXED_BYTES = 16;

    /** A header whose three lists are empty, in octets. */
    public static final int EMPTY_LISTS_BYTES = 28;

    /** The part of RDMA_ERROR with ERR_CHUNK, in octets. */
    public static final int CHUNK_ERROR_BYTES = 20;

    private static final int RDMA_MSG = 0;
    private static final int RDMA_NOMSG = 1;
    private static final int RDMA_MSGP = 2;
    private static final int RDMA_DONE = 3;
    private static final int RDMA_ERROR = 4;
    private static final int ERR_VERS = 1;
    private static final int ERR_CHUNK = 2;
    private static final int OTHER_ERROR_WORDS = 8;

    private static final int VERSION_AT = 4;
    private static final int CREDITS_AT = 8;
    private static final int PROC_AT = 12;
    private static final ValueLayout.OfInt UINT32 =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong UINT64 =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private TransportHeaderCodec() {}

    /** What a received message turned out to be. */
    public sealed interface Decoded {
        /** A header; what follows it starts {@code length} octets into the message. */
        record Ok(TransportHeader header, int length) implements Decoded {}

        /** Another version of the protocol. */
        record UnknownVersion(int xid, int version) implements Decoded {}

        /** The right version, but the rest makes no sense. */
        record Malformed(int xid, int version, String why) implements Decoded {}

        /** An RDMA_ERROR that makes no sense. */
        record MalformedError(int xid, String why) implements Decoded {}

        /** Not even the fixed part: there is nobody to answer. */
        record TooShort() implements Decoded {}
    }

    /** Decodes the header at the start of a message, by RFC 8166. */
    public static Decoded decode(MemorySegment message) {
        return decode(message, Edition.RFC_8166);
    }

    /** Decodes the header at the start of a message. */
    public static Decoded decode(MemorySegment message, Edition edition) {
        if (message.byteSize() < FIXED_BYTES) {
            return new Decoded.TooShort();
        }
        int xid = message.get(UINT32, 0);
        int version = message.get(UINT32, VERSION_AT);
        int credits = message.get(UINT32, CREDITS_AT);
        int proc = message.get(UINT32, PROC_AT);
        var in = new XdrReader(message.asSlice(FIXED_BYTES));
        // RDMA_ERROR keeps its place and form in every version (RFC 8166-7-1).
        if (proc == RDMA_ERROR) {
            return error(in, xid, version, credits, edition);
        }
        if (version != TransportHeader.VERSION) {
            return new Decoded.UnknownVersion(xid, version);
        }
        try {
            return switch (proc) {
                case RDMA_MSG -> ok(new Msg(xid, credits, chunks(in)), in);
                case RDMA_NOMSG -> ok(new NoMsg(xid, credits, chunks(in)), in);
                case RDMA_DONE -> ok(new Done(xid, credits), in);
                default ->
                        proc == RDMA_MSGP && edition == Edition.RFC_5666
                                ? ok(paddedMsg(in, xid, credits), in)
                                : new Decoded.Malformed(xid, version, "unknown procedure " + proc);
            };
        } catch (XdrException malformed) {
            return new Decoded.Malformed(xid, version, malformed.getMessage());
        }
    }

    private static Decoded.Ok ok(TransportHeader header, XdrReader in) {
        return new Decoded.Ok(header, FIXED_BYTES + (int) in.position());
    }

    private static PaddedMsg paddedMsg(XdrReader in, int xid, int credits) throws XdrException {
        int align = in.uint32();
        int threshold = in.uint32();
        if (align == 0) {
            throw new XdrException("an RDMA_MSGP is aligned to zero");
        }
        return new PaddedMsg(xid, credits, align, threshold, chunks(in));
    }

    private static Decoded error(XdrReader in, int xid, int version, int credits, Edition edition) {
        try {
            int code = in.uint32();
            return switch (code) {
                case ERR_VERS ->
                        ok(new VersionError(xid, version, credits, in.uint32(), in.uint32()), in);
                case ERR_CHUNK -> ok(new ChunkError(xid, version, credits), in);
                default -> {
                    if (edition == Edition.RFC_8166) {
                        yield new Decoded.MalformedError(xid, "unknown error code " + code);
                    }
                    in.fixedOpaque(OTHER_ERROR_WORDS * Integer.BYTES);
                    yield ok(new OtherError(xid, version, credits, code), in);
                }
            };
        } catch (XdrException malformed) {
            return new Decoded.MalformedError(xid, malformed.getMessage());
        }
    }

    private static ChunkLists chunks(XdrReader in) throws XdrException {
        List<ReadSegment> readList = List.of();
        while (in.bool()) {
            readList = growing(readList, Limits.READ_SEGMENTS_MAX, "the Read list");
            readList.add(new ReadSegment(in.uint32(), segment(in)));
        }
        List<WriteChunk> writeList = List.of();
        while (in.bool()) {
            writeList = growing(writeList, Limits.WRITE_CHUNKS_MAX, "the Write list");
            writeList.add(writeChunk(in));
        }
        boolean hasReplyChunk = in.bool();
        if (!hasReplyChunk && readList.isEmpty() && writeList.isEmpty()) {
            return ChunkLists.EMPTY;
        }
        Optional<WriteChunk> replyChunk =
                hasReplyChunk ? Optional.of(writeChunk(in)) : Optional.empty();
        return new ChunkLists(readList, writeList, replyChunk);
    }

    private static <T> List<T> growing(List<T> list, int max, String name) throws XdrException {
        if (list.size() == max) {
            throw new XdrException(name + " has more than " + max + " entries");
        }
        return list.isEmpty() ? new ArrayList<>() : list;
    }

    private static WriteChunk writeChunk(XdrReader in) throws XdrException {
        int count = in.count(Segment.BYTES, Limits.WRITE_SEGMENTS_MAX);
        var segments = new ArrayList<Segment>(count);
        for (int i = 0; i < count; i++) {
            segments.add(segment(in));
        }
        return new WriteChunk(segments);
    }

    private static Segment segment(XdrReader in) throws XdrException {
        return new Segment(in.uint32(), in.uint32(), in.uint64());
    }

    /** How many octets {@link #encode} writes. */
    public static int encodedLength(TransportHeader header) {
        return switch (header) {
            case Msg(_, _, var chunks) -> encodedLength(chunks);
            case NoMsg(_, _, var chunks) -> encodedLength(chunks);
            case PaddedMsg(_, _, _, _, var chunks) -> 2 * Integer.BYTES + encodedLength(chunks);
            case OtherError _ -> CHUNK_ERROR_BYTES + OTHER_ERROR_WORDS * Integer.BYTES;
            case VersionError _ -> CHUNK_ERROR_BYTES + 2 * Integer.BYTES;
            case ChunkError _ -> CHUNK_ERROR_BYTES;
            case Done _ -> FIXED_BYTES;
        };
    }

    /** How long a header with these lists is, in octets. */
    public static int encodedLength(ChunkLists chunks) {
        int length = EMPTY_LISTS_BYTES;
        length += chunks.readList().size() * (Integer.BYTES + ReadSegment.BYTES);
        for (var chunk : chunks.writeList()) {
            length += 2 * Integer.BYTES + chunk.segments().size() * Segment.BYTES;
        }
        if (chunks.replyChunk().isPresent()) {
            length += Integer.BYTES + chunks.replyChunk().get().segments().size() * Segment.BYTES;
        }
        return length;
    }

    /**
     * Writes the header to the start of {@code target}.
     *
     * @return how many octets it took
     * @throws IndexOutOfBoundsException if they do not fit: the caller checks against the inline
     *     threshold before
     */
    public static int encode(TransportHeader header, MemorySegment target) {
        return switch (header) {
            case Msg(var xid, var credits, var chunks) ->
                    put(
                            target,
                            fixed(target, xid, TransportHeader.VERSION, credits, RDMA_MSG),
                            chunks);
            case NoMsg(var xid, var credits, var chunks) ->
                    put(
                            target,
                            fixed(target, xid, TransportHeader.VERSION, credits, RDMA_NOMSG),
                            chunks);
            case PaddedMsg(var xid, var credits, var align, var threshold, var chunks) -> {
                int at = fixed(target, xid, TransportHeader.VERSION, credits, RDMA_MSGP);
                yield put(target, put(target, put(target, at, align), threshold), chunks);
            }
            case OtherError(var xid, var version, var credits, var code) -> {
                int at = put(target, fixed(target, xid, version, credits, RDMA_ERROR), code);
                int length = OTHER_ERROR_WORDS * Integer.BYTES;
                target.asSlice(at, length).fill((byte) 0);
                yield at + length;
            }
            case VersionError(var xid, var version, var credits, var lowest, var highest) -> {
                int at = fixed(target, xid, version, credits, RDMA_ERROR);
                at = put(target, at, ERR_VERS);
                at = put(target, at, lowest);
                yield put(target, at, highest);
            }
            case ChunkError(var xid, var version, var credits) ->
                    put(target, fixed(target, xid, version, credits, RDMA_ERROR), ERR_CHUNK);
            case Done(var xid, var credits) ->
                    fixed(target, xid, TransportHeader.VERSION, credits, RDMA_DONE);
        };
    }

    private static int fixed(MemorySegment target, int xid, int version, int credits, int proc) {
        put(target, 0, xid);
        put(target, VERSION_AT, version);
        put(target, CREDITS_AT, credits);
        return put(target, PROC_AT, proc);
    }

    private static int put(MemorySegment target, int from, ChunkLists chunks) {
        int at = from;
        for (var read : chunks.readList()) {
            at = put(target, at, 1);
            at = put(target, at, read.position());
            at = put(target, at, read.target());
        }
        at = put(target, at, 0);
        for (var write : chunks.writeList()) {
            at = put(target, put(target, at, 1), write);
        }
        at = put(target, at, 0);
        if (chunks.replyChunk().isEmpty()) {
            return put(target, at, 0);
        }
        return put(target, put(target, at, 1), chunks.replyChunk().get());
    }

    private static int put(MemorySegment target, int from, WriteChunk chunk) {
        int at = put(target, from, chunk.segments().size());
        for (var segment : chunk.segments()) {
            at = put(target, at, segment);
        }
        return at;
    }

    private static int put(MemorySegment target, int at, Segment segment) {
        put(target, at, segment.handle());
        put(target, at + Integer.BYTES, segment.length());
        target.set(UINT64, at + 2L * Integer.BYTES, segment.offset());
        return at + Segment.BYTES;
    }

    private static int put(MemorySegment target, int at, int word) {
        target.set(UINT32, at, word);
        return at + Integer.BYTES;
    }
}
