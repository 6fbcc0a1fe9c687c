package io.github.rpcrdma4j.bench.latency;

import io.github.rpcrdma4j.bench.report.Spread;
import java.util.SortedMap;

/**
 * What was found of one transfer by one way.
 *
 * @param trips what a call takes, by the simulated delay in nanoseconds each way
 * @param micros how long a call takes over loopback, by the added delay; 0 is the relay alone
 */
record Finding(
        Transfer transfer, Way way, SortedMap<Long, Trips> trips, SortedMap<Long, Spread> micros) {
    private static final double NANOS_PER_MICRO = 1e3;

    /** What a call takes at the longest delay. */
    Trips far() {
        return trips.get(trips.lastKey());
    }

    /**
     * Round trips as loopback has them: by how much a call becomes longer from the second longest
     * delay to the longest.
     */
    double measuredRoundTrips() {
        long longest = micros.lastKey();
        long before = micros.headMap(longest).lastKey();
        double longer = micros.get(longest).median() - micros.get(before).median();
        return longer * NANOS_PER_MICRO / (2 * (longest - before));
    }
}
