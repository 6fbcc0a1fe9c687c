package io.github.rpcrdma4j.cli.service;

import com.sun.management.UnixOperatingSystemMXBean;
import io.github.rpcrdma4j.cli.terminal.ByteCount;
import io.github.rpcrdma4j.cli.terminal.Count;
import io.github.rpcrdma4j.nfs.server.metrics.NfsStatistics;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2Counter;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A snapshot of the resources that a server holds, and its counters since the start.
 *
 * @param time of the snapshot; formatting it opens no file, such as a time zone file
 * @param clients addresses with open connections or calls in progress
 * @param callsInProgress calls that hold a credit and have no reply yet
 * @param windows windows that clients can reach with RDMA
 * @param buffers pieces of memory in use: posted receives, and those of calls in progress
 * @param threads live threads of the process
 * @param descriptors open file descriptors of the process; -1 if the system does not report it, for
 *     example because no descriptor is left to find out
 * @param connectionsOfVersion2 opened connections whose client used version 2
 * @param rejectedBeforeRequest peers rejected before they had sent a valid connection request
 * @param connectionsRefused connections beyond the limits
 * @param peersStalled connections ended because the peer neither sent nor accepted data
 * @param callsDelayed calls that waited for a limit of their client or of the server
 * @param operations operations of NFS version 4, over any transport
 */
public record ServerReport(
        Instant time,
        long connections,
        long clients,
        long callsInProgress,
        long windows,
        long buffers,
        long threads,
        long descriptors,
        long connectionsOpened,
        long connectionsOfVersion2,
        long rejectedBeforeRequest,
        long connectionsRefused,
        long peersStalled,
        long callsDelayed,
        long calls,
        long operations,
        long bytesRead,
        long bytesWritten)
        implements ReportOptions.Report {

    public static ServerReport of(RpcRdmaServer rdma, NfsStatistics nfs) {
        return new ServerReport(
                Instant.now().truncatedTo(ChronoUnit.SECONDS),
                rdma.openConnections(),
                rdma.clients(),
                rdma.callsInProgress(),
                rdma.openWindows(),
                rdma.leasedMemory(),
                ManagementFactory.getThreadMXBean().getThreadCount(),
                descriptorsNow(),
                rdma.statistics().value(Counter.CONNECTIONS_OPENED),
                rdma.statistics().value(Version2Counter.VERSION_2_CONNECTIONS),
                rdma.turnedAway(),
                rdma.statistics().value(Counter.CONNECTIONS_REFUSED),
                rdma.statistics().value(Counter.PEERS_STALLED),
                rdma.statistics().value(Counter.CALLS_DELAYED),
                rdma.statistics().value(Counter.CALLS),
                nfs.operations(),
                nfs.bytesRead(),
                nfs.bytesWritten());
    }

    /** Returns the open descriptors of the process; -1 if the system does not report them. */
    public static long descriptorsNow() {
        try {
            return ManagementFactory.getOperatingSystemMXBean()
                            instanceof UnixOperatingSystemMXBean unix
                    ? unix.getOpenFileDescriptorCount()
                    : -1;
        } catch (InternalError _) {
            // The JDK opens a directory to count them, which needs a descriptor.
            return -1;
        }
    }

    /** Returns the components by name, in their order. */
    @Override
    public Map<String, Object> fields() {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("time", time.toString());
        fields.put("connections", connections);
        fields.put("clients", clients);
        fields.put("callsInProgress", callsInProgress);
        fields.put("windows", windows);
        fields.put("buffers", buffers);
        fields.put("threads", threads);
        fields.put("descriptors", descriptors);
        fields.put("connectionsOpened", connectionsOpened);
        fields.put("connectionsOfVersion2", connectionsOfVersion2);
        fields.put("rejectedBeforeRequest", rejectedBeforeRequest);
        fields.put("connectionsRefused", connectionsRefused);
        fields.put("peersStalled", peersStalled);
        fields.put("callsDelayed", callsDelayed);
        fields.put("calls", calls);
        fields.put("operations", operations);
        fields.put("bytesRead", bytesRead);
        fields.put("bytesWritten", bytesWritten);
        return fields;
    }

    /** Returns the report as one line for a user. */
    @Override
    public String words() {
        return "%s over RDMA: %s of %s, %s in progress, %s, %s, %s, %s; %s, %s of NFSv4, read %s, written %s; rejected before a request %d, refused %d, stalled %d, delayed %s"
                .formatted(
                        time,
                        Count.words(connections, "connection"),
                        Count.words(clients, "client"),
                        Count.words(callsInProgress, "call"),
                        Count.words(windows, "window"),
                        Count.words(buffers, "buffer"),
                        Count.words(threads, "thread"),
                        descriptors < 0
                                ? "unknown descriptors"
                                : Count.words(descriptors, "descriptor"),
                        Count.words(calls, "call"),
                        Count.words(operations, "operation"),
                        ByteCount.words(bytesRead),
                        ByteCount.words(bytesWritten),
                        rejectedBeforeRequest,
                        connectionsRefused,
                        peersStalled,
                        Count.words(callsDelayed, "call"));
    }
}
