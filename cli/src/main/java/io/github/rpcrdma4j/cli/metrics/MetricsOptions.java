package io.github.rpcrdma4j.cli.metrics;

import io.github.rpcrdma4j.cli.service.Listening;
import io.github.rpcrdma4j.cli.terminal.AddressText;
import io.github.rpcrdma4j.oncrpc.spi.HostPort;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import picocli.CommandLine.Option;

/** The option that serves metrics over HTTP. */
public final class MetricsOptions {
    @Option(
            names = "--metrics",
            paramLabel = "[HOST]:PORT",
            description =
                    "Serve metrics for Prometheus and a status page over HTTP here; without HOST, on"
                            + " loopback only. Any host that can connect may read them: rates, the version,"
                            + " and the names of the host and of exports.")
    private String metrics;

    public boolean isGiven() {
        return metrics != null;
    }

    /**
     * Returns the address: without a host that of loopback, because there is no other protection.
     *
     * @throws IllegalArgumentException if it is malformed; the message tells a user why
     */
    public InetSocketAddress address() {
        var address = AddressText.parse(metrics);
        return metrics.startsWith(":")
                ? new InetSocketAddress(InetAddress.getLoopbackAddress(), address.getPort())
                : address;
    }

    /**
     * Serves the metrics, if that is wanted.
     *
     * @return null if it is not
     * @throws IOException if the address cannot be used; the message is one line
     */
    public MetricsEndpoint listen(PrintWriter out, ServerMetrics of) throws IOException {
        if (!isGiven()) {
            return null;
        }
        var endpoint = Listening.at("--metrics", () -> MetricsEndpoint.listen(address(), of::text));
        out.printf(
                "Metrics: http://%s/metrics, and a page: http://%1$s/%n",
                HostPort.text(endpoint.address()));
        return endpoint;
    }
}
