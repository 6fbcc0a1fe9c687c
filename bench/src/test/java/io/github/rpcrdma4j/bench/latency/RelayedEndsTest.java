package io.github.rpcrdma4j.bench.latency;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.util.Collections;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Goal: a call over the relay succeeds and takes its round trips. Method: a delay longer than any
 * that the machine itself adds. The test sets no upper bound, which would depend on the machine.
 */
class RelayedEndsTest {
    private static final long DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final double ROUND_TRIP_MICROS = 40_000;

    private static double shortest(TransferModel model, Transfer transfer) throws Exception {
        try (var ends = new RelayedEnds(model);
                var arena = Arena.ofShared()) {
            var memory = arena.allocate(Transfer.LONGEST);
            ends.run(transfer, memory, 0);
            ends.delay(DELAY_NANOS);
            return Collections.min(ends.run(transfer, memory, 0));
        }
    }

    @Test
    void addsTheDelayForEachRoundTrip() throws Exception {
        double one = shortest(TransferModel.DATA_CHUNK, Transfer.READ_64K);
        double two = shortest(TransferModel.DATA_CHUNK, Transfer.WRITE_64K);
        assertTrue(one >= ROUND_TRIP_MICROS, () -> "took " + one);
        assertTrue(two >= 2 * ROUND_TRIP_MICROS, () -> "took " + two);
    }
}
