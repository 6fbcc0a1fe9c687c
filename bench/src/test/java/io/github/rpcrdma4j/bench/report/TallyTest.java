package io.github.rpcrdma4j.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.bench.stack.Meter;
import io.github.rpcrdma4j.bench.stack.Stack;
import io.github.rpcrdma4j.bench.stack.Work;
import io.github.rpcrdma4j.bench.worker.Pair.Observed;
import io.github.rpcrdma4j.bench.worker.Usage;
import org.junit.jupiter.api.Test;

/** Goal: rounds become figures in the right units. Method: rounds with simple numbers. */
class TallyTest {
    private static final double CLOSE = 1e-9;

    /**
     * Returns a round of one second with {@code calls} calls, and with a second of CPU time and
     * some allocated bytes on each side.
     */
    private static Observed aSecondOf(long calls) {
        return new Observed(
                new Meter.Round(calls, 1_000_000_000, 2_000, 5_000),
                new Usage(1_000_000_000, 100 * calls, 0),
                new Usage(1_000_000_000, 300 * calls, 0));
    }

    private static Row row(Work work, int outstanding, double bytes) {
        var tally =
                new Tally(new Series(Stack.TCP, false), new LoadPoint(work, outstanding), bytes);
        tally.add(aSecondOf(1000));
        tally.add(aSecondOf(3000));
        tally.add(aSecondOf(2000));
        return tally.row();
    }

    @Test
    void reportsSingleNullCallsAsRoundTrips() {
        var row = row(Work.NULL, 1, 0);
        assertEquals(LoadPoint.Unit.MICROS, row.point().unit());
        assertEquals(500, row.rate().median(), CLOSE);
        assertEquals(2, row.p50Micros(), CLOSE);
        assertEquals(5, row.p99Micros(), CLOSE);
        // Two seconds of CPU for 2000 calls.
        assertEquals(1000, row.cpu(), CLOSE);
        assertEquals(100, row.clientBytes(), CLOSE);
        assertEquals(300, row.serverBytes(), CLOSE);
    }

    @Test
    void reportsManyNullCallsAsARate() {
        var row = row(Work.NULL, 64, 0);
        assertEquals(LoadPoint.Unit.CALLS, row.point().unit());
        assertEquals(new Spread(2000, 1000, 3000), row.rate());
    }

    @Test
    void reportsPayloadInGigabytes() {
        var row = row(Work.READ_1M, 8, 1_000_000);
        assertEquals(LoadPoint.Unit.GIGABYTES, row.point().unit());
        assertEquals(2, row.rate().median(), CLOSE);
        // Two seconds of CPU for 2 GB.
        assertEquals(1, row.cpu(), CLOSE);
    }
}
