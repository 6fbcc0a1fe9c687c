package io.github.rpcrdma4j.bench.report;

/**
 * What one series showed on one line; medians of rounds.
 *
 * @param rate in the unit of the line
 * @param p50Micros the median of the round trips
 * @param p99Micros what all but a hundredth of them stayed under
 * @param cpu time on a CPU of both processes: seconds for a gigabyte of payload, or microseconds
 *     for a call without payload
 * @param clientBytes taken from the heap of the client for one call
 * @param serverBytes taken from the heap of the server for one call
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
    /** How many times as fast this is as another on the same line. */
    public double timesAsFastAs(Row other) {
        return line.unit() == Line.Unit.MICROS
                ? other.rate.median() / rate.median()
                : rate.median() / other.rate.median();
    }
}
