package io.github.rpcrdma4j.nfs.directories.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.linux.Scratch;
import java.lang.foreign.ValueLayout;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class GrantTest {
    private static final long SECONDS = 1_700_000_000;
    private static final int NANOS = 500_000_001;
    private static final long NOW = SECONDS * 1000 + 500;

    private static final long ASKED = 17;

    private final Scratch scratch = new Scratch();

    GrantTest() {
        file(0644, 10, 20, SECONDS, NANOS);
    }

    private void file(int mode, int uid, int gid, long seconds, int nanos) {
        scratch.memory.set(ValueLayout.JAVA_SHORT, Scratch.STATX + 28, (short) (0100000 | mode));
        scratch.word(Scratch.STATX + 20, uid);
        scratch.word(Scratch.STATX + 24, gid);
        scratch.number(Scratch.STATX + 96, seconds);
        scratch.word(Scratch.STATX + 104, nanos);
    }

    private Grant asked(long afterMillis) {
        return Grant.of(false, scratch, 7, 4, NOW + afterMillis, ASKED);
    }

    @Test
    void isBelievedWhileTheFileIsAsItWas() {
        var grant = asked(1000);
        assertTrue(grant.holds(scratch, 4, ASKED));
        assertTrue(grant.holds(scratch, 7, ASKED));
        assertEquals(4, grant.granted());
    }

    @Test
    void isNotBelievedAfterAnyChange() {
        var grant = asked(1000);
        int[][] files = {
            {0640, 10, 20, 0, 0},
            {0644, 11, 20, 0, 0},
            {0644, 10, 21, 0, 0},
            {0644, 10, 20, 1, 0},
            {0644, 10, 20, 0, 1},
            {04644, 10, 20, 0, 0}
        };
        for (var each : files) {
            file(each[0], each[1], each[2], SECONDS + each[3], NANOS + each[4]);
            assertFalse(grant.holds(scratch, 4, ASKED));
        }
    }

    @Test
    void isNotBelievedIfTheFileHadJustChanged() {
        assertFalse(asked(0).holds(scratch, 4, ASKED));
        assertFalse(asked(50).holds(scratch, 4, ASKED));
        assertTrue(asked(51).holds(scratch, 4, ASKED));
        assertTrue(asked(5_000).holds(scratch, 4, ASKED));
        assertTrue(asked(10_000_000_000L).holds(scratch, 4, ASKED));
    }

    @Test
    void isNotBelievedIfTheFileChangesInTheFuture() {
        assertFalse(asked(-1).holds(scratch, 4, ASKED));
        assertFalse(asked(-5_000).holds(scratch, 4, ASKED));
    }

    /** Goal: an answer is reused only if the clock of the file system shows every later change. */
    @Test
    void isNotBelievedWhileALaterChangeCouldHaveTheSameTime() {
        var units = new TreeMap<Integer, Long>();
        units.put(0, 2_000L);
        units.put(500_000_000, 100L);
        units.put(10_000_000, 10L);
        units.put(990_000_000, 10L);
        units.put(123_000_000, 1L);
        units.put(123_456_000, 0L);
        units.put(999_999_999, 0L);
        units.forEach(
                (nanos, unit) -> {
                    file(0644, 10, 20, SECONDS, nanos);
                    long changed = SECONDS * 1000 + nanos / 1_000_000;
                    long settled = changed + unit + 50;
                    for (long early : new long[] {changed, settled - unit / 2 - 25, settled - 1}) {
                        assertFalse(
                                Grant.of(false, scratch, 7, 4, early, ASKED)
                                        .holds(scratch, 4, ASKED),
                                () -> nanos + " at " + (early - changed));
                    }
                    var late = Grant.of(false, scratch, 7, 4, settled + 2, ASKED);
                    assertTrue(late.holds(scratch, 4, ASKED), () -> nanos + " settles");
                });
    }

    @Test
    void isAskedForAgainAfterASecond() {
        var grant = asked(5_000);
        assertTrue(grant.holds(scratch, 4, ASKED + 1_000_000_000));
        assertFalse(grant.holds(scratch, 4, ASKED + 1_000_000_001));
        // The clock may pass from the largest to the smallest number.
        var old = Grant.of(false, scratch, 7, 4, NOW + 5_000, Long.MAX_VALUE);
        assertTrue(old.holds(scratch, 4, Long.MIN_VALUE));
        assertFalse(old.holds(scratch, 4, Long.MIN_VALUE + 1_000_000_000));
    }

    @Test
    void isAskedForAgainAfterAMinuteWhereEachChangeSetsATime() {
        var grant = Grant.of(true, scratch, 7, 4, NOW + 5_000, ASKED);
        assertTrue(grant.holds(scratch, 4, ASKED + 60_000_000_000L));
        assertFalse(grant.holds(scratch, 4, ASKED + 60_000_000_001L));
        file(0644, 10, 20, SECONDS, NANOS + 1);
        assertFalse(grant.holds(scratch, 4, ASKED));
    }

    @Test
    void saysNothingOfBitsThatWereNotAskedFor() {
        var grant = Grant.of(false, scratch, 4, 4, NOW + 1000, ASKED);
        assertTrue(grant.holds(scratch, 4, ASKED));
        assertFalse(grant.holds(scratch, 2, ASKED));
        assertFalse(grant.holds(scratch, 6, ASKED));
    }
}
