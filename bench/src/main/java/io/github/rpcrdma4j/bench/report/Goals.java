package io.github.rpcrdma4j.bench.report;

import io.github.rpcrdma4j.bench.stack.Stack;
import io.github.rpcrdma4j.bench.stack.Work;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/** The performance goals of the project: ratios within one run, and allocated bytes. */
public final class Goals {
    static final Series TCP = new Series(Stack.TCP, false);
    private static final Series ONCRPC4J = new Series(Stack.ONCRPC4J, false);
    private static final Series OURS = new Series(Stack.RPCRDMA4J, true);
    private static final Series OURS_WITHOUT_CRC = new Series(Stack.RPCRDMA4J, false);
    private static final Series NFS_RDMA = new Series(Stack.NFS_RDMA, true);
    private static final Series NFS_TCP = new Series(Stack.NFS_TCP, false);

    private static final double NULL_BYTES = 200;
    private static final double GROWTH_BYTES = 1024;

    private static final Line READ_8 = new Line(Work.READ_1M, 8);
    private static final Line WRITE_8 = new Line(Work.WRITE_1M, 8);
    private static final List<Line> NULLS =
            List.of(new Line(Work.NULL, 1), new Line(Work.NULL, 8), new Line(Work.NULL, 64));

    /**
     * A goal, the value that the run reached, and its bound: the most or the least that the goal
     * allows.
     */
    record Standing(String what, double reached, double bound, boolean isMost) {
        boolean isMet() {
            return isMost ? reached <= bound : reached >= bound;
        }
    }

    private final List<Row> rows;
    private final List<Standing> standings = new ArrayList<>();

    private Goals(List<Row> rows) {
        this.rows = rows;
    }

    /** Returns the standings of those goals for which there are rows. */
    static List<Standing> standings(List<Row> rows) {
        var goals = new Goals(rows);
        goals.rates();
        goals.costs();
        return goals.standings;
    }

    /** Returns the goals as text; empty if there are rows for none of them. */
    public static String text(List<Row> rows) {
        var standings = standings(rows);
        if (standings.isEmpty()) {
            return "";
        }
        var out = new StringBuilder(String.format("%nGoals%n"));
        for (var each : standings) {
            out.append(
                    String.format(
                            "  %-8s %-66s %7s (%s %s)%n",
                            each.isMet() ? "met" : "missed",
                            each.what(),
                            Table.figure(each.reached()),
                            each.isMost() ? "at most" : "at least",
                            Table.figure(each.bound())));
        }
        return out.toString();
    }

    private void rates() {
        atLeast(OURS, READ_8, TCP, 0.70);
        atLeast(OURS, WRITE_8, TCP, 0.65);
        atLeast(OURS_WITHOUT_CRC, READ_8, TCP, 0.90);
        atLeast(OURS_WITHOUT_CRC, WRITE_8, TCP, 0.85);
        // A round trip takes at most 1.25 times as long as the limit's.
        atLeast(OURS, NULLS.getFirst(), TCP, 1 / 1.25);
        atLeast(OURS, NULLS.getLast(), ONCRPC4J, 3);
        atLeast(OURS, READ_8, ONCRPC4J, 2.5);
        atLeast(OURS, WRITE_8, ONCRPC4J, 2.5);
        atLeast(OURS, new Line(Work.READ_4K, 8), ONCRPC4J, 2.5);
        atLeast(NFS_RDMA, READ_8, NFS_TCP, 1);
        atLeast(NFS_RDMA, WRITE_8, NFS_TCP, 1);
    }

    private void costs() {
        for (var line : List.of(READ_8, WRITE_8)) {
            both(
                    OURS,
                    line,
                    ONCRPC4J,
                    (ours, theirs) ->
                            new Standing(
                                    line.label() + ": CPU for a GB, of oncrpc4j's",
                                    ours.cpu() / theirs.cpu(),
                                    0.5,
                                    true));
        }
        for (var line : NULLS) {
            allocation(line, "client", Row::clientBytes);
            allocation(line, "server", Row::serverBytes);
        }
        payloadAllocation("client", Row::clientBytes);
        payloadAllocation("server", Row::serverBytes);
    }

    private void allocation(Line line, String side, ToDoubleFunction<Row> bytes) {
        find(OURS, line)
                .ifPresent(
                        row ->
                                standings.add(
                                        new Standing(
                                                line.label()
                                                        + ": bytes that the "
                                                        + side
                                                        + " allocates for a call",
                                                bytes.applyAsDouble(row),
                                                NULL_BYTES,
                                                true)));
    }

    private void payloadAllocation(String side, ToDoubleFunction<Row> bytes) {
        var small = find(OURS, new Line(Work.READ_64K, 8));
        var large = find(OURS, READ_8);
        if (small.isPresent() && large.isPresent()) {
            standings.add(
                    new Standing(
                            "bytes more that the " + side + " allocates for read-1m than read-64k",
                            bytes.applyAsDouble(large.get()) - bytes.applyAsDouble(small.get()),
                            GROWTH_BYTES,
                            true));
        }
    }

    private void atLeast(Series ours, Line line, Series theirs, double bound) {
        both(
                ours,
                line,
                theirs,
                (row, other) ->
                        new Standing(
                                line.label()
                                        + ": times as fast, "
                                        + ours.label()
                                        + " as "
                                        + theirs.label(),
                                row.timesAsFastAs(other),
                                bound,
                                false));
    }

    private interface Comparison {
        Standing of(Row ours, Row theirs);
    }

    private void both(Series ours, Line line, Series theirs, Comparison comparison) {
        var row = find(ours, line);
        var other = find(theirs, line);
        if (row.isPresent() && other.isPresent()) {
            standings.add(comparison.of(row.get(), other.get()));
        }
    }

    private Optional<Row> find(Series series, Line line) {
        return rows.stream()
                .filter(row -> row.series().equals(series) && row.line().equals(line))
                .findFirst();
    }
}
