package io.github.rpcrdma4j.rpcrdma.raw;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.verbs.MemoryWindow;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;

/** The memory of a chunk: a handle for each segment. */
public record RawChunk(List<Piece> pieces) {
    /** What memory holds before the peer writes to it. */
    public static final byte BLANK = 0x5c;

    /** A chunk without segments, which RFC 8166, Section 4.3.2.3 calls empty. */
    public static final RawChunk EMPTY = new RawChunk(List.of());

    /** A segment. */
    public record Piece(MemoryWindow window, MemorySegment memory) {
        public int length() {
            return (int) memory.byteSize();
        }

        public Words named(int length) {
            return Words.of(window.handle(), length).twoWords(window.address());
        }
    }

    /** Fills the memory with bytes, from the first segment on. */
    public RawChunk fill(byte[] data) {
        int at = 0;
        for (var piece : pieces) {
            int count = Math.min(data.length - at, piece.length());
            MemorySegment.copy(data, at, piece.memory, ValueLayout.JAVA_BYTE, 0, count);
            at += count;
        }
        return this;
    }

    /** Returns its entries in a Read list. */
    public Words reads(int position) {
        var words = Words.NONE;
        for (var piece : pieces) {
            words = words.word(1, position).and(piece.named(piece.length()));
        }
        return words;
    }

    /** Returns the chunk as a call offers it: the number of segments, and the segments. */
    public Words offered() {
        return filled(Integer.MAX_VALUE);
    }

    /** Returns the chunk as a reply returns it, of which {@code bytes} bytes were used. */
    public Words filled(int bytes) {
        var words = Words.of(pieces.size());
        int left = bytes;
        for (var piece : pieces) {
            int used = Math.min(left, piece.length());
            words = words.and(piece.named(used));
            left -= used;
        }
        return words;
    }

    /** Returns the first bytes, and checks that the peer wrote nothing behind them. */
    public byte[] taken(int bytes) {
        var all = new ByteArrayOutputStream();
        for (var piece : pieces) {
            all.writeBytes(piece.memory.toArray(ValueLayout.JAVA_BYTE));
        }
        byte[] content = all.toByteArray();
        for (int i = bytes; i < content.length; i++) {
            assertEquals(BLANK, content[i], "byte " + i + " is behind the result");
        }
        return Arrays.copyOf(content, bytes);
    }
}
