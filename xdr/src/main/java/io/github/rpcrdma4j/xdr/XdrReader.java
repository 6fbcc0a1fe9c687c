package io.github.rpcrdma4j.xdr;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Reads XDR items in order (RFC 4506). Every method throws {@link XdrException} if the item is
 * malformed or the stream ends inside it; nothing is allocated for a length that the stream cannot
 * hold. What is returned as a segment is a view: it lives as long as the memory it was made from.
 *
 * <p>Not thread-safe.
 */
public final class XdrReader {
    private static final ValueLayout.OfInt UINT32 =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong UINT64 =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static final char REPLACEMENT = '\ufffd';

    private MemorySegment stream;
    private long end;
    private Placements placements;
    private long at;

    /**
     * Bytes, padding included, that the stream would have had before {@link #at} but has not, less
     * those that it has to align others.
     */
    private long reduced;

    /** Reads a stream that holds all of its items. */
    public XdrReader(MemorySegment stream) {
        this(stream, Placements.NONE);
    }

    /** Reads a stream whose bulk items may lie elsewhere. */
    public XdrReader(MemorySegment stream, Placements placements) {
        restart(stream, placements);
    }

    /** Reads another stream from its start on, as a new reader would. */
    public void restart(MemorySegment newStream, Placements newPlacements) {
        stream = newStream;
        end = newStream.byteSize();
        placements = newPlacements;
        at = 0;
        reduced = 0;
    }

    /** Where the next item starts in the unreduced stream, in bytes. */
    public long position() {
        return at + reduced;
    }

    /** Bytes of the stream that are still to be read. */
    public long remaining() {
        return end - at;
    }

    /** A 32-bit integer, signed or unsigned. */
    public int uint32() throws XdrException {
        require(Integer.BYTES);
        int value = stream.get(UINT32, at);
        at += Integer.BYTES;
        return value;
    }

    /** A 64-bit integer, signed or unsigned. */
    public long uint64() throws XdrException {
        require(Long.BYTES);
        long value = stream.get(UINT64, at);
        at += Long.BYTES;
        return value;
    }

    /** A boolean: 0 or 1 and nothing else. */
    public boolean bool() throws XdrException {
        int value = uint32();
        if ((value & ~1) != 0) {
            throw new XdrException("a boolean is neither 0 nor 1");
        }
        return value == 1;
    }

    /**
     * The length word of an array.
     *
     * @param elementBytes the fewest bytes that one element takes; at least 1
     * @param max the limit on the number of elements
     */
    public int count(int elementBytes, int max) throws XdrException {
        long count = Integer.toUnsignedLong(uint32());
        if (count > max || count * elementBytes > remaining()) {
            throw new XdrException("an array is longer than its limit or than the message");
        }
        return (int) count;
    }

    /**
     * Opaque data of a fixed length; a view. Padding may have any content (RFC 4506, Section 4.9,
     * asks the sender for zeros, and no receiver depends on them).
     */
    public MemorySegment fixedOpaque(long length) throws XdrException {
        long padded = XdrWriter.roundUp(length);
        require(Math.max(length, padded));
        var data = stream.asSlice(at, length);
        at += padded;
        return data;
    }

    /** Opaque data of a variable length that never leaves the stream; a view. */
    public MemorySegment opaque(long max) throws XdrException {
        return aligned(length(max));
    }

    /** Reads like {@link #opaque}, and copies to the heap. */
    public byte[] bytes(int max) throws XdrException {
        long length = length(max);
        long padded = XdrWriter.roundUp(length);
        require(padded);
        byte[] bytes = new byte[(int) length];
        MemorySegment.copy(stream, ValueLayout.JAVA_BYTE, at, bytes, 0, bytes.length);
        at += padded;
        return bytes;
    }

    /**
     * A string in UTF-8.
     *
     * @param max bytes
     */
    public String string(int max) throws XdrException {
        byte[] bytes = bytes(max);
        var value = new String(bytes, StandardCharsets.UTF_8);
        // Malformed bytes become replacement characters; a string that has none is good.
        if (value.indexOf(REPLACEMENT) >= 0
                && !Arrays.equals(bytes, value.getBytes(StandardCharsets.UTF_8))) {
            throw new XdrException("a string is not UTF-8");
        }
        return value;
    }

    /**
     * Opaque data of a variable length that may have been placed apart from the stream; a view of
     * wherever it lies.
     */
    public MemorySegment bulk(long max) throws XdrException {
        long length = length(max);
        var placed = placements.take(position(), length);
        if (placed == null) {
            return aligned(length);
        }
        // Padding that was not sent (RFC 5666-3.7-2).
        reduced += XdrWriter.roundUp(length);
        return placed;
    }

    /**
     * Shows all that is still to be read, in the order of the unreduced stream, and reads nothing:
     * what a message says is the same whichever of its arguments were placed apart. Padding that
     * aligns items ({@link #isPadded}) is shown, since its place is not known yet.
     *
     * @param bytes is given views, some of them empty
     */
    public void show(Consumer<MemorySegment> bytes) {
        long from = at;
        long apart = reduced;
        for (var item : placements.untaken()) {
            long to = Math.clamp(item.position() - apart, from, end);
            bytes.accept(stream.asSlice(from, to - from));
            bytes.accept(item.data());
            long padded = XdrWriter.roundUp(item.data().byteSize());
            bytes.accept(MemorySegment.ofArray(new byte[(int) (padded - item.data().byteSize())]));
            from = to;
            apart += padded;
        }
        bytes.accept(stream.asSlice(from, end - from));
    }

    /** Whether bytes that belong to no item may stand in the stream, to align others. */
    public boolean isPadded() {
        return placements.isPadded();
    }

    /** The bulk item that could have been here is absent: its union took another arm. */
    public void noBulk() {
        placements.skip();
    }

    /** Checks that everything was consumed: the stream to its end, and all that was placed. */
    public void finish() throws XdrException {
        if (at != end) {
            throw new XdrException("bytes are left over after the last item");
        }
        placements.finish();
    }

    private long length(long max) throws XdrException {
        long length = Integer.toUnsignedLong(uint32());
        if (length > max) {
            throw new XdrException("an item is longer than its limit");
        }
        return length;
    }

    private MemorySegment aligned(long length) throws XdrException {
        long padding = placements.padding(at, length);
        if (padding != 0) {
            require(padding);
            at += padding;
            reduced -= padding;
        }
        return fixedOpaque(length);
    }

    private void require(long count) throws XdrException {
        if (end - at < count) {
            throw new XdrException("the message ends inside an item");
        }
    }
}
