package io.github.rpcrdma4j.bench.study;

import io.github.rpcrdma4j.bench.report.Series;
import io.github.rpcrdma4j.bench.stack.Exchange.Setting;
import io.github.rpcrdma4j.bench.stack.Stack;
import io.github.rpcrdma4j.bench.stack.Work;
import io.github.rpcrdma4j.bench.worker.Order;
import io.github.rpcrdma4j.bench.worker.Pair;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Measures the cost of a call with equal load over more and more connections, with more and more
 * regions, and in larger and larger directories. All sizes take turns, round after round.
 */
record GrowthStudy(Study.Context context) {
    private static final List<Integer> CONNECTIONS = List.of(1, 10, 100, 1000);
    private static final List<Integer> BUSY_CONNECTIONS = List.of(8, 100, 1000);
    private static final List<Integer> REGIONS = List.of(1, 1000, 100_000);
    private static final List<Integer> ENTRIES = List.of(10, 1000, 100_000);
    private static final int BUSY = 8;

    void run() throws IOException {
        for (var series : wanted(each -> each.stack().hasManyConnections())) {
            for (var work : List.of(Work.NULL, Work.READ_64K)) {
                connections(series, work, 1, CONNECTIONS);
                connections(series, work, BUSY, BUSY_CONNECTIONS);
            }
        }
        for (var series : wanted(each -> each.stack() == Stack.RPCRDMA4J)) {
            regions(series, Work.NULL, 1);
            regions(series, Work.READ_64K, BUSY);
        }
        for (var series : wanted(each -> each.stack() == Stack.NFS_RDMA)) {
            directories(series);
        }
    }

    private List<Series> wanted(Predicate<Series> filter) {
        return context.series().stream().filter(filter).toList();
    }

    private Pair pair(Series series) throws IOException {
        return context.pairs().of(series.stack());
    }

    private void connections(Series series, Work work, int outstanding, List<Integer> counts)
            throws IOException {
        var what =
                String.format(
                        "%s, %s, %d outstanding over so many connections",
                        series.label(), work.label(), outstanding);
        context.progress().phase(what);
        var pair = pair(series);
        var setting = Setting.plain(series.crc());
        int warm = pair.connect(setting, outstanding);
        pair.run(warm, work, outstanding, context.timing().firstWarmUpNanos());
        pair.client().disconnect(warm);
        var curve = new Curve(what, counts);
        for (int round = 0; round < context.timing().rounds(); round++) {
            for (int count : counts) {
                context.progress().step(what + ": " + count, 0);
                int session = pair.connect(setting, count);
                pair.run(session, work, outstanding, context.timing().warmUpNanos());
                var order =
                        new Order.Run(session, work, outstanding, context.timing().roundNanos());
                curve.add(count, pair.observe(order));
                pair.client().disconnect(session);
            }
        }
        print(curve);
    }

    private void regions(Series series, Work work, int outstanding) throws IOException {
        var what =
                String.format(
                        "%s, %s, %d outstanding beside so many regions on each side",
                        series.label(), work.label(), outstanding);
        context.progress().phase(what);
        var pair = pair(series);
        var orders = new ArrayList<Order>();
        for (int count : REGIONS) {
            int session = pair.connect(new Setting(series.crc(), count, 0, 0), 1);
            pair.run(session, work, outstanding, context.timing().firstWarmUpNanos());
            orders.add(new Order.Run(session, work, outstanding, context.timing().roundNanos()));
        }
        print(inTurn(what, pair, REGIONS, orders));
    }

    private void directories(Series series) throws IOException {
        var pair = pair(series);
        var lookUps = new ArrayList<Order>();
        var lists = new ArrayList<Order>();
        for (int count : ENTRIES) {
            context.progress().phase("directories: making " + count + " files");
            int session = pair.connect(new Setting(series.crc(), 0, 0, count), 1);
            lookUps.add(new Order.LookUp(session, count, context.timing().roundNanos()));
            lists.add(new Order.List(session, count, context.timing().roundNanos()));
        }
        print(
                inTurn(
                        series.label() + ", LOOKUP and GETATTR in a directory of so many",
                        pair,
                        ENTRIES,
                        lookUps));
        print(
                inTurn(series.label() + ", listing a directory of so many", pair, ENTRIES, lists)
                        .perItem());
    }

    private Curve inTurn(String what, Pair pair, List<Integer> sizes, List<Order> orders)
            throws IOException {
        context.progress().phase(what);
        var curve = new Curve(what, sizes);
        for (var order : orders) {
            pair.client().measure(order);
        }
        for (int round = 0; round < context.timing().rounds(); round++) {
            for (int i = 0; i < orders.size(); i++) {
                context.progress().step(what + ": " + sizes.get(i), 0);
                curve.add(sizes.get(i), pair.observe(orders.get(i)));
            }
        }
        return curve;
    }

    private void print(Curve curve) {
        context.progress().clear();
        context.out().print(curve.text());
    }
}
