package io.github.rpcrdma4j.bench.report;

/**
 * The results of one series on one line: medians of rounds.
 *
 * @param rate the rate in the unit of the line
 * @param p50Micros the median of the round trips, in microseconds
 * @param p99Micros the 99th percentile of the round trips, in microseconds
 * @param cpu the CPU time of both processes: seconds for a gigabyte of payload, or microseconds for
 *     a call without payload
 * @param clientBytes bytes that the client allocates on its heap for one call
 * @param serverBytes bytes that the server allocates on its heap for one call
 */
public record Row(
        Series series,
        Line line,
        Spread rate,
        double p50Micros,
        double p99Micros,
        double cpu,
        double clientBytes,
        double serverBytes) {
    /** Returns how many times as fast this series is as another on the same line. */
    public double timesAsFastAs(Row other) {
        return line.unit() == Line.Unit.MICROS
                ? other.rate.median() / rate.median()
                : rate.median() / other.rate.median();
    }
}
