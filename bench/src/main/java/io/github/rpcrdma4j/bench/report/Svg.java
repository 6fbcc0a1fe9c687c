package io.github.rpcrdma4j.bench.report;

import java.util.Locale;

/**
 * An SVG picture of bars, lines and words on white. Lengths are in its units; y grows downwards.
 */
public final class Svg {
    /** The color of main text. */
    public static final String INK = "#22272e";

    /** The color of secondary text. */
    public static final String FAINT = "#6b7480";

    /** The end of a text that lies at its coordinates. */
    public enum Anchor {
        START,
        MIDDLE,
        END
    }

    private final StringBuilder body = new StringBuilder();

    /** Adds words on a line at y. */
    public Svg text(int x, int y, Anchor anchor, String colour, int size, String words) {
        body.append(
                String.format(
                        "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\" fill=\"%s\" font-size=\"%d\">%s</text>%n",
                        x,
                        y,
                        anchor.name().toLowerCase(Locale.ROOT),
                        colour,
                        size,
                        escaped(words)));
        return this;
    }

    /** Adds a bar whose upper left corner is at (x, y). */
    public Svg bar(int x, int y, double width, int height, String colour) {
        body.append(
                String.format(
                        Locale.ROOT,
                        "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>%n",
                        x,
                        y,
                        width,
                        height,
                        colour));
        return this;
    }

    /** Adds a thin vertical line. */
    public Svg upright(double x, int top, int bottom, String colour) {
        body.append(
                String.format(
                        Locale.ROOT,
                        "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"%s\"/>%n",
                        x,
                        top,
                        x,
                        bottom,
                        colour));
        return this;
    }

    /** Returns the SVG document with everything added so far. */
    public String document(int width, int height) {
        return String.format(
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\""
                                + " font-family=\"system-ui, sans-serif\" font-size=\"12\">%n",
                        width, height)
                + String.format(
                        "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>%n", width, height)
                + body
                + "</svg>\n";
    }

    private static String escaped(String words) {
        return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
