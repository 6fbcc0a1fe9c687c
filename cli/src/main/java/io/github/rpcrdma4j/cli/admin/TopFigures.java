package io.github.rpcrdma4j.cli.admin;

import io.github.rpcrdma4j.cli.metrics.MetricSamples;
import io.github.rpcrdma4j.cli.metrics.MetricSamples.Sample;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * What happened at a server between two looks at its metrics.
 *
 * <p>Tests: {@code TopTest}.
 *
 * @param seconds the time between the two
 * @param rates counts by a second, by the name of their metric
 * @param now the metrics of the second look
 * @param procedures those that were called since the start, the busiest first
 * @param clients hosts with connections over RDMA, the busiest first
 */
record TopFigures(
        double seconds,
        Map<String, Double> rates,
        MetricSamples now,
        List<Procedure> procedures,
        List<Client> clients) {
    static final String CALLS = "rpcrdma_rpc_ended_calls_total";
    static final String READ_BYTES = "rpcrdma_nfs_read_bytes_total";
    static final String WRITTEN_BYTES = "rpcrdma_nfs_written_bytes_total";
    static final String RECEIVED_BYTES = "rpcrdma_rdma_received_bytes_total";
    static final String SENT_BYTES = "rpcrdma_rdma_sent_bytes_total";
    static final String PROCESSOR_SECONDS = "process_cpu_seconds_total";
    private static final List<String> RATES =
            List.of(
                    CALLS,
                    READ_BYTES,
                    WRITTEN_BYTES,
                    RECEIVED_BYTES,
                    SENT_BYTES,
                    PROCESSOR_SECONDS);
    private static final String DURATION = "rpcrdma_nfs_duration_seconds";
    private static final double MEDIAN = 0.5;
    private static final double NEARLY_ALL = 0.99;

    /**
     * A procedure, or an operation of version 4.
     *
     * @param rate calls by a second
     * @param median in seconds, of the calls between the looks; not a number if there was none
     * @param nearlyAll likewise the time that 99 of 100 calls did not exceed; infinite if it
     *     exceeds all buckets
     * @param total calls since the start
     */
    record Procedure(
            String version,
            String name,
            double rate,
            double median,
            double nearlyAll,
            long total) {}

    /**
     * A host with connections over RDMA.
     *
     * @param used credits that its calls hold
     * @param rate calls by a second
     * @param received bytes by a second
     * @param sent likewise
     */
    record Client(
            String host, int connections, int used, double rate, double received, double sent) {}

    /**
     * Compares two looks.
     *
     * @param seconds the time between them; positive
     */
    static TopFigures between(MetricSamples before, MetricSamples now, double seconds) {
        var rates = new HashMap<String, Double>();
        for (var each : RATES) {
            rates.put(each, Math.max(0, now.sum(each) - before.sum(each)) / seconds);
        }
        return new TopFigures(
                seconds,
                rates,
                now,
                procedures(before, now, seconds),
                clients(before, now, seconds));
    }

    double rate(String name) {
        return rates.get(name);
    }

    private static List<Procedure> procedures(
            MetricSamples before, MetricSamples now, double seconds) {
        var earlier = histograms(before);
        var all = new ArrayList<Procedure>();
        histograms(now)
                .forEach(
                        (name, later) -> {
                            var calls = new Buckets(later, earlier.get(name));
                            all.add(
                                    new Procedure(
                                            name.getFirst(),
                                            name.getLast(),
                                            calls.count() / seconds,
                                            calls.quantile(MEDIAN),
                                            calls.quantile(NEARLY_ALL),
                                            Math.round(later.lastEntry().getValue())));
                        });
        all.sort(
                Comparator.comparingDouble(Procedure::rate)
                        .thenComparingLong(Procedure::total)
                        .reversed());
        return all;
    }

    /** Returns the counts up to each bound, by version and name. */
    private static Map<List<String>, TreeMap<Double, Double>> histograms(MetricSamples of) {
        var all = new LinkedHashMap<List<String>, TreeMap<Double, Double>>();
        for (var each : of.all(DURATION + "_bucket")) {
            var bound = each.label("le");
            all.computeIfAbsent(
                            List.of(each.label("version"), each.label("procedure")),
                            _ -> new TreeMap<>())
                    .put(
                            bound.equals("+Inf")
                                    ? Double.POSITIVE_INFINITY
                                    : Double.parseDouble(bound),
                            each.value());
        }
        return all;
    }

    /**
     * The calls between two looks, by how long they took.
     *
     * @param later counts up to each bound
     * @param earlier likewise; null if there was none
     */
    private record Buckets(TreeMap<Double, Double> later, TreeMap<Double, Double> earlier) {
        private double upTo(double bound) {
            double before = earlier == null ? 0 : earlier.getOrDefault(bound, 0.0);
            return Math.max(0, later.get(bound) - before);
        }

        double count() {
            return upTo(later.lastKey());
        }

        /** Returns a quantile; within a bucket it takes all durations as equally frequent. */
        double quantile(double part) {
            double wanted = part * count();
            double low = 0;
            double below = 0;
            for (var bound : later.keySet()) {
                double upTo = upTo(bound);
                if (upTo >= wanted && upTo > below) {
                    return bound.isInfinite()
                            ? bound
                            : low + (bound - low) * (wanted - below) / (upTo - below);
                }
                low = bound;
                below = upTo;
            }
            return Double.NaN;
        }
    }

    private static List<Client> clients(MetricSamples before, MetricSamples now, double seconds) {
        var calls = new Flow("rpcrdma_connection_calls_total", before, now, seconds);
        var received = new Flow("rpcrdma_connection_received_bytes_total", before, now, seconds);
        var sent = new Flow("rpcrdma_connection_sent_bytes_total", before, now, seconds);
        var connections = new TreeMap<String, List<Sample>>();
        for (var each : now.all("rpcrdma_connection_credits_used")) {
            connections.computeIfAbsent(host(each), _ -> new ArrayList<>()).add(each);
        }
        var all = new ArrayList<Client>();
        connections.forEach(
                (host, of) ->
                        all.add(
                                new Client(
                                        host,
                                        of.size(),
                                        (int) of.stream().mapToDouble(Sample::value).sum(),
                                        calls.of(host),
                                        received.of(host),
                                        sent.of(host))));
        all.sort(Comparator.comparingDouble(Client::rate).reversed());
        return all;
    }

    private static String host(Sample of) {
        var peer = of.label("peer");
        int colon = peer.lastIndexOf(':');
        return colon < 0 ? peer : peer.substring(0, colon);
    }

    /** What a counter of connections has grown by, for each host. */
    private static final class Flow {
        private final Map<String, Double> byHost = new HashMap<>();

        Flow(String name, MetricSamples before, MetricSamples now, double seconds) {
            var earlier = new HashMap<String, Double>();
            before.all(name).forEach(each -> earlier.put(each.label("peer"), each.value()));
            Function<Sample, Double> grown =
                    each ->
                            Math.max(
                                    0,
                                    each.value() - earlier.getOrDefault(each.label("peer"), 0.0));
            now.all(name)
                    .forEach(
                            each ->
                                    byHost.merge(
                                            host(each), grown.apply(each) / seconds, Double::sum));
        }

        double of(String host) {
            return byHost.getOrDefault(host, 0.0);
        }
    }

    /** Returns them for programs, in their order. Times are in seconds. */
    Map<String, Object> fields() {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("seconds", rounded(seconds));
        fields.put("callsPerSecond", rounded(rate(CALLS)));
        fields.put("readBytesPerSecond", Math.round(rate(READ_BYTES)));
        fields.put("writtenBytesPerSecond", Math.round(rate(WRITTEN_BYTES)));
        fields.put("rdmaReceivedBytesPerSecond", Math.round(rate(RECEIVED_BYTES)));
        fields.put("rdmaSentBytesPerSecond", Math.round(rate(SENT_BYTES)));
        fields.put("rdmaConnections", count("rpcrdma_rdma_connections"));
        fields.put("tcpConnections", count("rpcrdma_tcp_connections"));
        fields.put("creditsUsed", count("rpcrdma_rdma_credits_used"));
        fields.put("creditsGranted", count("rpcrdma_rdma_credits_granted"));
        fields.put("clients", clients.stream().map(TopFigures::fields).toList());
        fields.put("procedures", procedures.stream().map(TopFigures::fields).toList());
        return fields;
    }

    private static Map<String, Object> fields(Client client) {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("host", client.host);
        fields.put("connections", client.connections);
        fields.put("creditsUsed", client.used);
        fields.put("callsPerSecond", rounded(client.rate));
        fields.put("receivedBytesPerSecond", Math.round(client.received));
        fields.put("sentBytesPerSecond", Math.round(client.sent));
        return fields;
    }

    private static Map<String, Object> fields(Procedure procedure) {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("version", procedure.version);
        fields.put("procedure", procedure.name);
        fields.put("callsPerSecond", rounded(procedure.rate));
        fields.put("p50Seconds", finite(procedure.median));
        fields.put("p99Seconds", finite(procedure.nearlyAll));
        fields.put("calls", procedure.total);
        return fields;
    }

    /** Returns the present sum of a gauge as a whole number. */
    long count(String name) {
        return Math.round(now.sum(name));
    }

    private static double rounded(double value) {
        final double thousand = 1000;
        return Math.round(value * thousand) / thousand;
    }

    /** JSON has no other numbers. */
    private static Double finite(double value) {
        final double nano = 1e9;
        return Double.isFinite(value) ? Math.round(value * nano) / nano : null;
    }
}
