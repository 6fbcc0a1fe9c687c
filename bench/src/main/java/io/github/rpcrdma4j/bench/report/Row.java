package io.github.rpcrdma4j.bench.report;

/**
 * The results of one series at one load point: medians of rounds.
 *
 * @param rate the rate in the unit of the load point
 * @param p50Micros the median of the round trips, in microseconds
 * @param p99Micros the 99th percentile of the round trips, in microseconds
 * @param cpu the CPU time of both processes: seconds for a gigabyte of payload, or microseconds for
 *     a call without payload
 * @param clientBytes bytes that the client allocates on its heap for one call
 * @param serverBytes bytes that the server allocates on its heap for one call
 */
public record Row(
        Series series,
        LoadPoint point,
        Spread rate,
        double p50Micros,
        double p99Micros,
        double cpu,
        double clientBytes,
        double serverBytes) {
    /** Returns how many times as fast this series is as another at the same load point. */
    public double timesAsFastAs(Row other) {
        return point.unit() == LoadPoint.Unit.MICROS
                ? other.rate.median() / rate.median()
                : rate.median() / other.rate.median();
    }
}
