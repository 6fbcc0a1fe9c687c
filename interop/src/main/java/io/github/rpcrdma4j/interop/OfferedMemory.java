package io.github.rpcrdma4j.interop;

import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.MemoryWindow;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;

/**
 * The memory of a chunk, with guard bytes before, between and behind its segments. It keeps the
 * required content of all its bytes, and so detects writes outside the permitted ranges.
 *
 * <pre>
 *   guard | segment | guard | segment | guard | ...
 * </pre>
 */
final class OfferedMemory implements AutoCloseable {
    private static final int GUARD_BYTES = 64;
    private static final byte GUARD = (byte) 0xa5;
    private static final byte BLANK = 0x5c;

    private final MemorySegment memory;
    private final byte[] image;
    private final List<Piece> pieces = new ArrayList<>();
    private final List<MemoryWindow> windows = new ArrayList<>();

    /** Opens a window of memory to the peer. */
    interface Opening {
        /**
         * @param offset where the window starts in the memory, in bytes
         */
        MemoryWindow open(MemorySegment memory, long offset, long length, Set<Access> access);
    }

    /** A segment: where it starts in the memory, in bytes, and its name at the peer. */
    private record Piece(int at, Segment segment) {}

    /**
     * Allocates memory, fills its segments with blank bytes, and opens them to the peer.
     *
     * @param access the access that the peer gets
     */
    OfferedMemory(Opening opening, Layout layout, Set<Access> access) {
        int count = layout.lengths().size();
        image = new byte[layout.bytes() + (count + 1) * GUARD_BYTES];
        memory = Arena.ofAuto().allocate(image.length);
        Arrays.fill(image, GUARD);
        MemoryWindow shared = null;
        if (!layout.apart() && count > 0) {
            shared = open(opening, GUARD_BYTES, image.length - 2 * GUARD_BYTES, access);
        }
        int at = GUARD_BYTES;
        for (int length : layout.lengths()) {
            Arrays.fill(image, at, at + length, BLANK);
            var window = shared != null ? shared : open(opening, at, length, access);
            long address = window.address() + (shared != null ? at - GUARD_BYTES : 0);
            pieces.add(new Piece(at, new Segment(window.handle(), length, address)));
            at += length + GUARD_BYTES;
        }
        MemorySegment.copy(image, 0, memory, ValueLayout.JAVA_BYTE, 0, image.length);
    }

    private MemoryWindow open(Opening opening, int at, int length, Set<Access> access) {
        var window = opening.open(memory, at, length, access);
        windows.add(window);
        return window;
    }

    /** Fills the segments with data, in order; the data must fit. */
    OfferedMemory fill(byte[] data) {
        int from = 0;
        for (var piece : pieces) {
            int count = Math.min(data.length - from, piece.segment().length());
            System.arraycopy(data, from, image, piece.at(), count);
            from += count;
        }
        if (from != data.length) {
            throw new IllegalArgumentException("the data is longer than the memory");
        }
        MemorySegment.copy(image, 0, memory, ValueLayout.JAVA_BYTE, 0, image.length);
        return this;
    }

    /** Returns the segments as a Write chunk or Reply chunk. */
    WriteChunk chunk() {
        return new WriteChunk(pieces.stream().map(Piece::segment).toList());
    }

    /** Returns the segments as entries of a Read list. */
    List<ReadSegment> reads(long position) {
        return pieces.stream()
                .map(piece -> new ReadSegment((int) position, piece.segment()))
                .toList();
    }

    /** Returns the chunk that a responder has to return after it wrote {@code bytes} bytes. */
    WriteChunk filled(long bytes) {
        long left = bytes;
        var segments = new ArrayList<Segment>();
        for (var piece : pieces) {
            long count = Math.min(left, piece.segment().size());
            segments.add(piece.segment().withLength(count));
            left -= count;
        }
        return new WriteChunk(segments);
    }

    /**
     * Returns the first {@code bytes} bytes of the segments, and from now on permits their new
     * content.
     */
    byte[] take(long bytes) {
        var taken = new ByteArrayOutputStream();
        long left = bytes;
        for (var piece : pieces) {
            int count = (int) Math.min(left, piece.segment().size());
            byte[] part = memory.asSlice(piece.at(), count).toArray(ValueLayout.JAVA_BYTE);
            taken.writeBytes(part);
            System.arraycopy(part, 0, image, piece.at(), count);
            left -= count;
        }
        return taken.toByteArray();
    }

    /** Requires that the peer changed only bytes that {@link #take} returned. */
    void requireUntouched() throws Mismatch {
        Mismatch.requireSame(
                "memory that is not to be touched", image, memory.toArray(ValueLayout.JAVA_BYTE));
    }

    /**
     * Requires that all handles are valid, except the invalidated one if it belongs to this memory.
     */
    void requireValidBut(OptionalInt invalidated) throws Mismatch {
        for (var window : windows) {
            boolean valid = invalidated.isEmpty() || invalidated.getAsInt() != window.handle();
            Mismatch.requireSame("whether a handle is valid", valid, window.isValid());
        }
    }

    @Override
    public void close() {
        windows.forEach(MemoryWindow::invalidate);
    }
}
