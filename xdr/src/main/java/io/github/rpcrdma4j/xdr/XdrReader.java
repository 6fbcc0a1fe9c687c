package io.github.rpcrdma4j.xdr;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Reads XDR items in order (RFC 4506). Every method throws {@link XdrException} if the item is
 * malformed or the stream ends inside it. No method allocates memory for a length that the stream
 * cannot hold. A returned segment is a view, valid as long as the memory of the stream or of the
 * placed data.
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
     * The position in the unreduced stream minus {@link #at}, in bytes. That is the padded length
     * of all items placed apart, less the bytes in the stream that only align items.
     */
    private long reduced;

    /** Creates a reader of a stream that holds all of its items. */
    public XdrReader(MemorySegment stream) {
        this(stream, Placements.NONE);
    }

    /** Creates a reader of a stream whose bulk items may lie apart from it. */
    public XdrReader(MemorySegment stream, Placements placements) {
        restart(stream, placements);
    }

    /** Begins to read another stream from its start, as a new reader would. */
    public void restart(MemorySegment newStream, Placements newPlacements) {
        stream = newStream;
        end = newStream.byteSize();
        placements = newPlacements;
        at = 0;
        reduced = 0;
    }

    /** Returns where the next item starts in the unreduced stream, in bytes. */
    public long position() {
        return at + reduced;
    }

    /** Returns how many bytes of the stream are not read yet. */
    public long remaining() {
        return end - at;
    }

    /** Reads a 32-bit integer, signed or unsigned. */
    public int uint32() throws XdrException {
        require(Integer.BYTES);
        int value = stream.get(UINT32, at);
        at += Integer.BYTES;
        return value;
    }

    /** Reads a 64-bit integer, signed or unsigned. */
    public long uint64() throws XdrException {
        require(Long.BYTES);
        long value = stream.get(UINT64, at);
        at += Long.BYTES;
        return value;
    }

    /** Reads a boolean, and refuses any word but 0 and 1. */
    public boolean bool() throws XdrException {
        int value = uint32();
        if ((value & ~1) != 0) {
            throw new XdrException("a boolean is neither 0 nor 1");
        }
        return value == 1;
    }

    /**
     * Reads the length word of an array, and checks that the stream can hold that many elements.
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
     * Reads opaque data of a fixed length, in bytes, as a view. Its padding may have any content:
     * RFC 4506, Section 4.9, asks the sender for zeros, and no receiver depends on them.
     */
    public MemorySegment fixedOpaque(long length) throws XdrException {
        long from = at;
        skipFixedOpaque(length);
        return stream.asSlice(from, length);
    }

    /** Reads over what {@link #fixedOpaque} returns. */
    public void skipFixedOpaque(long length) throws XdrException {
        long padded = XdrWriter.roundUp(length);
        require(Math.max(length, padded));
        at += padded;
    }

    /** Reads opaque data of a variable length that never leaves the stream, as a view. */
    public MemorySegment opaque(long max) throws XdrException {
        return aligned(length(max));
    }

    /** Reads over what {@link #opaque} returns. */
    public void skipOpaque(long max) throws XdrException {
        long length = length(max);
        align(length);
        skipFixedOpaque(length);
    }

    /** Reads like {@link #opaque}, and copies the data to the heap. */
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
     * Reads a string, and refuses bytes that are not UTF-8.
     *
     * @param max the longest string, in bytes
     */
    public String string(int max) throws XdrException {
        byte[] bytes = bytes(max);
        var value = new String(bytes, StandardCharsets.UTF_8);
        // Malformed bytes become replacement characters, so a string without any is well-formed.
        if (value.indexOf(REPLACEMENT) >= 0
                && !Arrays.equals(bytes, value.getBytes(StandardCharsets.UTF_8))) {
            throw new XdrException("a string is not UTF-8");
        }
        return value;
    }

    /**
     * Reads opaque data of a variable length, placed apart or in the stream. Returns a view of it.
     */
    public MemorySegment bulk(long max) throws XdrException {
        long length = length(max);
        var placed = placements.take(position(), length);
        if (placed == null) {
            if (placements.awaits(position(), length)) {
                throw new XdrException("the data of an item has not arrived yet");
            }
            return aligned(length);
        }
        // Padding that was not sent (RFC 5666-3.7-2).
        reduced += XdrWriter.roundUp(length);
        return placed;
    }

    /** Reads over what {@link #bulk} returns, even if its data has not arrived yet. */
    public void skipBulk(long max) throws XdrException {
        long length = length(max);
        if (placements.awaits(position(), length) || placements.take(position(), length) != null) {
            reduced += XdrWriter.roundUp(length);
        } else {
            align(length);
            skipFixedOpaque(length);
        }
    }

    /** Returns the next 32-bit integer, which stays unread. */
    public int peekUint32() throws XdrException {
        require(Integer.BYTES);
        return stream.get(UINT32, at);
    }

    /**
     * Returns a reader of the items that are not read yet. What it reads stays unread here. It has
     * the data that was placed apart, unless the transport does not identify it by position.
     */
    public XdrReader peek() {
        var copy = new XdrReader(stream, PeekedPlacements.of(placements));
        copy.at = at;
        copy.reduced = reduced;
        return copy;
    }

    /**
     * Passes all unread bytes to a consumer, in the order of the unreduced stream, without reading
     * them. So the consumer gets equal bytes for equal messages, whichever arguments were placed
     * apart. Bytes that only align items ({@link #isPadded}) are included, because their positions
     * are not known yet.
     *
     * @param bytes accepts views, some of them empty
     */
    public void peekAll(Consumer<MemorySegment> bytes) {
        long from = at;
        long apart = reduced;
        for (var item : placements.remaining()) {
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

    /** Returns whether the stream may hold bytes that only align items. */
    public boolean isPadded() {
        return placements.isPadded();
    }

    /**
     * Returns whether data that was placed apart is not read yet. Always false if the transport
     * does not identify items by position.
     */
    public boolean hasPlacedData() {
        return !placements.remaining().isEmpty();
    }

    /** Skips a bulk item that is absent here because its union took another arm. */
    public void absentBulk() {
        placements.skipAbsent();
    }

    /** Checks that the reader consumed the whole stream and all placed data. */
    public void finish() throws XdrException {
        if (at != end) {
            throw new XdrException("the message has " + (end - at) + " bytes after its last item");
        }
        placements.finish();
    }

    private long length(long max) throws XdrException {
        long length = Integer.toUnsignedLong(uint32());
        if (length > max) {
            throw new XdrException(
                    "an item of %d bytes is longer than its limit, %d bytes"
                            .formatted(length, max));
        }
        return length;
    }

    private MemorySegment aligned(long length) throws XdrException {
        align(length);
        return fixedOpaque(length);
    }

    private void align(long length) throws XdrException {
        long padding = placements.padding(at, length);
        if (padding != 0) {
            require(padding);
            at += padding;
            reduced -= padding;
        }
    }

    private void require(long count) throws XdrException {
        if (end - at < count) {
            throw new XdrException("the message ends inside an item");
        }
    }
}
