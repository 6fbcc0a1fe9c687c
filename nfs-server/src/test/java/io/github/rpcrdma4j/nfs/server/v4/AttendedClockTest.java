package io.github.rpcrdma4j.nfs.server.v4;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: the clock goes while it is read, and stands still for the rest. */
class AttendedClockTest {
    private static final long SECOND = 1_000_000_000L;

    /** An ordinary clock may be anywhere, and even wrap around. */
    @ParameterizedTest
    @ValueSource(longs = {0, -SECOND, Long.MAX_VALUE - SECOND, Long.MIN_VALUE})
    void goesLikeTheOtherOneWhileItIsRead(long start) {
        var clock = new AttendedClock(start);
        for (int seconds = 0; seconds <= 100; seconds += 5) {
            assertEquals(0, clock.read(start + seconds * SECOND));
            assertEquals(start + seconds * SECOND, clock.time());
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -SECOND, Long.MAX_VALUE - SECOND, Long.MIN_VALUE})
    void standsStillDuringAPause(long start) {
        var clock = new AttendedClock(start);
        clock.read(start + SECOND);
        assertEquals(60 * SECOND, clock.read(start + 61 * SECOND));
        assertEquals(start + SECOND, clock.time());
        assertEquals(0, clock.read(start + 62 * SECOND));
        assertEquals(start + 2 * SECOND, clock.time());
        assertEquals(6 * SECOND, clock.read(start + 68 * SECOND));
        assertEquals(start + 2 * SECOND, clock.time());
    }

    @Test
    void isReadManyTimesAtOneTime() {
        var clock = new AttendedClock(7);
        assertEquals(60 * SECOND, clock.read(7 + 60 * SECOND));
        assertEquals(0, clock.read(7 + 60 * SECOND));
        assertEquals(7, clock.time());
    }
}
