package io.github.rpcrdma4j.bench.report;

import io.github.rpcrdma4j.bench.worker.Pair.Observed;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Collects the rounds of one series at one load point. */
public final class Tally {
    private static final double NANOS_PER_MICRO = 1e3;
    private static final double NANOS = 1e9;

    private final Series series;
    private final LoadPoint point;
    private final double bytesPerCall;
    private final List<Observed> rounds = new ArrayList<>();

    /**
     * @param bytesPerCall the payload of one call, or the length of the copied file, in bytes
     */
    public Tally(Series series, LoadPoint point, double bytesPerCall) {
        this.series = series;
        this.point = point;
        this.bytesPerCall = bytesPerCall;
    }

    public void add(Observed observed) {
        rounds.add(observed);
    }

    /** Returns the medians of at least one round. */
    public Row row() {
        return new Row(
                series,
                point,
                spread(this::rate),
                median(each -> each.round().p50Nanos() / NANOS_PER_MICRO),
                median(each -> each.round().p99Nanos() / NANOS_PER_MICRO),
                median(this::cpu),
                median(each -> perCall(each, each.client().allocatedBytes())),
                median(each -> perCall(each, each.server().allocatedBytes())));
    }

    private double rate(Observed observed) {
        double callsPerSecond = observed.round().callsPerSecond();
        return switch (point.unit()) {
            case MICROS -> NANOS / NANOS_PER_MICRO / callsPerSecond;
            case CALLS -> callsPerSecond;
            // Bytes per nanosecond are gigabytes per second.
            case GIGABYTES -> callsPerSecond * bytesPerCall / NANOS;
        };
    }

    private double cpu(Observed observed) {
        double nanos = observed.client().cpuNanos() + observed.server().cpuNanos();
        double nanosPerCall = perCall(observed, nanos);
        return bytesPerCall == 0 ? nanosPerCall / NANOS_PER_MICRO : nanosPerCall / bytesPerCall;
    }

    private static double perCall(Observed observed, double amount) {
        return amount / observed.round().calls();
    }

    private double median(ToDoubleFunction<Observed> figure) {
        return spread(figure).median();
    }

    private Spread spread(ToDoubleFunction<Observed> figure) {
        return Spread.of(rounds.stream().mapToDouble(figure).boxed().toList());
    }
}
