package io.github.rpcrdma4j.bench.round;

import io.github.rpcrdma4j.bench.report.LoadPoint;
import io.github.rpcrdma4j.bench.report.Row;
import io.github.rpcrdma4j.bench.report.Series;
import io.github.rpcrdma4j.bench.report.Tally;
import io.github.rpcrdma4j.bench.stack.Exchange.Setting;
import io.github.rpcrdma4j.bench.stack.Work;
import io.github.rpcrdma4j.bench.worker.Order;
import io.github.rpcrdma4j.bench.worker.Pair;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Measures all load points of the table, one after another. At each of them all series take turns,
 * round after round.
 *
 * <p>Tests: {@code bench/run}.
 */
public final class MeasuringLoop {
    private static final int FIRST_OUTSTANDING = 8;
    private static final int COPY_OUTSTANDING = 8;

    private final Pairs pairs;
    private final RoundTiming timing;
    private final List<Series> series;
    private final List<LoadPoint> points;
    private final int connections;
    private final Map<Series, Integer> sessions = new HashMap<>();
    private final Map<Series, List<Work.Kind>> warm = new HashMap<>();

    /**
     * @param connections the number of connections of each series; with several, each has at most
     *     one outstanding call
     */
    public MeasuringLoop(
            Pairs pairs,
            RoundTiming timing,
            List<Series> series,
            List<LoadPoint> points,
            int connections) {
        this.pairs = pairs;
        this.timing = timing;
        this.series = series;
        this.points = points;
        this.connections = connections;
    }

    /**
     * Returns all load points of these works. A copy chooses its number of outstanding calls
     * itself.
     */
    public static List<LoadPoint> points(List<Work> works, List<Integer> outstanding) {
        var points = new ArrayList<LoadPoint>();
        for (var work : works) {
            switch (work.kind()) {
                case COPY -> points.add(new LoadPoint(work, COPY_OUTSTANDING));
                case NULL, READ, WRITE, OPEN ->
                        outstanding.forEach(count -> points.add(new LoadPoint(work, count)));
            }
        }
        return points;
    }

    /** Returns the planned time of all measurements in nanoseconds, without the work in between. */
    public long plannedNanos() {
        long planned = 0;
        for (var point : points) {
            planned +=
                    (timing.warmUpNanos() + timing.rounds() * timing.roundNanos())
                            * seriesOf(point).size();
        }
        return planned;
    }

    private List<Series> seriesOf(LoadPoint point) {
        return series.stream().filter(each -> each.stack().does(point.work())).toList();
    }

    /** Receives each load point when all its rounds are measured. */
    public interface Listener {
        void measured(LoadPoint point, List<Row> rows);
    }

    /** Measures all load points. */
    public List<Row> run(Progress progress, Listener listener) throws IOException {
        var all = new ArrayList<Row>();
        for (var point : points) {
            progress.phase(point.label());
            var rows = measure(point, progress);
            all.addAll(rows);
            progress.clear();
            listener.measured(point, rows);
        }
        return all;
    }

    private List<Row> measure(LoadPoint point, Progress progress) throws IOException {
        var measured = seriesOf(point);
        var tallies = new ArrayList<Tally>();
        for (var each : measured) {
            progress.step(point.label() + ": " + each.label() + " warms up", timing.warmUpNanos());
            warmUp(each, point);
            tallies.add(new Tally(each, point, bytes(point.work())));
        }
        for (int round = 1; round <= timing.rounds(); round++) {
            for (int i = 0; i < measured.size(); i++) {
                var each = measured.get(i);
                progress.step(
                        String.format(
                                "%s: %s, round %d of %d",
                                point.label(), each.label(), round, timing.rounds()),
                        timing.roundNanos());
                tallies.get(i).add(pair(each).observe(order(each, point, timing.roundNanos())));
            }
        }
        return tallies.stream().map(Tally::row).toList();
    }

    private void warmUp(Series each, LoadPoint point) throws IOException {
        var kind = point.work().kind();
        var known = warm.computeIfAbsent(each, _ -> new ArrayList<>());
        if (!known.contains(kind)) {
            known.add(kind);
            // The JIT compiler counts calls. Long ones are too few, and short ones run other code,
            // so every length warms up.
            for (var first : kind.works()) {
                var busy = new LoadPoint(first, FIRST_OUTSTANDING);
                pair(each).client().measure(order(each, busy, timing.firstWarmUpNanos()));
            }
        }
        pair(each).client().measure(order(each, point, timing.warmUpNanos()));
    }

    private double bytes(Work work) {
        return work.kind() == Work.Kind.COPY ? timing.copyBytes() : work.length();
    }

    private Pair pair(Series each) throws IOException {
        return pairs.of(each.stack());
    }

    private Order order(Series each, LoadPoint point, long nanos) throws IOException {
        var session = sessions.get(each);
        if (session == null) {
            session = pair(each).connect(setting(each), connections);
            sessions.put(each, session);
        }
        // A copy chooses its outstanding calls itself, and runs once, however long it takes.
        return point.work().kind() == Work.Kind.COPY
                ? new Order.Run(session, point.work(), 1, 0)
                : new Order.Run(session, point.work(), point.outstanding(), nanos);
    }

    private Setting setting(Series each) {
        boolean copies =
                points.stream().anyMatch(point -> point.work().kind() == Work.Kind.COPY)
                        && each.stack().does(Work.COPY_1G);
        return new Setting(each.crc(), 0, copies ? timing.copyBytes() : 0, 0);
    }
}
