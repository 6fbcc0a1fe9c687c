package io.github.rpcrdma4j.cli.admin;

import io.github.rpcrdma4j.cli.terminal.Count;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Lays figures out as lines of a terminal.
 *
 * <p>Tests: {@code TopTest}.
 *
 * @param columns the most characters of a line
 * @param rows the most lines
 */
record TopScreen(int columns, int rows) {
    /** For output that is not a terminal. */
    static final TopScreen UNBOUNDED = new TopScreen(200, Integer.MAX_VALUE);

    /** How the lines begin that head a table. */
    static final List<String> HEADS = List.of("PROCEDURE ", "RDMA CLIENT ");

    /** From so many columns on, each table has all of its columns. */
    private static final int WIDE = 76;

    /** From so many columns on, a table has more than the most important ones. */
    private static final int MEDIUM = 52;

    /** How many lines clients get at least, and procedures. */
    private static final int LINES_MIN = 4;

    private static final int STEP = 1000;
    private static final double MILLI = 1e-3;
    private static final double MICRO = 1e-6;

    /**
     * Returns the lines.
     *
     * @param name of the server
     */
    List<String> lines(String name, TopFigures figures) {
        var lines = new ArrayList<>(summary(name, figures));
        lines.add("");
        int left = rows - lines.size() - 3;
        int clients = Math.min(figures.clients().size(), Math.max(LINES_MIN, left / 2));
        int procedures = Math.max(LINES_MIN, left - clients);
        lines.add(procedure("PROCEDURE", "CALLS/s", "p50", "p99", "CALLS"));
        figures.procedures().stream().limit(procedures).map(this::procedure).forEach(lines::add);
        lines.add("");
        lines.add(client("RDMA CLIENT", "CALLS/s", "IN/s", "OUT/s", "BYTES/s", "BUSY", "CONN"));
        figures.clients().stream().limit(clients).map(this::client).forEach(lines::add);
        return lines.stream().limit(rows).map(this::cut).toList();
    }

    private List<String> summary(String name, TopFigures figures) {
        var rdma =
                "RDMA: %s, %d of %d credits used"
                        .formatted(
                                connections(figures, "rpcrdma_rdma_connections"),
                                figures.count("rpcrdma_rdma_credits_used"),
                                figures.count("rpcrdma_rdma_credits_granted"));
        var tcp = "TCP: " + connections(figures, "rpcrdma_tcp_connections");
        var calls =
                "%s calls/s, read %s/s, written %s/s"
                        .formatted(
                                number(figures.rate(TopFigures.CALLS)),
                                bytes(figures.rate(TopFigures.READ_BYTES)),
                                bytes(figures.rate(TopFigures.WRITTEN_BYTES)));
        var state =
                "State: %d clients, %d opens, %d locks, %d delegations%s"
                        .formatted(
                                figures.count("rpcrdma_nfs_clients"),
                                figures.count("rpcrdma_nfs_opens"),
                                figures.count("rpcrdma_nfs_locked_ranges"),
                                figures.count("rpcrdma_nfs_delegations"),
                                figures.count("rpcrdma_nfs_grace") > 0 ? ", GRACE PERIOD" : "");
        var process =
                "processors %.0f %%, memory %s"
                        .formatted(
                                100 * figures.rate(TopFigures.PROCESSOR_SECONDS),
                                bytes(
                                        figures.now().sum("rpcrdma_memory_bytes")
                                                + figures.now().sum("jvm_heap_bytes")));
        return columns < WIDE
                ? List.of(name, calls, rdma, tcp + "; " + process, state)
                : List.of(name, calls + "; " + process, rdma + "; " + tcp, state);
    }

    private static String connections(TopFigures figures, String metric) {
        return Count.words(figures.count(metric), "connection");
    }

    private String procedure(TopFigures.Procedure of) {
        return procedure(
                "v" + of.version() + " " + of.name(),
                number(of.rate()),
                time(of.median()),
                time(of.nearlyAll()),
                number(of.total()));
    }

    private String procedure(String name, String rate, String median, String most, String total) {
        if (columns < MEDIUM) {
            return "%-18s %8s %8s".formatted(shortened(name, 18), rate, most);
        }
        return columns < WIDE
                ? "%-20s %9s %8s %8s".formatted(shortened(name, 20), rate, median, most)
                : "%-26s %10s %9s %9s %14s".formatted(name, rate, median, most, total);
    }

    private String client(TopFigures.Client of) {
        return client(
                of.host(),
                number(of.rate()),
                bytes(of.received()),
                bytes(of.sent()),
                bytes(of.received() + of.sent()),
                Integer.toString(of.used()),
                Integer.toString(of.connections()));
    }

    private String client(
            String host,
            String rate,
            String in,
            String out,
            String both,
            String used,
            String connections) {
        if (columns < MEDIUM) {
            return "%-18s %8s %8s".formatted(shortened(host, 18), rate, both);
        }
        return columns < WIDE
                ? "%-20s %9s %9s %9s".formatted(shortened(host, 20), rate, in, out)
                : "%-26s %10s %9s %9s %6s %6s"
                        .formatted(shortened(host, 26), rate, in, out, used, connections);
    }

    private static String shortened(String text, int most) {
        return text.length() <= most ? text : text.substring(0, most - 1) + "~";
    }

    private String cut(String line) {
        return line.length() <= columns ? line : line.substring(0, columns);
    }

    /** Returns a count in at most six characters, such as 12.3k. */
    static String number(double value) {
        if (value < 10 && value != Math.rint(value)) {
            return String.format(Locale.ROOT, "%.1f", value);
        }
        return value < 10 * STEP
                ? Long.toString(Math.round(value))
                : scaled(value, STEP, "kMGTP", "");
    }

    /** Returns a count of bytes, such as 12.3MiB. */
    static String bytes(double value) {
        final int kibi = 1024;
        return value < kibi ? Math.round(value) + "B" : scaled(value, kibi, "KMGTP", "iB");
    }

    private static String scaled(double value, int step, String units, String end) {
        double scaled = value / step;
        int unit = 0;
        while (scaled >= step - 0.5 && unit < units.length() - 1) {
            scaled /= step;
            unit++;
        }
        return String.format(
                Locale.ROOT,
                scaled < 100 ? "%.1f%s%s" : "%.0f%s%s",
                scaled,
                units.charAt(unit),
                end);
    }

    /** Returns a time in at most six characters, such as 1.2ms; a dash if there is none. */
    static String time(double seconds) {
        if (Double.isNaN(seconds)) {
            return "-";
        }
        if (Double.isInfinite(seconds)) {
            return "long";
        }
        if (seconds < MILLI) {
            return Math.round(seconds / MICRO) + "us";
        }
        return seconds < 1
                ? String.format(Locale.ROOT, "%.1fms", seconds / MILLI)
                : String.format(Locale.ROOT, "%.1fs", seconds);
    }
}
