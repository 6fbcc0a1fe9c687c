package io.github.rpcrdma4j.rpcrdma.wire;

import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The codec of {@link ChunkLists} (RFC 8166, Section 4.3), whose wire form is equal in every
 * version.
 *
 * <pre>
 *   Read list     { 1 position segment }* 0
 *   Write list    { 1 count segment* }* 0
 *   Reply chunk   0  |  1 count segment*
 *   segment       handle length offset(64)
 * </pre>
 *
 * <p>Tests: {@code GoldenHeadersTest}, {@code CapturedHeadersTest}.
 */
public final class ChunkListsCodec {
    /**
     * The most entries of a Read list. Like the other limits, it protects against hostile peers
     * (RFC 8267-6.4.2-3), and is far above what every server has to accept (RFC 8267-6.4.2-2).
     */
    public static final int READ_SEGMENTS_MAX = 256;

    /** The most chunks of a Write list. */
    public static final int WRITE_CHUNKS_MAX = 64;

    /** The most segments of a Write chunk or Reply chunk. */
    public static final int WRITE_SEGMENTS_MAX = 256;

    /** The length of three lists without entries, in bytes. */
    public static final int EMPTY_BYTES = 3 * Integer.BYTES;

    private static final ValueLayout.OfInt UINT32 =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong UINT64 =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private ChunkListsCodec() {}

    /**
     * Reads the three lists.
     *
     * @throws XdrException if they are malformed, truncated, or above a limit
     */
    public static ChunkLists decode(XdrReader in) throws XdrException {
        var readList = readList(in);
        var writeList = writeList(in);
        boolean hasReplyChunk = in.bool();
        if (!hasReplyChunk && readList.isEmpty() && writeList.isEmpty()) {
            return ChunkLists.EMPTY;
        }
        Optional<WriteChunk> replyChunk =
                hasReplyChunk ? Optional.of(new WriteChunk(segments(in))) : Optional.empty();
        return new ChunkLists(readList, writeList, replyChunk);
    }

    /**
     * Reads a Read list.
     *
     * @throws XdrException if it is truncated, or longer than {@link #READ_SEGMENTS_MAX}
     */
    public static List<ReadSegment> readList(XdrReader in) throws XdrException {
        List<ReadSegment> readList = List.of();
        while (in.bool()) {
            requireRoom(readList, READ_SEGMENTS_MAX, "the Read list");
            readList = with(readList, new ReadSegment(in.uint32(), segment(in)));
        }
        return readList;
    }

    /**
     * Reads a Write list.
     *
     * @throws XdrException if it is malformed, truncated, or above a limit
     */
    public static List<WriteChunk> writeList(XdrReader in) throws XdrException {
        List<WriteChunk> writeList = List.of();
        while (in.bool()) {
            requireRoom(writeList, WRITE_CHUNKS_MAX, "the Write list");
            writeList = with(writeList, new WriteChunk(segments(in)));
        }
        return writeList;
    }

    private static void requireRoom(List<?> list, int max, String name) throws XdrException {
        if (list.size() == max) {
            throw new XdrException(name + " has more than " + max + " entries");
        }
    }

    /**
     * Adds an entry. A list with one entry is immutable, so it is not copied later. Nearly all
     * lists have one entry.
     */
    private static <T> List<T> with(List<T> list, T entry) {
        if (list.isEmpty()) {
            return List.of(entry);
        }
        var longer = list.size() == 1 ? new ArrayList<>(list) : list;
        longer.add(entry);
        return longer;
    }

    /**
     * Reads a counted array of segments.
     *
     * @throws XdrException if it is truncated, or longer than {@link #WRITE_SEGMENTS_MAX}
     */
    public static List<Segment> segments(XdrReader in) throws XdrException {
        int count = in.count(Segment.BYTES, WRITE_SEGMENTS_MAX);
        if (count == 1) {
            return List.of(segment(in));
        }
        var segments = new ArrayList<Segment>(count);
        for (int i = 0; i < count; i++) {
            segments.add(segment(in));
        }
        return segments;
    }

    private static Segment segment(XdrReader in) throws XdrException {
        return new Segment(in.uint32(), in.uint32(), in.uint64());
    }

    /** Returns how many bytes {@link #encode(ChunkLists, MemorySegment, int)} writes. */
    public static int encodedLength(ChunkLists chunks) {
        int length = readListLength(chunks.readList()) + writeListLength(chunks.writeList());
        length += Integer.BYTES;
        if (chunks.replyChunk().isPresent()) {
            length += encodedLength(chunks.replyChunk().get().segments());
        }
        return length;
    }

    /** Returns how many bytes a Read list takes. */
    public static int readListLength(List<ReadSegment> readList) {
        return Integer.BYTES + readList.size() * (Integer.BYTES + ReadSegment.BYTES);
    }

    /** Returns how many bytes a Write list takes. */
    public static int writeListLength(List<WriteChunk> writeList) {
        int length = Integer.BYTES;
        for (var chunk : writeList) {
            length += Integer.BYTES + encodedLength(chunk.segments());
        }
        return length;
    }

    /** Returns how many bytes a counted array of segments takes. */
    public static int encodedLength(List<Segment> segments) {
        return Integer.BYTES + segments.size() * Segment.BYTES;
    }

    /**
     * Writes the three lists from {@code from} on.
     *
     * @return the offset after the lists
     * @throws IndexOutOfBoundsException if they do not fit
     */
    public static int encode(ChunkLists chunks, MemorySegment target, int from) {
        int at = encodeReadList(chunks.readList(), target, from);
        at = encodeWriteList(chunks.writeList(), target, at);
        if (chunks.replyChunk().isEmpty()) {
            return put(target, at, 0);
        }
        return encode(chunks.replyChunk().get().segments(), target, put(target, at, 1));
    }

    /**
     * Writes a Read list from {@code from} on.
     *
     * @return the offset after it
     * @throws IndexOutOfBoundsException if it does not fit
     */
    public static int encodeReadList(List<ReadSegment> readList, MemorySegment target, int from) {
        int at = from;
        for (var read : readList) {
            at = put(target, at, 1);
            at = put(target, at, read.position());
            at = put(target, at, read.target());
        }
        return put(target, at, 0);
    }

    /**
     * Writes a Write list from {@code from} on.
     *
     * @return the offset after it
     * @throws IndexOutOfBoundsException if it does not fit
     */
    public static int encodeWriteList(List<WriteChunk> writeList, MemorySegment target, int from) {
        int at = from;
        for (var write : writeList) {
            at = encode(write.segments(), target, put(target, at, 1));
        }
        return put(target, at, 0);
    }

    /**
     * Writes a counted array of segments from {@code from} on.
     *
     * @return the offset after it
     * @throws IndexOutOfBoundsException if it does not fit
     */
    public static int encode(List<Segment> segments, MemorySegment target, int from) {
        int at = put(target, from, segments.size());
        for (var segment : segments) {
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
