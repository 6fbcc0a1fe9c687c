package io.github.rpcrdma4j.bench.study;

import io.github.rpcrdma4j.bench.report.LoadPoint;
import io.github.rpcrdma4j.bench.report.Series;
import io.github.rpcrdma4j.bench.report.Table;
import io.github.rpcrdma4j.bench.stack.Exchange.Setting;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Counts the system calls of one call with strace. strace slows the processes, so the rates of this
 * study mean nothing. It may also change how many calls arrive together, and so the counts.
 */
public record SyscallStudy(Study.Context context, List<LoadPoint> points) {
    private static final int SHOWN = 4;
    private static final double RARE = 0.005;

    /** Counts for all load points and all series. */
    public void run() throws IOException {
        if (!Strace.isInstalled()) {
            context.out().println("There is no strace: system calls cannot be counted.");
            return;
        }
        for (var point : points) {
            context.out()
                    .printf(
                            "%n%-20s %8s %8s   %s%n",
                            point.label(), "client", "server", "the most frequent, for one call");
            for (var series : context.series()) {
                if (series.stack().does(point.work())) {
                    context.progress().phase(point.label() + ": " + series.label());
                    count(series, point);
                }
            }
        }
    }

    private void count(Series series, LoadPoint point) throws IOException {
        var pair = context.pairs().of(series.stack());
        int session = pair.connect(Setting.plain(series.crc()), 1);
        pair.run(session, point.work(), point.outstanding(), context.timing().firstWarmUpNanos());
        try (var client = Strace.attach(pair.client().pid());
                var server = Strace.attach(pair.server().pid())) {
            var round =
                    pair.run(
                            session,
                            point.work(),
                            point.outstanding(),
                            context.timing().firstWarmUpNanos());
            var ofClient = client.counts();
            var ofServer = server.counts();
            context.out()
                    .printf(
                            "  %-18s %8s %8s   %s | %s%n",
                            series.label(),
                            Table.figure(total(ofClient) / round.calls()),
                            Table.figure(total(ofServer) / round.calls()),
                            frequent(ofClient, round.calls()),
                            frequent(ofServer, round.calls()));
        }
        pair.client().disconnect(session);
    }

    private static double total(Map<String, Long> counts) {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    private static String frequent(Map<String, Long> counts, double calls) {
        return counts.entrySet().stream()
                .filter(each -> each.getValue() / calls >= RARE)
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                .limit(SHOWN)
                .map(each -> each.getKey() + " " + Table.figure(each.getValue() / calls))
                .collect(Collectors.joining(", "));
    }
}
