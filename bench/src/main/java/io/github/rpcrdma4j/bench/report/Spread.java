package io.github.rpcrdma4j.bench.report;

import java.util.List;

/** The median, the least and the greatest value of the rounds. */
public record Spread(double median, double min, double max) {
    /**
     * Returns the spread of at least one value. The median of an even number of values is the mean
     * of the two middle ones.
     */
    public static Spread of(List<Double> values) {
        var sorted = values.stream().sorted().toList();
        int size = sorted.size();
        double median = (sorted.get((size - 1) / 2) + sorted.get(size / 2)) / 2;
        return new Spread(median, sorted.getFirst(), sorted.getLast());
    }
}
