package io.github.rpcrdma4j.iwarp.rdmap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.github.rpcrdma4j.iwarp.tcp.Frames;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class PayloadViewsTest {
    private final PayloadViews views = new PayloadViews();
    private final MemorySegment piece = piece(1);
    private final MemorySegment other = piece(2);

    private static MemorySegment piece(int seed) {
        var memory = Arena.ofAuto().allocate(100);
        MemorySegment.copy(Frames.pattern(100, seed), 0, memory, ValueLayout.JAVA_BYTE, 0, 100);
        return memory;
    }

    private static void shows(MemorySegment bytes, ByteBuffer view) {
        assertEquals(bytes.byteSize(), view.remaining());
        assertEquals(-1, bytes.mismatch(MemorySegment.ofBuffer(view)));
    }

    @Test
    void showsEveryRunOfABatchAtTheSameTime() {
        var first = views.next(piece, 0, 40);
        var second = views.next(piece, 40, 60);
        var third = views.next(other, 10, 20);
        var fourth = views.next(piece, 99, 1);
        shows(piece.asSlice(0, 40), first);
        shows(piece.asSlice(40, 60), second);
        shows(other.asSlice(10, 20), third);
        shows(piece.asSlice(99, 1), fourth);
    }

    @Test
    void showsTheNextBatchOfTheSamePieceInTheSameViews() {
        var first = views.next(piece, 0, 10);
        var second = views.next(piece, 10, 10);
        first.position(10);
        second.position(15);
        views.batchWritten(true);
        assertSame(first, views.next(piece, 80, 15));
        assertSame(second, views.next(piece, 5, 2));
        shows(piece.asSlice(80, 15), first);
        shows(piece.asSlice(5, 2), second);
        shows(piece.asSlice(95, 5), views.next(piece, 95, 5));
    }

    @Test
    void keepsNoViewOfAMessageThatHasEnded() {
        var first = views.next(piece, 0, 10);
        views.batchWritten(false);
        assertNotSame(first, views.next(piece, 0, 10));
    }
}
