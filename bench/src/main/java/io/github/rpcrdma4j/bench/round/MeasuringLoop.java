package io.github.rpcrdma4j.bench.round;

import io.github.rpcrdma4j.bench.report.Line;
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
 * Measures all lines of the table, one after another. On each line all series take turns, round
 * after round.
 */
public final class MeasuringLoop {
    private static final int FIRST_OUTSTANDING = 8;
    private static final int COPY_OUTSTANDING = 8;

    private final Pairs pairs;
    private final Pace pace;
    private final List<Series> series;
    private final List<Line> lines;
    private final int connections;
    private final Map<Series, Integer> sessions = new HashMap<>();
    private final Map<Series, List<Work.Kind>> warm = new HashMap<>();

    /**
     * @param connections the number of connections of each series; with several, each has at most
     *     one outstanding call
     */
    public MeasuringLoop(
            Pairs pairs, Pace pace, List<Series> series, List<Line> lines, int connections) {
        this.pairs = pairs;
        this.pace = pace;
        this.series = series;
        this.lines = lines;
        this.connections = connections;
    }

    /** Returns all lines of these works. A copy chooses its number of outstanding calls itself. */
    public static List<Line> lines(List<Work> works, List<Integer> outstanding) {
        var lines = new ArrayList<Line>();
        for (var work : works) {
            switch (work.kind()) {
                case COPY -> lines.add(new Line(work, COPY_OUTSTANDING));
                case NULL, READ, WRITE ->
                        outstanding.forEach(count -> lines.add(new Line(work, count)));
            }
        }
        return lines;
    }

    /** Returns the planned time of all measurements in nanoseconds, without the work in between. */
    public long plannedNanos() {
        long planned = 0;
        for (var line : lines) {
            planned += (pace.warmUpNanos() + pace.rounds() * pace.roundNanos()) * on(line).size();
        }
        return planned;
    }

    private List<Series> on(Line line) {
        return series.stream().filter(each -> each.stack().does(line.work())).toList();
    }

    /** Receives each line when all its rounds are measured. */
    public interface Listener {
        void measured(Line line, List<Row> rows);
    }

    /** Measures all lines. */
    public List<Row> run(Progress progress, Listener listener) throws IOException {
        var all = new ArrayList<Row>();
        for (var line : lines) {
            progress.part(line.label());
            var rows = measure(line, progress);
            all.addAll(rows);
            progress.clear();
            listener.measured(line, rows);
        }
        return all;
    }

    private List<Row> measure(Line line, Progress progress) throws IOException {
        var here = on(line);
        var tallies = new ArrayList<Tally>();
        for (var each : here) {
            progress.step(line.label() + ": " + each.label() + " warms up", pace.warmUpNanos());
            warmUp(each, line);
            tallies.add(new Tally(each, line, bytes(line.work())));
        }
        for (int round = 1; round <= pace.rounds(); round++) {
            for (int i = 0; i < here.size(); i++) {
                var each = here.get(i);
                progress.step(
                        String.format(
                                "%s: %s, round %d of %d",
                                line.label(), each.label(), round, pace.rounds()),
                        pace.roundNanos());
                tallies.get(i).add(pair(each).observe(order(each, line, pace.roundNanos())));
            }
        }
        return tallies.stream().map(Tally::row).toList();
    }

    private void warmUp(Series each, Line line) throws IOException {
        var kind = line.work().kind();
        var known = warm.computeIfAbsent(each, _ -> new ArrayList<>());
        if (!known.contains(kind)) {
            known.add(kind);
            // The JIT compiler counts calls. Long ones are too few, and short ones run other code,
            // so every length warms up.
            for (var first : kind.works()) {
                var busy = new Line(first, FIRST_OUTSTANDING);
                pair(each).client().measure(order(each, busy, pace.firstWarmUpNanos()));
            }
        }
        pair(each).client().measure(order(each, line, pace.warmUpNanos()));
    }

    private double bytes(Work work) {
        return work.kind() == Work.Kind.COPY ? pace.copyBytes() : work.length();
    }

    private Pair pair(Series each) throws IOException {
        return pairs.of(each.stack());
    }

    private Order order(Series each, Line line, long nanos) throws IOException {
        var session = sessions.get(each);
        if (session == null) {
            session = pair(each).connect(setting(each), connections);
            sessions.put(each, session);
        }
        // A copy chooses its outstanding calls itself, and runs once, however long it takes.
        return line.work().kind() == Work.Kind.COPY
                ? new Order.Run(session, line.work(), 1, 0)
                : new Order.Run(session, line.work(), line.outstanding(), nanos);
    }

    private Setting setting(Series each) {
        boolean copies =
                lines.stream().anyMatch(line -> line.work().kind() == Work.Kind.COPY)
                        && each.stack().does(Work.COPY_1G);
        return new Setting(each.crc(), 0, copies ? pace.copyBytes() : 0, 0);
    }
}
