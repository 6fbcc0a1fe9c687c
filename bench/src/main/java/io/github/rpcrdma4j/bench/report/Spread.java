package io.github.rpcrdma4j.bench.report;

import java.util.List;

/** What the rounds of one figure show. */
public record Spread(double median, double min, double max) {
    /** Of at least one value; of an even number the median is the mean of the two in the middle. */
    public static Spread of(List<Double> values) {
        var sorted = values.stream().sorted().toList();
        int size = sorted.size();
        double median = (sorted.get((size - 1) / 2) + sorted.get(size / 2)) / 2;
        return new Spread(median, sorted.getFirst(), sorted.getLast());
    }
}
