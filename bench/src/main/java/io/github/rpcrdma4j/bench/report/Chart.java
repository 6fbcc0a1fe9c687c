package io.github.rpcrdma4j.bench.report;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Rows as an SVG picture: a panel of bars for each line, longer is faster in all of them. */
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

    private static final String INK = "#22272e";
    private static final String FAINT = "#6b7480";

    /** In the order of the series of the table; ours stand out, the limits are grey. */
    private static final List<String> COLOURS =
            List.of(
                    "#8a929c", "#b4bac2", "#d98c3f", "#e8b787", "#b9669c", "#1f6fb4", "#6cabdd",
                    "#2c8c63", "#74bf9c", "#c2b34a");

    private Chart() {}

    /** The picture of at least one row. */
    public static String of(List<Row> rows) {
        var panels = new LinkedHashMap<Line, List<Row>>();
        for (var row : rows) {
            panels.computeIfAbsent(
                    row.line(),
                    line -> rows.stream().filter(each -> each.line().equals(line)).toList());
        }
        var works = new LinkedHashSet<>(panels.keySet().stream().map(Line::work).toList());
        var body = new StringBuilder();
        int y = HEAD;
        for (var work : works) {
            var ofWork = panels.keySet().stream().filter(line -> line.work() == work).toList();
            for (int from = 0; from < ofWork.size(); from += COLUMNS) {
                var inRow = ofWork.subList(from, Math.min(from + COLUMNS, ofWork.size()));
                y += rowOfPanels(body, panels, inRow, y);
            }
        }
        int width = 2 * MARGIN + COLUMNS * PANEL_WIDTH + (COLUMNS - 1) * PANEL_GAP;
        return document(width, y + MARGIN, body);
    }

    private static String document(int width, int height, StringBuilder body) {
        return String.format(
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\""
                                + " font-family=\"system-ui, sans-serif\" font-size=\"12\">%n",
                        width, height)
                + String.format(
                        "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>%n", width, height)
                + text(
                        MARGIN,
                        26,
                        "start",
                        INK,
                        17,
                        "rpcrdma4j beside its limits and beside others")
                + text(
                        MARGIN,
                        44,
                        "start",
                        FAINT,
                        12,
                        "Medians, two processes, loopback. \"x 8\": eight calls in flight on one"
                                + " connection. Longer bars are faster.")
                + body
                + "</svg>\n";
    }

    /** Draws panels side by side; returns how high they are. */
    private static int rowOfPanels(
            StringBuilder out, Map<Line, List<Row>> panels, List<Line> lines, int top) {
        int tallest = 0;
        for (int column = 0; column < lines.size(); column++) {
            var rows = panels.get(lines.get(column));
            panel(out, rows, MARGIN + column * (PANEL_WIDTH + PANEL_GAP), top);
            tallest = Math.max(tallest, rows.size());
        }
        return TITLE + tallest * (BAR + GAP) + PANEL_GAP;
    }

    private static void panel(StringBuilder out, List<Row> rows, int left, int top) {
        var line = rows.getFirst().line();
        out.append(
                text(left, top + 18, "start", INK, 13, line.label() + ", " + line.unit().label()));
        double fastest = rows.stream().mapToDouble(Chart::speed).max().orElseThrow();
        int widest = PANEL_WIDTH - LABEL_WIDTH - FIGURE_WIDTH;
        int y = top + TITLE;
        for (var row : rows) {
            double width = Math.max(1, widest * speed(row) / fastest);
            int middle = y + BAR - 3;
            out.append(text(left + LABEL_WIDTH - 6, middle, "end", INK, 11, row.series().label()));
            out.append(
                    String.format(
                            Locale.ROOT,
                            "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>%n",
                            left + LABEL_WIDTH,
                            y,
                            width,
                            BAR,
                            colour(row.series())));
            out.append(
                    text(
                            left + LABEL_WIDTH + (int) width + 5,
                            middle,
                            "start",
                            FAINT,
                            11,
                            Table.figure(row.rate().median())));
            y += BAR + GAP;
        }
    }

    private static double speed(Row row) {
        return row.line().unit() == Line.Unit.MICROS
                ? 1 / row.rate().median()
                : row.rate().median();
    }

    private static String colour(Series series) {
        return COLOURS.get(Series.all().indexOf(series) % COLOURS.size());
    }

    private static String text(int x, int y, String anchor, String colour, int size, String text) {
        return String.format(
                "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\" fill=\"%s\" font-size=\"%d\">%s</text>%n",
                x, y, anchor, colour, size, escaped(text));
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
