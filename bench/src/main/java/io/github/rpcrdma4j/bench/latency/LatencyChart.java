package io.github.rpcrdma4j.bench.latency;

import io.github.rpcrdma4j.bench.report.Svg;
import io.github.rpcrdma4j.bench.report.Svg.Anchor;
import io.github.rpcrdma4j.bench.report.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Draws findings as an SVG picture. It has a block of bars for each transfer, a column for each
 * delay, and a line for each round trip of the delay.
 */
final class LatencyChart {
    private static final int MARGIN = 16;
    private static final int HEAD = 84;
    private static final int LABEL_WIDTH = 222;
    private static final int REGIONS_WIDTH = 76;
    private static final int BAR_WIDTH = 160;
    private static final int COLUMN_WIDTH = 226;
    private static final int BAR = 13;
    private static final int GAP = 3;
    private static final int TITLE = 24;
    private static final int BLOCK_GAP = 14;

    /** The least distance of lines; the chart omits closer ones. */
    private static final int LINE_GAP_MIN = 10;

    private static final double MICROS_PER_MILLI = 1e3;
    private static final String LINES = "#d7dce2";

    private LatencyChart() {}

    /** Returns the picture of at least one finding. */
    static String of(List<Finding> findings) {
        var delays =
                findings.getFirst().micros().keySet().stream().filter(delay -> delay > 0).toList();
        var picture = new Svg();
        heads(picture, delays);
        int y = HEAD;
        for (var transfer : Transfer.values()) {
            var block = findings.stream().filter(each -> each.transfer() == transfer).toList();
            if (!block.isEmpty()) {
                picture.text(MARGIN, y + 16, Anchor.START, Svg.INK, 13, transfer.words());
                for (int column = 0; column < delays.size(); column++) {
                    bars(picture, block, findings, delays.get(column), column(column), y + TITLE);
                }
                labels(picture, block, y + TITLE);
                y += TITLE + block.size() * (BAR + GAP) + BLOCK_GAP;
            }
        }
        return picture.document(column(delays.size()) + MARGIN, y);
    }

    private static int column(int index) {
        return MARGIN + LABEL_WIDTH + REGIONS_WIDTH + index * COLUMN_WIDTH;
    }

    private static void heads(Svg picture, List<Long> delays) {
        picture.text(
                MARGIN,
                26,
                Anchor.START,
                Svg.INK,
                17,
                "Time of a call, by the distance between the ends");
        picture.text(
                MARGIN,
                44,
                Anchor.START,
                Svg.FAINT,
                12,
                "Medians over loopback with a delay added each way, one call at a time. Shorter is"
                        + " better; each thin line is a round trip of the delay.");
        picture.text(
                column(0) - 14, HEAD - 10, Anchor.END, Svg.FAINT, 11, "regions: client + server");
        for (int i = 0; i < delays.size(); i++) {
            picture.text(
                    column(i),
                    HEAD - 10,
                    Anchor.START,
                    Svg.INK,
                    13,
                    LatencyTable.millis(delays.get(i)) + " ms each way");
        }
    }

    private static void labels(Svg picture, List<Finding> block, int top) {
        int y = top;
        for (var finding : block) {
            int base = y + BAR - 2;
            picture.text(
                    MARGIN + LABEL_WIDTH, base, Anchor.END, Svg.INK, 11, finding.model().words());
            picture.text(
                    column(0) - 14,
                    base,
                    Anchor.END,
                    Svg.FAINT,
                    11,
                    LatencyTable.registrations(finding.atLongestDelay()));
            y += BAR + GAP;
        }
    }

    private static void bars(
            Svg picture, List<Finding> block, List<Finding> all, long delay, int left, int top) {
        double longest =
                all.stream()
                        .mapToDouble(each -> each.micros().get(delay).median())
                        .max()
                        .orElseThrow();
        for (double x : roundTrips(delay, longest)) {
            picture.upright(left + x, top - 2, top + block.size() * (BAR + GAP), LINES);
        }
        int y = top;
        for (var finding : block) {
            double micros = finding.micros().get(delay).median();
            double width = Math.max(1, BAR_WIDTH * micros / longest);
            picture.bar(left, y, width, BAR, finding.model().colour());
            picture.text(
                    left + (int) width + 4, y + BAR - 2, Anchor.START, Svg.FAINT, 11, time(micros));
            y += BAR + GAP;
        }
    }

    /** Returns the positions of the lines, from the left. */
    private static List<Double> roundTrips(long delay, double longestMicros) {
        double one = BAR_WIDTH * (2.0 * delay / TimeUnit.MICROSECONDS.toNanos(1)) / longestMicros;
        var lines = new ArrayList<Double>();
        if (one >= LINE_GAP_MIN) {
            for (int i = 1; i * one <= BAR_WIDTH; i++) {
                lines.add(i * one);
            }
        }
        return lines;
    }

    private static String time(double micros) {
        return micros < MICROS_PER_MILLI
                ? String.format(Locale.ROOT, "%.0f us", micros)
                : Table.figure(micros / MICROS_PER_MILLI) + " ms";
    }
}
