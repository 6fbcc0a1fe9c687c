package io.github.rpcrdma4j.bench.study;

import io.github.rpcrdma4j.bench.report.Spread;
import io.github.rpcrdma4j.bench.report.Table;
import io.github.rpcrdma4j.bench.worker.Pair.Observed;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** The cost of one call as a number grows. */
final class Curve {
    private static final double NANOS_PER_MICRO = 1e3;

    /** How much a flat curve may rise, as a share of its first point. */
    private static final double FLAT = 0.15;

    private final String what;
    private final Map<Integer, List<Observed>> rounds = new LinkedHashMap<>();
    private boolean perItem;

    Curve(String what, List<Integer> sizes) {
        this.what = what;
        sizes.forEach(size -> rounds.put(size, new ArrayList<>()));
    }

    void add(int size, Observed observed) {
        rounds.get(size).add(observed);
    }

    /**
     * Makes the curve show the cost of one of the growing number, instead of the cost of a call for
     * all of them.
     */
    Curve perItem() {
        perItem = true;
        return this;
    }

    /** Returns the median time of a call by size, in microseconds. */
    Map<Integer, Double> micros() {
        return medians(each -> (double) each.round().nanos() / each.round().calls());
    }

    /** Returns the median CPU time of a call on both sides by size, in microseconds. */
    private Map<Integer, Double> cpuMicros() {
        return medians(
                each ->
                        (double) (each.client().cpuNanos() + each.server().cpuNanos())
                                / each.round().calls());
    }

    private Map<Integer, Double> medians(ToDoubleFunction<Observed> nanos) {
        var medians = new LinkedHashMap<Integer, Double>();
        rounds.forEach(
                (size, all) -> {
                    var values = all.stream().mapToDouble(nanos).boxed().toList();
                    double micros = Spread.of(values).median() / NANOS_PER_MICRO;
                    medians.put(size, perItem ? micros / size : micros);
                });
        return medians;
    }

    /** Returns whether no point lies far above the first. */
    boolean isFlat() {
        var points = List.copyOf(micros().values());
        return points.stream().allMatch(point -> point <= points.getFirst() * (1 + FLAT));
    }

    String text() {
        var out =
                new StringBuilder(
                        String.format(
                                "%n%s: %s%n  %9s %12s %9s %9s %9s%n",
                                what,
                                isFlat() ? "flat" : "not flat",
                                "",
                                perItem ? "us for one" : "us a call",
                                "of first",
                                "us CPU",
                                "of first"));
        var micros = micros();
        var cpu = cpuMicros();
        int first = rounds.keySet().iterator().next();
        for (int size : rounds.keySet()) {
            out.append(
                    String.format(
                            "  %,9d %12s %9s %9s %9s%n",
                            size,
                            Table.figure(micros.get(size)),
                            Table.figure(micros.get(size) / micros.get(first)),
                            Table.figure(cpu.get(size)),
                            Table.figure(cpu.get(size) / cpu.get(first))));
        }
        return out.toString();
    }
}
