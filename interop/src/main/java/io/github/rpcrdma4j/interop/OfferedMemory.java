package io.github.rpcrdma4j.interop;

import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.MemoryRegion;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
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
 * Memory that a chunk names, with guard octets in front of, between and behind its segments. It
 * remembers how all of it has to look, so that an octet in the wrong place is found.
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
    private final List<MemoryRegion> regions = new ArrayList<>();

    /** A segment: where it starts in the memory, and what the peer calls it. */
    private record Piece(int at, Segment segment) {}

    /**
     * Lays out and registers memory; segments are blank.
     *
     * @param access what the peer may do
     */
    OfferedMemory(ProtectionDomain domain, Layout layout, Set<Access> access) {
        int count = layout.lengths().size();
        image = new byte[layout.octets() + (count + 1) * GUARD_BYTES];
        memory = Arena.ofAuto().allocate(image.length);
        Arrays.fill(image, GUARD);
        MemoryRegion shared = null;
        if (!layout.apart() && count > 0) {
            shared = register(domain, GUARD_BYTES, image.length - 2 * GUARD_BYTES, access);
        }
        int at = GUARD_BYTES;
        for (int length : layout.lengths()) {
            Arrays.fill(image, at, at + length, BLANK);
            var region = shared != null ? shared : register(domain, at, length, access);
            long address =
                    region.address() + memory.asSlice(at).address() - region.segment().address();
            pieces.add(new Piece(at, new Segment(region.handle(), length, address)));
            at += length + GUARD_BYTES;
        }
        MemorySegment.copy(image, 0, memory, ValueLayout.JAVA_BYTE, 0, image.length);
    }

    private MemoryRegion register(ProtectionDomain domain, int at, int length, Set<Access> access) {
        var region = domain.register(memory.asSlice(at, length), access);
        regions.add(region);
        return region;
    }

    /** Lays data into the segments, in order; it must fit. */
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

    /** As a Write chunk or Reply chunk. */
    WriteChunk chunk() {
        return new WriteChunk(pieces.stream().map(Piece::segment).toList());
    }

    /** As entries of a Read list. */
    List<ReadSegment> reads(long position) {
        return pieces.stream()
                .map(piece -> new ReadSegment((int) position, piece.segment()))
                .toList();
    }

    /** The chunk as a responder has to return it with {@code octets} written. */
    WriteChunk filled(long octets) {
        long left = octets;
        var segments = new ArrayList<Segment>();
        for (var piece : pieces) {
            long count = Math.min(left, piece.segment().size());
            segments.add(piece.segment().withLength(count));
            left -= count;
        }
        return new WriteChunk(segments);
    }

    /** Takes what the peer wrote, which may only be the first {@code octets} of the segments. */
    byte[] take(long octets) {
        var taken = new ByteArrayOutputStream();
        long left = octets;
        for (var piece : pieces) {
            int count = (int) Math.min(left, piece.segment().size());
            byte[] part = memory.asSlice(piece.at(), count).toArray(ValueLayout.JAVA_BYTE);
            taken.writeBytes(part);
            System.arraycopy(part, 0, image, piece.at(), count);
            left -= count;
        }
        return taken.toByteArray();
    }

    /** Requires that nothing was touched but what was taken. */
    void requireUntouched() throws Mismatch {
        Mismatch.requireSame(
                "memory that is not to be touched", image, memory.toArray(ValueLayout.JAVA_BYTE));
    }

    /** Requires that no handle was invalidated, but this one if it is here. */
    void requireValidBut(OptionalInt invalidated) throws Mismatch {
        for (var region : regions) {
            boolean valid = invalidated.isEmpty() || invalidated.getAsInt() != region.handle();
            Mismatch.requireSame("whether a handle is valid", valid, region.isValid());
        }
    }

    @Override
    public void close() {
        regions.forEach(MemoryRegion::invalidate);
    }
}
