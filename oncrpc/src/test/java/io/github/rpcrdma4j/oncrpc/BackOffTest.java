package io.github.rpcrdma4j.oncrpc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class BackOffTest {
    private static final double NEARLY_ONE = Math.nextDown(1.0);

    private final BackOff backOff = new BackOff();

    @Test
    void triesAtOnceAndThenWaitsLongerUpToALimit() {
        assertEquals(0, backOff.next(NEARLY_ONE));
        for (long expected : new long[] {50, 100, 200, 400, 800, 1600, 2000, 2000, 2000}) {
            assertEquals(expected, Math.round(backOff.next(NEARLY_ONE) / 1e6));
        }
        backOff.reset();
        assertEquals(0, backOff.next(NEARLY_ONE));
        assertEquals(50, Math.round(backOff.next(NEARLY_ONE) / 1e6));
    }

    @Test
    void leavesHalfOfAPauseToChance() {
        backOff.next(0);
        assertEquals(BackOff.FIRST_NANOS / 2, backOff.next(0));
        assertEquals(BackOff.FIRST_NANOS * 3 / 2, backOff.next(0.5));
        for (int i = 0; i < 100; i++) {
            backOff.next(0);
        }
        assertEquals(BackOff.LONGEST_NANOS / 2, backOff.next(0));
        assertEquals(BackOff.LONGEST_NANOS * 3 / 4, backOff.next(0.5));
    }
}
