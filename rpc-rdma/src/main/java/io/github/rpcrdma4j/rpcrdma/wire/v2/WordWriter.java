package io.github.rpcrdma4j.rpcrdma.wire.v2;

import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkListsCodec;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.List;

/** Writes words one behind the other, or only counts them. */
final class WordWriter {
    private static final ValueLayout.OfInt UINT32 =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final long UINT32_MAX = 0xffff_ffffL;

    private final MemorySegment target;
    private final boolean onlyCounts;
    private int at;

    private WordWriter(MemorySegment target, boolean onlyCounts) {
        this.target = target;
        this.onlyCounts = onlyCounts;
    }

    static WordWriter to(MemorySegment target) {
        return new WordWriter(target, false);
    }

    static WordWriter counting() {
        return new WordWriter(MemorySegment.NULL, true);
    }

    /** Octets so far. */
    int length() {
        return at;
    }

    WordWriter word(int value) {
        if (!onlyCounts) {
            target.set(UINT32, at, value);
        }
        at += Integer.BYTES;
        return this;
    }

    /**
     * An unsigned number.
     *
     * @throws IllegalArgumentException if it has more than 32 bits
     */
    WordWriter number(long value) {
        if (value < 0 || value > UINT32_MAX) {
            throw new IllegalArgumentException("not a number of 32 bits: " + value);
        }
        return word((int) value);
    }

    WordWriter bool(boolean value) {
        return word(value ? 1 : 0);
    }

    WordWriter words(List<Integer> values) {
        word(values.size());
        values.forEach(this::word);
        return this;
    }

    WordWriter numbers(List<Long> values) {
        word(values.size());
        values.forEach(this::number);
        return this;
    }

    WordWriter segments(List<Segment> segments) {
        at =
                onlyCounts
                        ? at + ChunkListsCodec.encodedLength(segments)
                        : ChunkListsCodec.encode(segments, target, at);
        return this;
    }

    WordWriter lists(ChunkLists chunks) {
        at =
                onlyCounts
                        ? at + ChunkListsCodec.encodedLength(chunks)
                        : ChunkListsCodec.encode(chunks, target, at);
        return this;
    }

    /** Octets with their length in front, which is known when they are written. */
    WordWriter opaque(Runnable content) {
        int lengthAt = at;
        word(0);
        content.run();
        if (!onlyCounts) {
            target.set(UINT32, lengthAt, at - lengthAt - Integer.BYTES);
        }
        return this;
    }
}
