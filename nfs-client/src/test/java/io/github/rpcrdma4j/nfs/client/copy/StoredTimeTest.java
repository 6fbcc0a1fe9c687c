package io.github.rpcrdma4j.nfs.client.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class StoredTimeTest {
    private static final Duration NANOSECOND = Duration.ofNanos(1);

    private static void is(boolean expected, String given, String stored, String changed) {
        var time = new StoredTime(Instant.parse(stored), Instant.parse(changed));
        assertEquals(
                expected,
                time.isOf(Instant.parse(given), NANOSECOND),
                given + " as " + stored + ", changed " + changed);
    }

    /** The clock of the last change shows how coarse the times of a file system are. */
    @Test
    void aTimeMayBeRoundedAsFarAsTheClockOfTheFileSystemIs() {
        var fine = "2026-01-01T00:00:00.123456789Z";
        is(true, "2001-02-03T04:05:06.700000001Z", "2001-02-03T04:05:06.700000001Z", fine);
        is(false, "2001-02-03T04:05:06.700000001Z", "2001-02-03T04:05:06.7Z", fine);
        is(false, "2001-02-03T04:05:06.7Z", "2001-02-03T04:05:06Z", fine);
        var filetime = "2026-01-01T00:00:00.123456700Z";
        is(true, "2001-02-03T04:05:06.700000099Z", "2001-02-03T04:05:06.7Z", filetime);
        is(false, "2001-02-03T04:05:06.700000100Z", "2001-02-03T04:05:06.7Z", filetime);
        is(false, "2001-02-03T04:05:06.7Z", "2001-02-03T04:05:06Z", filetime);
        var micros = "2026-01-01T00:00:00.123456Z";
        is(true, "2001-02-03T04:05:06.700000999Z", "2001-02-03T04:05:06.7Z", micros);
        is(false, "2001-02-03T04:05:06.700001000Z", "2001-02-03T04:05:06.7Z", micros);
        var millis = "2026-01-01T00:00:00.123Z";
        is(true, "2001-02-03T04:05:06.700999999Z", "2001-02-03T04:05:06.7Z", millis);
        is(false, "2001-02-03T04:05:06.701Z", "2001-02-03T04:05:06.7Z", millis);
        var centis = "2026-01-01T00:00:00.120Z";
        is(true, "2001-02-03T04:05:06.709999999Z", "2001-02-03T04:05:06.7Z", centis);
        is(false, "2001-02-03T04:05:06.71Z", "2001-02-03T04:05:06.7Z", centis);
        var seconds = "2026-01-01T00:00:00Z";
        is(true, "2001-02-03T04:05:07.999999999Z", "2001-02-03T04:05:07Z", seconds);
        is(true, "2001-02-03T04:05:06.000000001Z", "2001-02-03T04:05:07Z", seconds);
        is(false, "2001-02-03T04:05:08Z", "2001-02-03T04:05:07Z", seconds);
        is(false, "2001-02-03T04:05:06Z", "2001-02-03T04:05:07Z", seconds);
        // FAT has even seconds, and a finer clock for other times.
        for (var clock : new String[] {seconds, centis}) {
            is(true, "2001-02-03T04:05:07.999999999Z", "2001-02-03T04:05:06Z", clock);
            is(false, "2001-02-03T04:05:08Z", "2001-02-03T04:05:06Z", clock);
            is(true, "2001-02-03T04:05:04.000000001Z", "2001-02-03T04:05:06Z", clock);
        }
        // The modification time itself is finer than its clock seems to be.
        is(false, "2001-02-03T04:05:06.8Z", "2001-02-03T04:05:06.7Z", seconds);
        is(false, "2001-02-03T04:05:06.700000001Z", "2001-02-03T04:05:06.700000002Z", seconds);
    }

    @Test
    void aTimeBehindTheLastOneOfAFileSystemIsStoredAsThat() {
        var fine = "2026-01-01T00:00:00.123456789Z";
        is(true, "2150-01-01T00:00:00Z", "2038-01-19T03:14:07Z", fine);
        is(true, "2106-02-07T06:28:15.999999999Z", "2106-02-07T06:28:15Z", fine);
        is(false, "2037-01-01T00:00:00Z", "2038-01-19T03:14:07Z", fine);
        is(false, "2150-01-01T00:00:00Z", "2038-01-19T03:14:06Z", fine);
    }

    @Test
    void aFileSystemMayClaimCoarserTimes() {
        var time =
                new StoredTime(Instant.parse("2001-01-01T00:00:01Z"), Instant.EPOCH.plusNanos(1));
        assertEquals(
                true, time.isOf(Instant.parse("2001-01-01T00:00:01.9Z"), Duration.ofSeconds(1)));
        assertEquals(
                false, time.isOf(Instant.parse("2001-01-01T00:00:02Z"), Duration.ofSeconds(1)));
    }
}
