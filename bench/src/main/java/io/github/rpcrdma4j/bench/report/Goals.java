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
    private static final Series NFS4_RDMA = new Series(Stack.NFS4_RDMA, true);
    private static final Series NFS_TCP = new Series(Stack.NFS_TCP, false);

    private static final Series RELAY = new Series(Stack.NFS_RELAY, false);

    private static final double NULL_CLIENT_BYTES = 100;
    private static final double NULL_SERVER_BYTES = 160;
    private static final double GROWTH_BYTES = 1200;

    private static final LoadPoint READ_8 = new LoadPoint(Work.READ_1M, 8);
    private static final LoadPoint WRITE_8 = new LoadPoint(Work.WRITE_1M, 8);
    private static final List<LoadPoint> NULLS =
            List.of(
                    new LoadPoint(Work.NULL, 1),
                    new LoadPoint(Work.NULL, 8),
                    new LoadPoint(Work.NULL, 64));

    /**
     * A goal, the value that the run reached, and its bound: the most or the least that the goal
     * allows.
     */
    record Result(String what, double reached, double bound, boolean isMost) {
        boolean isMet() {
            return isMost ? reached <= bound : reached >= bound;
        }
    }

    private final List<Row> rows;
    private final List<Result> results = new ArrayList<>();

    private Goals(List<Row> rows) {
        this.rows = rows;
    }

    /** Returns the results of those goals for which there are rows. */
    static List<Result> results(List<Row> rows) {
        var goals = new Goals(rows);
        goals.rates();
        goals.costs();
        return goals.results;
    }

    /** Returns the goals as text; empty if there are rows for none of them. */
    public static String text(List<Row> rows) {
        var results = results(rows);
        if (results.isEmpty()) {
            return "";
        }
        var out = new StringBuilder(String.format("%nGoals%n"));
        for (var each : results) {
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
        atLeast(OURS, new LoadPoint(Work.READ_4K, 8), ONCRPC4J, 2.5);
        atLeast(NFS_RDMA, READ_8, NFS_TCP, 1);
        atLeast(NFS_RDMA, WRITE_8, NFS_TCP, 1);
        atLeast(NFS4_RDMA, READ_8, NFS_RDMA, 0.90);
        atLeast(NFS4_RDMA, WRITE_8, NFS_RDMA, 0.90);
        atLeast(NFS4_RDMA, new LoadPoint(Work.READ_4K, 8), NFS_RDMA, 0.75);
        for (var stack : List.of(Stack.NFS_GATEWAY_TO_TCP, Stack.NFS_GATEWAY_TO_RDMA)) {
            for (boolean crc : new boolean[] {true, false}) {
                var gateway = new Series(stack, crc);
                atLeast(gateway, READ_8, RELAY, 0.90);
                atLeast(gateway, WRITE_8, RELAY, 0.90);
                // A round trip takes at most 1.5 times as long as with a relay.
                atLeast(gateway, NULLS.getFirst(), RELAY, 1 / 1.5);
            }
        }
    }

    private void costs() {
        for (var point : List.of(READ_8, WRITE_8)) {
            both(
                    OURS,
                    point,
                    ONCRPC4J,
                    (ours, theirs) ->
                            new Result(
                                    point.label() + ": CPU for a GB, rpcrdma4j / oncrpc4j",
                                    ours.cpu() / theirs.cpu(),
                                    0.5,
                                    true));
        }
        for (var point : NULLS) {
            allocation(point, "client", Row::clientBytes, NULL_CLIENT_BYTES);
            allocation(point, "server", Row::serverBytes, NULL_SERVER_BYTES);
        }
        payloadAllocation("client", Row::clientBytes);
        payloadAllocation("server", Row::serverBytes);
    }

    private void allocation(
            LoadPoint point, String side, ToDoubleFunction<Row> bytes, double bound) {
        find(OURS, point)
                .ifPresent(
                        row ->
                                results.add(
                                        new Result(
                                                point.label()
                                                        + ": bytes allocated by the "
                                                        + side
                                                        + " for a call",
                                                bytes.applyAsDouble(row),
                                                bound,
                                                true)));
    }

    private void payloadAllocation(String side, ToDoubleFunction<Row> bytes) {
        var small = find(OURS, new LoadPoint(Work.READ_64K, 8));
        var large = find(OURS, READ_8);
        if (small.isPresent() && large.isPresent()) {
            results.add(
                    new Result(
                            "bytes allocated by the " + side + ", read-1m - read-64k",
                            bytes.applyAsDouble(large.get()) - bytes.applyAsDouble(small.get()),
                            GROWTH_BYTES,
                            true));
        }
    }

    private void atLeast(Series ours, LoadPoint point, Series theirs, double bound) {
        both(
                ours,
                point,
                theirs,
                (row, other) ->
                        new Result(
                                point.label() + ": speed, " + ours.label() + " / " + theirs.label(),
                                row.timesAsFastAs(other),
                                bound,
                                false));
    }

    private interface Comparison {
        Result of(Row ours, Row theirs);
    }

    private void both(Series ours, LoadPoint point, Series theirs, Comparison comparison) {
        var row = find(ours, point);
        var other = find(theirs, point);
        if (row.isPresent() && other.isPresent()) {
            results.add(comparison.of(row.get(), other.get()));
        }
    }

    private Optional<Row> find(Series series, LoadPoint point) {
        return rows.stream()
                .filter(row -> row.series().equals(series) && row.point().equals(point))
                .findFirst();
    }
}
