package io.github.rpcrdma4j.cli.gateway;

import io.github.rpcrdma4j.cli.service.ReportOptions;
import io.github.rpcrdma4j.cli.service.ServerReport;
import io.github.rpcrdma4j.cli.terminal.ByteCount;
import io.github.rpcrdma4j.cli.terminal.Count;
import io.github.rpcrdma4j.gateway.GatewayStatistics;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A snapshot of the resources that a gateway holds, and its counters since the start.
 *
 * @param time of the snapshot
 * @param front the side to which clients connect
 * @param gateway the calls that are passed on
 * @param threads live threads of the process
 * @param descriptors open file descriptors of the process; -1 if the system does not report it
 */
record GatewayReport(
        Instant time, Front front, GatewayStatistics gateway, long threads, long descriptors)
        implements ReportOptions.Report {
    /**
     * The connections of clients.
     *
     * @param connections open connections
     * @param clients addresses with open connections or calls in progress
     * @param buffers pieces of memory in use: posted receives, and those of calls in progress
     * @param opened all connections since the start
     * @param refused connections beyond the limits
     * @param broken connections ended because the peer sent invalid data or stalled
     * @param calls calls since the start
     */
    record Front(
            long connections,
            long clients,
            long buffers,
            long opened,
            long refused,
            long broken,
            long calls) {}

    static GatewayReport of(Front front, GatewayStatistics gateway) {
        return new GatewayReport(
                Instant.now().truncatedTo(ChronoUnit.SECONDS),
                front,
                gateway,
                ManagementFactory.getThreadMXBean().getThreadCount(),
                ServerReport.descriptorsNow());
    }

    /** Returns the components by name, in their order. */
    @Override
    public Map<String, Object> fields() {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("time", time.toString());
        fields.put("connections", front.connections());
        fields.put("clients", front.clients());
        fields.put("callsInProgress", (long) gateway.callsPassing());
        fields.put("callsWaiting", (long) gateway.callsWaiting());
        fields.put("replyBytes", gateway.replyBytes());
        fields.put("buffers", front.buffers());
        fields.put("threads", threads);
        fields.put("descriptors", descriptors);
        fields.put("connectionsOpened", front.opened());
        fields.put("connectionsRefused", front.refused());
        fields.put("connectionsBroken", front.broken());
        fields.put("connectionsToServer", gateway.connections());
        fields.put("connectionsFailed", gateway.connectionsFailed());
        fields.put("calls", front.calls());
        fields.put("callsRepeated", gateway.callsRepeated());
        return fields;
    }

    /** Returns the report as one line for a user. */
    @Override
    public String words() {
        return "%s %s of %s, %s in progress, %s waiting, room for %s of replies, %s, %s, %s; %s, %s to the server, %s, %s repeated; refused %d, broken %d, server not reached %d"
                .formatted(
                        time,
                        Count.words(front.connections(), "connection"),
                        Count.words(front.clients(), "client"),
                        Count.words(gateway.callsPassing(), "call"),
                        gateway.callsWaiting(),
                        ByteCount.words(gateway.replyBytes()),
                        Count.words(front.buffers(), "buffer"),
                        Count.words(threads, "thread"),
                        descriptors < 0
                                ? "unknown descriptors"
                                : Count.words(descriptors, "descriptor"),
                        Count.words(front.opened(), "connection") + " in all",
                        gateway.connections(),
                        Count.words(front.calls(), "call"),
                        gateway.callsRepeated(),
                        front.refused(),
                        front.broken(),
                        gateway.connectionsFailed());
    }
}
