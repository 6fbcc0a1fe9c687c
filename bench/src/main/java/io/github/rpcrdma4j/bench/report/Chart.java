package io.github.rpcrdma4j.bench.report;

import io.github.rpcrdma4j.bench.report.Svg.Anchor;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

/**
 * Draws rows as an SVG picture, with a panel of bars for each load point. Longer bars are faster in
 * all panels.
 */
public final class Chart {
    private static final int COLUMNS = 3;
    private static final int PANEL_WIDTH = 400;
    private static final int LABEL_WIDTH = 118;
    private static final int FIGURE_WIDTH = 62;
    private static final int BAR = 15;
    private static final int GAP = 4;
    private static final int TITLE = 30;
    private static final int PANEL_GAP = 22;
    private static final int MARGIN = 16;
    private static final int HEAD = 58;

    /** The colors of the series, in the order of the table. Ours stand out; the limits are grey. */
    private static final List<String> COLOURS =
            List.of(
                    "#8a929c", "#b4bac2", "#d98c3f", "#e8b787", "#b9669c", "#1f6fb4", "#6cabdd",
                    "#2c8c63", "#74bf9c", "#c2b34a");

    private Chart() {}

    /** Returns the picture of at least one row. */
    public static String of(List<Row> rows) {
        var panels = new LinkedHashMap<LoadPoint, List<Row>>();
        for (var row : rows) {
            panels.computeIfAbsent(
                    row.point(),
                    point -> rows.stream().filter(each -> each.point().equals(point)).toList());
        }
        var works = new LinkedHashSet<>(panels.keySet().stream().map(LoadPoint::work).toList());
        var picture =
                new Svg()
                        .text(
                                MARGIN,
                                26,
                                Anchor.START,
                                Svg.INK,
                                17,
                                "rpcrdma4j beside its limits and beside others")
                        .text(
                                MARGIN,
                                44,
                                Anchor.START,
                                Svg.FAINT,
                                12,
                                "Medians, two processes, loopback. \"x 8\": eight calls outstanding"
                                        + " on one connection. Longer bars are faster.");
        int y = HEAD;
        for (var work : works) {
            var ofWork = panels.keySet().stream().filter(point -> point.work() == work).toList();
            for (int from = 0; from < ofWork.size(); from += COLUMNS) {
                var inRow = ofWork.subList(from, Math.min(from + COLUMNS, ofWork.size()));
                y += rowOfPanels(picture, panels, inRow, y);
            }
        }
        int width = 2 * MARGIN + COLUMNS * PANEL_WIDTH + (COLUMNS - 1) * PANEL_GAP;
        return picture.document(width, y + MARGIN);
    }

    /** Draws panels next to each other and returns their height. */
    private static int rowOfPanels(
            Svg picture, Map<LoadPoint, List<Row>> panels, List<LoadPoint> points, int top) {
        int tallest = 0;
        for (int column = 0; column < points.size(); column++) {
            var rows = panels.get(points.get(column));
            panel(picture, rows, MARGIN + column * (PANEL_WIDTH + PANEL_GAP), top);
            tallest = Math.max(tallest, rows.size());
        }
        return TITLE + tallest * (BAR + GAP) + PANEL_GAP;
    }

    private static void panel(Svg picture, List<Row> rows, int left, int top) {
        var point = rows.getFirst().point();
        picture.text(
                left,
                top + 18,
                Anchor.START,
                Svg.INK,
                13,
                point.label() + ", " + point.unit().label());
        double fastest = rows.stream().mapToDouble(Chart::speed).max().orElseThrow();
        int widest = PANEL_WIDTH - LABEL_WIDTH - FIGURE_WIDTH;
        int y = top + TITLE;
        for (var row : rows) {
            double width = Math.max(1, widest * speed(row) / fastest);
            int middle = y + BAR - 3;
            picture.text(
                    left + LABEL_WIDTH - 6, middle, Anchor.END, Svg.INK, 11, row.series().label());
            picture.bar(left + LABEL_WIDTH, y, width, BAR, colour(row.series()));
            picture.text(
                    left + LABEL_WIDTH + (int) width + 5,
                    middle,
                    Anchor.START,
                    Svg.FAINT,
                    11,
                    Table.figure(row.rate().median()));
            y += BAR + GAP;
        }
    }

    private static double speed(Row row) {
        return row.point().unit() == LoadPoint.Unit.MICROS
                ? 1 / row.rate().median()
                : row.rate().median();
    }

    private static String colour(Series series) {
        return COLOURS.get(Series.all().indexOf(series) % COLOURS.size());
    }
}
