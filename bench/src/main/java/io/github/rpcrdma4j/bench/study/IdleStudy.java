package io.github.rpcrdma4j.bench.study;

import io.github.rpcrdma4j.bench.report.Series;
import io.github.rpcrdma4j.bench.report.Spread;
import io.github.rpcrdma4j.bench.report.Table;
import io.github.rpcrdma4j.bench.stack.Exchange.Setting;
import io.github.rpcrdma4j.bench.stack.Work;
import io.github.rpcrdma4j.bench.worker.Pair;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Measures the round trip of one connection, first alone and then with many idle connections that
 * have made one call each. Also measures the memory of the idle connections.
 */
record IdleStudy(Study.Context context) {
    private static final int CONNECTIONS = 1000;
    private static final double NANOS_PER_MICRO = 1e3;
    private static final double KIB = 1024;

    void run() throws IOException {
        context.out()
                .printf(
                        "%n%,d idle connections%n  %-20s %12s %12s %14s %14s%n",
                        CONNECTIONS, "", "null alone", "beside them", "KiB each, client", "server");
        for (var series : context.series()) {
            if (series.stack().hasManyConnections()) {
                context.progress().phase("idle connections of " + series.label());
                measure(series);
            }
        }
    }

    private void measure(Series series) throws IOException {
        var pair = context.pairs().of(series.stack());
        var setting = Setting.plain(series.crc());
        int one = pair.connect(setting, 1);
        pair.run(one, Work.NULL, 1, context.timing().firstWarmUpNanos());
        var alone = new ArrayList<Double>();
        var beside = new ArrayList<Double>();
        double client = 0;
        double server = 0;
        for (int round = 0; round < context.timing().rounds(); round++) {
            context.progress().step("idle connections of " + series.label(), 0);
            alone.add(micros(pair, one));
            var clientBefore = pair.client().usage();
            var serverBefore = pair.server().usage();
            int many = pair.connect(setting, CONNECTIONS);
            pair.run(many, Work.NULL, 1, context.timing().roundNanos());
            // Later rounds reuse memory from the first one.
            client = Math.max(client, pair.client().usage().since(clientBefore).residentBytes());
            server = Math.max(server, pair.server().usage().since(serverBefore).residentBytes());
            beside.add(micros(pair, one));
            pair.client().disconnect(many);
        }
        pair.client().disconnect(one);
        context.progress().clear();
        print(series, alone, beside, client / CONNECTIONS / KIB, server / CONNECTIONS / KIB);
    }

    private double micros(Pair pair, int session) throws IOException {
        return pair.run(session, Work.NULL, 1, context.timing().roundNanos()).p50Nanos()
                / NANOS_PER_MICRO;
    }

    private void print(
            Series series, List<Double> alone, List<Double> beside, double client, double server) {
        context.out()
                .printf(
                        "  %-20s %9s us %9s us %16s %14s%n",
                        series.label(),
                        Table.figure(Spread.of(alone).median()),
                        Table.figure(Spread.of(beside).median()),
                        Table.figure(client),
                        Table.figure(server));
    }
}
