package io.github.rpcrdma4j.bench.report;

import java.util.List;
import java.util.Locale;

/** Formats rows as text, with a block for each load point. */
public final class Table {
    private static final int DIGITS = 3;

    private Table() {}

    /** Returns the block of one load point, with all its series. */
    public static String block(LoadPoint point, List<Row> rows) {
        var out = new StringBuilder();
        out.append(
                String.format(
                        "%n%-30s %9s %9s %9s %6s  %8s %8s  %8s  %9s %9s%n",
                        point.label(),
                        point.unit().label(),
                        "min",
                        "max",
                        "of tcp",
                        "p50 us",
                        "p99 us",
                        point.work().length() == 0 && point.unit() != LoadPoint.Unit.GIGABYTES
                                ? "us CPU"
                                : "CPU s/GB",
                        "client B",
                        "server B"));
        var limit = rows.stream().filter(row -> row.series().equals(Goals.TCP)).findFirst();
        for (var row : rows) {
            out.append(
                    String.format(
                            "  %-28s %9s %9s %9s %6s  %8s %8s  %8s  %9.0f %9.0f%n",
                            row.series().label(),
                            figure(row.rate().median()),
                            figure(row.rate().min()),
                            figure(row.rate().max()),
                            limit.map(tcp -> figure(row.timesAsFastAs(tcp))).orElse(""),
                            figure(row.p50Micros()),
                            figure(row.p99Micros()),
                            figure(row.cpu()),
                            row.clientBytes(),
                            row.serverBytes()));
        }
        return out.toString();
    }

    /** Returns a number with three significant digits, or with all its digits before the point. */
    public static String figure(double value) {
        if (value == 0) {
            return "0";
        }
        int before = (int) Math.floor(Math.log10(Math.abs(value))) + 1;
        int after = Math.clamp(DIGITS - before, 0, DIGITS);
        return String.format(Locale.ROOT, "%,." + after + "f", value);
    }
}
