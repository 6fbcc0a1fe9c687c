package io.github.rpcrdma4j.bench.study;

import io.github.rpcrdma4j.bench.report.Series;
import io.github.rpcrdma4j.bench.report.Spread;
import io.github.rpcrdma4j.bench.report.Table;
import io.github.rpcrdma4j.bench.stack.Exchange.Setting;
import io.github.rpcrdma4j.bench.worker.Order;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Measures the set-up of connections, one after another, each with one call. */
record SetUpStudy(Study.Context context) {
    private static final double NANOS_PER_MICRO = 1e3;

    void run() throws IOException {
        context.out()
                .printf(
                        "%nConnect, one null call, disconnect%n  %-20s %9s %9s %9s %9s%n",
                        "", "us", "min", "max", "p99 us");
        context.progress().phase("setting up");
        var medians = new ArrayList<List<Double>>();
        var slow = new ArrayList<List<Double>>();
        for (var series : context.series()) {
            context.pairs().of(series.stack()).client().measure(order(series));
            medians.add(new ArrayList<>());
            slow.add(new ArrayList<>());
        }
        for (int round = 0; round < context.timing().rounds(); round++) {
            for (int i = 0; i < context.series().size(); i++) {
                var series = context.series().get(i);
                context.progress().step("setting up: " + series.label(), 0);
                var measured = context.pairs().of(series.stack()).client().measure(order(series));
                medians.get(i).add(measured.p50Nanos() / NANOS_PER_MICRO);
                slow.get(i).add(measured.p99Nanos() / NANOS_PER_MICRO);
            }
        }
        context.progress().clear();
        for (int i = 0; i < context.series().size(); i++) {
            print(context.series().get(i), Spread.of(medians.get(i)), Spread.of(slow.get(i)));
        }
    }

    private Order order(Series series) throws IOException {
        var setting = Setting.plain(series.crc());
        int port = context.pairs().of(series.stack()).port(setting);
        return new Order.SetUp(series.stack(), setting, port, context.timing().roundNanos());
    }

    private void print(Series series, Spread median, Spread slow) {
        context.out()
                .printf(
                        "  %-20s %9s %9s %9s %9s%n",
                        series.label(),
                        Table.figure(median.median()),
                        Table.figure(median.min()),
                        Table.figure(median.max()),
                        Table.figure(slow.median()));
    }
}
