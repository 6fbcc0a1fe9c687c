package io.github.rpcrdma4j.bench.latency;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Goal: bytes leave in order and on time. Method: a clock that the test sets. */
class DelayLineTest {
    /** A time just before nanoTime overflows to negative values. */
    private static final long START = Long.MAX_VALUE - 50;

    private final DelayLine line = new DelayLine();

    private ByteBuffer add(int bytes, long now, long delay) {
        var buffer = ByteBuffer.allocate(bytes);
        line.add(buffer, now, delay);
        return buffer;
    }

    private void take(ByteBuffer expected, long now) {
        assertSame(expected, line.next(now));
        line.remove();
    }

    @Test
    void keepsEachPieceForTheDelayAndNotLonger() {
        assertEquals(DelayLine.NEVER, line.left(START));
        var first = add(8, START, 100);
        var second = add(8, START + 30, 100);
        assertEquals(100, line.left(START));
        assertNull(line.next(START + 99));
        take(first, START + 100);
        assertEquals(29, line.left(START + 101));
        assertNull(line.next(START + 129));
        take(second, START + 200);
        assertEquals(DelayLine.NEVER, line.left(START + 200));
    }

    @Test
    void lateBytesWaitForNothing() {
        add(8, START, 100);
        assertEquals(0, line.left(START + 500));
        assertNotNull(line.next(START + 500));
    }

    @Test
    void keepsAPieceFirstUntilItIsRemoved() {
        var piece = add(8, START, 0);
        piece.position(5);
        assertSame(piece, line.next(START));
        take(piece, START);
        assertTrue(line.isEmpty());
    }

    @Test
    void letsNothingOvertakeWhenTheDelayBecomesShorter() {
        var first = add(8, START, 100);
        var second = add(8, START + 10, 0);
        assertNull(line.next(START + 10));
        take(first, START + 100);
        take(second, START + 100);
    }

    @Test
    void takesNothingMoreInWhenItIsFull() {
        var first = add(8, START, 100);
        for (int i = 1; i < DelayLine.PIECES_MAX; i++) {
            assertTrue(line.hasRoom());
            add(8, START, 100);
        }
        assertFalse(line.hasRoom());
        take(first, START + 100);
        assertTrue(line.hasRoom());
    }
}
