package io.github.rpcrdma4j.rpcrdma.v2.wire;

import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkListsCodec;
import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.List;

/** Writes consecutive words, or only counts them. Not thread-safe. */
public final class WordWriter {
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

    /** Creates a writer to the start of {@code target}. */
    public static WordWriter to(MemorySegment target) {
        return new WordWriter(target, false);
    }

    /** Creates a writer that only counts. */
    public static WordWriter counting() {
        return new WordWriter(MemorySegment.NULL, true);
    }

    /** Returns the number of bytes so far. */
    public int length() {
        return at;
    }

    /**
     * Writes a word.
     *
     * @throws IndexOutOfBoundsException if it does not fit; this holds for all writing methods
     */
    public WordWriter word(int value) {
        if (!onlyCounts) {
            target.set(UINT32, at, value);
        }
        at += Integer.BYTES;
        return this;
    }

    /**
     * Writes an unsigned number.
     *
     * @throws IllegalArgumentException if it has more than 32 bits
     */
    public WordWriter number(long value) {
        if (value < 0 || value > UINT32_MAX) {
            throw new IllegalArgumentException(value + " does not fit into 32 bits");
        }
        return word((int) value);
    }

    public WordWriter bool(boolean value) {
        return word(value ? 1 : 0);
    }

    public WordWriter words(List<Integer> values) {
        word(values.size());
        values.forEach(this::word);
        return this;
    }

    public WordWriter numbers(List<Long> values) {
        word(values.size());
        values.forEach(this::number);
        return this;
    }

    public WordWriter segments(List<Segment> segments) {
        at =
                onlyCounts
                        ? at + ChunkListsCodec.encodedLength(segments)
                        : ChunkListsCodec.encode(segments, target, at);
        return this;
    }

    public WordWriter lists(ChunkLists chunks) {
        at =
                onlyCounts
                        ? at + ChunkListsCodec.encodedLength(chunks)
                        : ChunkListsCodec.encode(chunks, target, at);
        return this;
    }

    public WordWriter readList(List<ReadSegment> readList) {
        at =
                onlyCounts
                        ? at + ChunkListsCodec.readListLength(readList)
                        : ChunkListsCodec.encodeReadList(readList, target, at);
        return this;
    }

    public WordWriter writeList(List<WriteChunk> writeList) {
        at =
                onlyCounts
                        ? at + ChunkListsCodec.writeListLength(writeList)
                        : ChunkListsCodec.encodeWriteList(writeList, target, at);
        return this;
    }

    /** Writes bytes after their length, with zeros up to a whole word. */
    public WordWriter opaque(List<Byte> bytes) {
        word(bytes.size());
        for (int i = 0; i < XdrWriter.roundUp(bytes.size()); i++) {
            if (!onlyCounts) {
                target.set(ValueLayout.JAVA_BYTE, at, i < bytes.size() ? bytes.get(i) : 0);
            }
            at++;
        }
        return this;
    }

    /** Writes words after their length, which is filled in afterwards. */
    public WordWriter opaque(Runnable content) {
        int lengthAt = at;
        word(0);
        content.run();
        if (!onlyCounts) {
            target.set(UINT32, lengthAt, at - lengthAt - Integer.BYTES);
        }
        return this;
    }
}
