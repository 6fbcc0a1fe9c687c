package io.github.rpcrdma4j.oncrpc.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayDeque;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: the clock goes while it is read, and stands still for the rest. */
class AttendedClockTest {
    private static final long SECOND = 1_000_000_000L;

    private long ordinary;

    private void requireTime(AttendedClock clock, long expected, long missed) {
        assertEquals(expected, clock.time());
        assertEquals(missed, clock.missed());
    }

    /** An ordinary clock may be anywhere, and even wrap around. */
    @ParameterizedTest
    @ValueSource(longs = {0, -SECOND, Long.MAX_VALUE - SECOND, Long.MIN_VALUE})
    void goesLikeTheOtherOneWhileItIsRead(long start) {
        ordinary = start;
        var clock = new AttendedClock(() -> ordinary);
        for (int seconds = 0; seconds <= 100; seconds += 4) {
            ordinary = start + seconds * SECOND;
            requireTime(clock, ordinary, 0);
            ordinary += SECOND / 2;
            requireTime(clock, ordinary, 0);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -SECOND, Long.MAX_VALUE - SECOND, Long.MIN_VALUE})
    void standsStillDuringAPause(long start) {
        ordinary = start;
        var clock = new AttendedClock(() -> ordinary);
        ordinary = start + SECOND;
        requireTime(clock, start + SECOND, 0);
        ordinary = start + 61 * SECOND;
        requireTime(clock, start + SECOND, 60 * SECOND);
        ordinary = start + 62 * SECOND;
        requireTime(clock, start + 2 * SECOND, 60 * SECOND);
        ordinary = start + 68 * SECOND;
        requireTime(clock, start + 2 * SECOND, 66 * SECOND);
    }

    @Test
    void isReadManyTimesAtOneTime() {
        ordinary = 7;
        var clock = new AttendedClock(() -> ordinary);
        ordinary = 7 + 60 * SECOND;
        requireTime(clock, 7, 60 * SECOND);
        requireTime(clock, 7, 60 * SECOND);
    }

    /**
     * Goal: it does not matter which thread notices a pause. Method: another thread notices it
     * while one reads the ordinary clock, before the pause or after it.
     */
    @ParameterizedTest
    @ValueSource(longs = {7, 7 + 60 * SECOND})
    void aPauseInTheMidstOfAReadingCountsOnce(long read) {
        ordinary = 7;
        var noticed = new ArrayDeque<Runnable>();
        var clock =
                new AttendedClock(
                        () -> {
                            if (noticed.isEmpty()) {
                                return ordinary;
                            }
                            noticed.remove().run();
                            return read;
                        });
        ordinary = 7 + 60 * SECOND;
        noticed.add(() -> requireTime(clock, 7, 60 * SECOND));
        assertEquals(7, clock.time());
        requireTime(clock, 7, 60 * SECOND);
    }
}
