package io.github.rpcrdma4j.interop.linux;

import io.github.rpcrdma4j.capture.PacketReader;
import io.github.rpcrdma4j.dissect.ConnectionReport;
import io.github.rpcrdma4j.dissect.Dissector;
import io.github.rpcrdma4j.dissect.Finding;
import io.github.rpcrdma4j.dissect.Totals;
import io.github.rpcrdma4j.dissect.Version1Document;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.ToLongFunction;

/** Checks what our gateways recorded of their RDMA side. */
final class GatewayTrace {
    private static final int SHOWN = 5;

    private GatewayTrace() {}

    /** Dissects the traces, and removes those without findings. */
    static void check(List<OurGateway> gateways, CellRun.Findings findings) throws IOException {
        for (var gateway : gateways) {
            var connections = read(gateway.trace());
            long faults = sum(connections, Totals::findings);
            findings.note(
                    "%d connections, %d calls, %d Read chunks, %d Write chunks, %d Reply chunks"
                            .formatted(
                                    connections.size(),
                                    sum(connections, Totals::calls),
                                    sum(connections, Totals::readChunks),
                                    sum(connections, Totals::writeChunks),
                                    sum(connections, Totals::replyChunks)));
            findings.expect(sum(connections, Totals::replies) > 0, "no reply was traced");
            findings.expect(sum(connections, Totals::errors) == 0, "a call got an RDMA error");
            findings.expect(faults == 0, "dissect found %d faults".formatted(faults));
            connections.stream()
                    .flatMap(each -> each.frames().stream())
                    .flatMap(frame -> frame.findings().stream())
                    .map(Finding::what)
                    .distinct()
                    .limit(SHOWN)
                    .forEach(findings::fail);
            if (faults == 0) {
                Files.delete(gateway.trace());
            }
        }
    }

    private static List<ConnectionReport> read(Path trace) throws IOException {
        try (var in = Files.newInputStream(trace)) {
            return Dissector.dissect(PacketReader.of(in), false, Version1Document.RFC_8166)
                    .connections();
        }
    }

    private static long sum(List<ConnectionReport> connections, ToLongFunction<Totals> figure) {
        return connections.stream().map(ConnectionReport::totals).mapToLong(figure).sum();
    }
}
