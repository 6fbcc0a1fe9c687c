package io.github.rpcrdma4j.bench.latency;

import io.github.rpcrdma4j.dissect.Json;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Writes findings as a JSON array, with one row per line. For each transfer, model and delay it has
 * a row {@code sim} with the costs of a call, and a row {@code iwarp} with its time over loopback.
 */
final class LatencyJson {
    private static final int DECIMALS = 3;
    private static final double NANOS_PER_MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final double NANOS_PER_MICRO = TimeUnit.MICROSECONDS.toNanos(1);

    private LatencyJson() {}

    static String of(List<Finding> findings) {
        var rows = new ArrayList<String>();
        for (var finding : findings) {
            finding.costs().forEach((delay, costs) -> rows.add(simulated(finding, delay, costs)));
            finding.micros()
                    .forEach(
                            (delay, micros) -> {
                                var row = row("iwarp", finding, delay);
                                row.put("us", rounded(micros.median()));
                                row.put("min", rounded(micros.min()));
                                row.put("max", rounded(micros.max()));
                                rows.add(Json.of(row));
                            });
        }
        return "[\n  " + String.join(",\n  ", rows) + "\n]\n";
    }

    private static String simulated(Finding finding, long delay, CallCosts costs) {
        var row = row("sim", finding, delay);
        row.put("us", rounded(costs.roundTrips() * 2 * delay / NANOS_PER_MICRO));
        row.put("round_trips", rounded(costs.roundTrips()));
        row.put("sends", rounded(costs.sends()));
        row.put("rdma_writes", rounded(costs.writes()));
        row.put("rdma_reads", rounded(costs.reads()));
        row.put("client_regions", rounded(costs.clientRegistrations()));
        row.put("server_regions", rounded(costs.serverRegistrations()));
        return Json.of(row);
    }

    private static Map<String, Object> row(String provider, Finding finding, long delay) {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("provider", provider);
        fields.put("work", finding.transfer().label());
        fields.put("way", finding.model().label());
        fields.put("delay_ms", rounded(delay / NANOS_PER_MILLI));
        return fields;
    }

    private static BigDecimal rounded(double value) {
        return BigDecimal.valueOf(value).setScale(DECIMALS, RoundingMode.HALF_UP);
    }
}
