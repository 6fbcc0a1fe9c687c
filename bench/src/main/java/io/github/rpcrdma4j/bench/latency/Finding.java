package io.github.rpcrdma4j.bench.latency;

import io.github.rpcrdma4j.bench.report.Spread;
import java.util.SortedMap;

/**
 * The results of one transfer by one transfer model.
 *
 * @param costs the costs of a call, by the simulated delay of each direction in nanoseconds
 * @param micros the time of a call over loopback in microseconds, by the added delay of each
 *     direction in nanoseconds; 0 is the relay without a delay
 */
record Finding(
        Transfer transfer,
        TransferModel model,
        SortedMap<Long, CallCosts> costs,
        SortedMap<Long, Spread> micros) {
    private static final double NANOS_PER_MICRO = 1e3;

    /** Returns the costs of a call at the longest delay. */
    CallCosts atLongestDelay() {
        return costs.get(costs.lastKey());
    }

    /**
     * Returns the round trips over loopback: the additional time of a call between the two longest
     * delays, divided by the additional round-trip time.
     */
    double measuredRoundTrips() {
        long longest = micros.lastKey();
        long before = micros.headMap(longest).lastKey();
        double longer = micros.get(longest).median() - micros.get(before).median();
        return longer * NANOS_PER_MICRO / (2 * (longest - before));
    }
}
