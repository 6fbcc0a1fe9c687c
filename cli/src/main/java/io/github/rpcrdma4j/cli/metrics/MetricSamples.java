package io.github.rpcrdma4j.cli.metrics;

import io.github.rpcrdma4j.cli.terminal.Printable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Metrics that a server has sent in the text format of Prometheus.
 *
 * @param byName the samples of each name, in their order
 */
public record MetricSamples(Map<String, List<Sample>> byName) {
    private static final Pattern LINE =
            Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{(.*)})? (\\S+)");
    private static final Pattern LABEL =
            Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\\]|\\\\.)*)\"(?:,|$)");

    /** A value with its labels. */
    public record Sample(Map<String, String> labels, double value) {
        /** Returns the value of a label; empty if there is none. */
        public String label(String name) {
            return labels.getOrDefault(name, "");
        }
    }

    /**
     * Reads the lines of the format.
     *
     * @throws IOException if a line is none of it; the message is one line
     */
    public static MetricSamples parse(Stream<String> lines) throws IOException {
        var all = new HashMap<String, List<Sample>>();
        for (var line : lines.toList()) {
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            var form = LINE.matcher(line);
            if (!form.matches()) {
                throw new IOException("the server sent no metric: " + Printable.line(line));
            }
            all.computeIfAbsent(form.group(1), _ -> new ArrayList<>())
                    .add(new Sample(labels(line, form.group(2)), number(line, form.group(3))));
        }
        return new MetricSamples(all);
    }

    private static Map<String, String> labels(String line, String text) throws IOException {
        var labels = new LinkedHashMap<String, String>();
        if (text == null) {
            return labels;
        }
        int end = 0;
        var each = LABEL.matcher(text);
        while (end < text.length() && each.find(end) && each.start() == end) {
            labels.put(each.group(1), unescaped(each.group(2)));
            end = each.end();
        }
        if (end < text.length()) {
            throw new IOException("the server sent wrong labels: " + Printable.line(line));
        }
        return labels;
    }

    private static String unescaped(String text) {
        var out = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char next = text.charAt(i);
            if (next == '\\') {
                next = text.charAt(++i);
                out.append(next == 'n' ? '\n' : next);
            } else {
                out.append(next);
            }
        }
        return out.toString();
    }

    private static double number(String line, String text) throws IOException {
        try {
            return switch (text) {
                case "+Inf" -> Double.POSITIVE_INFINITY;
                case "-Inf" -> Double.NEGATIVE_INFINITY;
                default -> Double.parseDouble(text);
            };
        } catch (NumberFormatException _) {
            throw new IOException("the server sent no number: " + Printable.line(line));
        }
    }

    /** Returns the samples of a name; none if there is no such metric. */
    public List<Sample> all(String name) {
        return byName.getOrDefault(name, List.of());
    }

    /** Returns the sum over all samples of a name. */
    public double sum(String name) {
        return all(name).stream().mapToDouble(Sample::value).sum();
    }
}
