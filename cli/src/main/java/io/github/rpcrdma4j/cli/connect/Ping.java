package io.github.rpcrdma4j.cli.connect;

import io.github.rpcrdma4j.cli.terminal.Count;
import io.github.rpcrdma4j.dissect.Json;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Measures the round trip of NULL calls. */
@Command(
        name = "ping",
        description = "Measure the round trip of NULL calls to a server.",
        footer = {"", "Example: rpcrdma ping -n 1000 rdma://server/"})
public final class Ping implements Callable<Integer> {
    private static final int WARM_UP = 200;
    private static final double MICRO = 1e3;

    @Parameters(
            paramLabel = "URL",
            description = "rdma://host[:port]/ or nfs://host[:port]/; or host[:port], over RDMA.")
    private String url;

    @Option(
            names = {"-n", "-c", "--count"},
            defaultValue = "1000",
            description = "How many calls (${DEFAULT-VALUE}).")
    private int count;

    @Option(names = "--json", description = "Print a JSON object.")
    private boolean json;

    @Mixin private final Remote remote = new Remote();
    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        if (count < 1) {
            throw new IllegalArgumentException("--count must be positive");
        }
        boolean isHost = !url.contains("/");
        var parsed = NfsUrl.parse(isHost ? "rdma://" + url + "/" : url);
        long[] nanos = new long[count];
        try (remote;
                var service = remote.service(parsed)) {
            for (int i = 0; i < WARM_UP; i++) {
                service.ping();
            }
            for (int i = 0; i < count; i++) {
                long start = System.nanoTime();
                service.ping();
                nanos[i] = System.nanoTime() - start;
            }
        }
        Arrays.sort(nanos);
        var fields = new LinkedHashMap<String, Object>();
        fields.put("calls", count);
        var transport = remote.transport();
        transport.ifPresent(rdma -> fields.put("rpcrdmaVersion", rdma.version()));
        fields.put("minMicros", nanos[0] / MICRO);
        fields.put("medianMicros", nanos[count / 2] / MICRO);
        fields.put("p99Micros", nanos[(int) (count * 0.99)] / MICRO);
        var out = spec.commandLine().getOut();
        if (json) {
            out.println(Json.of(fields));
        } else {
            out.printf(
                    Locale.ROOT,
                    "%s over %s to %s:%d: min %.1f us, median %.1f us, p99 %.1f us%n",
                    Count.words(count, "NULL call"),
                    transport
                            .map(rdma -> "version " + rdma.version() + " of RPC-over-RDMA")
                            .orElse("TCP"),
                    parsed.host(),
                    parsed.port(),
                    fields.get("minMicros"),
                    fields.get("medianMicros"),
                    fields.get("p99Micros"));
        }
        return CommandLine.ExitCode.OK;
    }
}
