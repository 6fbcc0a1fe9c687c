package io.github.rpcrdma4j.bench.latency;

import io.github.rpcrdma4j.bench.report.Table;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Formats findings as text, with a block for each transfer. */
final class LatencyTable {
    private static final double NANOS_PER_MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private LatencyTable() {}

    /** Returns the titles of the columns. */
    static String head(List<Long> delays) {
        var out =
                new StringBuilder(
                        String.format(
                                "%-36s %12s %6s %6s %6s %8s   %s%n%-36s %5s %6s %6s %6s %6s %8s  ",
                                "",
                                "round trips",
                                "",
                                "RDMA",
                                "RDMA",
                                "regions",
                                "us over loopback, with so many ms added each way",
                                "",
                                "sim",
                                "there",
                                "Sends",
                                "Writes",
                                "Reads",
                                "cl + sv"));
        delays.forEach(delay -> out.append(String.format("%10s", millis(delay))));
        return out.append(String.format("%n")).toString();
    }

    /** Returns the block of one transfer, with all its models. */
    static String block(Transfer transfer, List<Finding> findings) {
        var out = new StringBuilder(String.format("%s%n", transfer.words()));
        for (var finding : findings) {
            var costs = finding.atLongestDelay();
            out.append(
                    String.format(
                            "  %-34s %5s %6.2f %6s %6s %6s %8s  ",
                            finding.model().words(),
                            roundTrips(finding),
                            finding.measuredRoundTrips(),
                            count(costs.sends()),
                            count(costs.writes()),
                            count(costs.reads()),
                            registrations(costs)));
            finding.micros()
                    .values()
                    .forEach(
                            micros ->
                                    out.append(
                                            String.format("%10s", Table.figure(micros.median()))));
            out.append(String.format("%n"));
        }
        return out.toString();
    }

    /** Returns a delay in milliseconds, for people. */
    static String millis(long nanos) {
        return count(nanos / NANOS_PER_MILLI);
    }

    /** Returns the registrations of the client and of the server. */
    static String registrations(CallCosts costs) {
        return count(costs.clientRegistrations()) + " + " + count(costs.serverRegistrations());
    }

    /** Returns the number of round trips; several numbers if they differ by delay. */
    private static String roundTrips(Finding finding) {
        return finding.costs().values().stream()
                .map(each -> count(each.roundTrips()))
                .distinct()
                .collect(Collectors.joining("/"));
    }

    /** Returns a number with at most two digits behind the point. */
    static String count(double value) {
        return BigDecimal.valueOf(value)
                .setScale(2, RoundingMode.HALF_UP)
                .stripTrailingZeros()
                .toPlainString();
    }
}
