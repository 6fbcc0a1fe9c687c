package io.github.rpcrdma4j.nfs.server.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import org.junit.jupiter.api.Test;

class DurationsTest {
    @Test
    void countsEachDurationInTheFirstBucketThatHoldsIt() {
        var bounds = Durations.bounds();
        var durations = new Durations();
        var sum = Duration.ZERO;
        for (var each : bounds) {
            durations.add(each.toNanos());
            durations.add(each.toNanos() + 1);
            sum = sum.plus(each).plus(each).plusNanos(1);
        }
        durations.add(0);
        durations.add(-1);
        sum = sum.minusNanos(1);
        // The first has its own bound, and what is not positive; the last has only the excess.
        var expected = new ArrayList<>(Collections.nCopies(bounds.size() + 1, 2L));
        expected.set(0, 3L);
        expected.set(bounds.size(), 1L);
        assertEquals(expected, durations.counts());
        assertEquals(2L * bounds.size() + 2, durations.count());
        assertEquals(sum, durations.sum());
    }

    @Test
    void saysHowManyThereWereAndHowLongTheyTook() {
        var durations = new Durations();
        durations.add(500_000_000);
        durations.add(1_500_000_000);
        assertEquals("2 in 2 s", durations.toString());
    }
}
