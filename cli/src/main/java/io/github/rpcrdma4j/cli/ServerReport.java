package io.github.rpcrdma4j.cli;

import com.sun.management.UnixOperatingSystemMXBean;
import io.github.rpcrdma4j.nfs.server.NfsStatistics;
import io.github.rpcrdma4j.rpcrdma.Counter;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a server holds at one moment, and what it has done so far.
 *
 * @param callsInProgress calls that have taken a credit and have no reply yet
 * @param regions registered memory regions
 * @param leases leases of memory: posted receives, and what calls in progress use
 * @param threads live threads of the process
 * @param descriptors open file descriptors of the process; -1 where the system does not tell
 */
record ServerReport(
        long connections,
        long callsInProgress,
        long regions,
        long leases,
        long threads,
        long descriptors,
        long connectionsOpened,
        long calls,
        long octetsRead,
        long octetsWritten) {

    static ServerReport of(RpcRdmaServer rdma, NfsStatistics nfs) {
        return new ServerReport(
                rdma.openConnections(),
                rdma.callsInProgress(),
                rdma.registeredRegions(),
                rdma.leasedMemory(),
                ManagementFactory.getThreadMXBean().getThreadCount(),
                descriptorsNow(),
                rdma.statistics().value(Counter.CONNECTIONS_OPENED),
                rdma.statistics().value(Counter.CALLS),
                nfs.octetsRead(),
                nfs.octetsWritten());
    }

    private static long descriptorsNow() {
        return ManagementFactory.getOperatingSystemMXBean()
                        instanceof UnixOperatingSystemMXBean unix
                ? unix.getOpenFileDescriptorCount()
                : -1;
    }

    /** The components by name, in their order. */
    Map<String, Object> fields() {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("connections", connections);
        fields.put("callsInProgress", callsInProgress);
        fields.put("regions", regions);
        fields.put("leases", leases);
        fields.put("threads", threads);
        fields.put("descriptors", descriptors);
        fields.put("connectionsOpened", connectionsOpened);
        fields.put("calls", calls);
        fields.put("octetsRead", octetsRead);
        fields.put("octetsWritten", octetsWritten);
        return fields;
    }

    /** One line for a reader. */
    String words() {
        return ("%d connections, %d calls in progress, %d regions, %d leases, %d threads,"
                        + " %d descriptors; %d calls, read %s, written %s")
                .formatted(
                        connections,
                        callsInProgress,
                        regions,
                        leases,
                        threads,
                        descriptors,
                        calls,
                        Octets.words(octetsRead),
                        Octets.words(octetsWritten));
    }
}
