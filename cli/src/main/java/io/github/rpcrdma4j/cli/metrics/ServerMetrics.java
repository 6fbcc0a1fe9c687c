package io.github.rpcrdma4j.cli.metrics;

import io.github.rpcrdma4j.cli.service.ControlRequest;
import io.github.rpcrdma4j.cli.terminal.Version;
import io.github.rpcrdma4j.nfs.names.NamedProgram;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.host.NfsHost;
import io.github.rpcrdma4j.nfs.server.metrics.Durations;
import io.github.rpcrdma4j.nfs.v2.Nfs2Binding;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.oncrpc.spi.CallStatistics;
import io.github.rpcrdma4j.oncrpc.spi.HostPort;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.metrics.Counted;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2Counter;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The counters of a server under the names of its metrics. They are counted elsewhere; this reads
 * them when it is asked, at most ten times a second. Thread-safe.
 *
 * <p>Tests: {@code MetricsTest}.
 */
public final class ServerMetrics {
    private static final long FRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final RpcRdmaServer rdma;
    private final Optional<TcpRpcServer> tcp;
    private final CallStatistics calls;
    private final NfsServer nfs;
    private final String hostName = hostName();

    /** The last text, and its time; guarded by this object. */
    private String text;

    private long textTime;

    /** Creates those of a host. */
    public ServerMetrics(NfsHost host) {
        rdma = host.rdma();
        tcp = host.tcp();
        calls = host.calls();
        nfs = host.server();
    }

    /** Returns the name that this host gives itself. */
    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException _) {
            return "localhost";
        }
    }

    /**
     * Returns all metrics in the text format of Prometheus. They are up to 100 ms old, so that many
     * requests cost the server little.
     */
    synchronized String text() {
        long now = System.nanoTime();
        if (text == null || now - textTime >= FRESH_NANOS) {
            text = read(false);
            textTime = now;
        }
        return text;
    }

    /**
     * Returns what {@link #text} does, as it is now, and what each connection over RDMA carries.
     */
    public String textOfConnections() {
        return read(true);
    }

    private String read(boolean withConnections) {
        var all = new MetricText();
        all.gauge("rpcrdma_server_info", "1, with the version and the host of this server")
                .add(1, "version", Version.NUMBER, "host", hostName)
                .end();
        addCalls(all);
        addConnections(all);
        addTransfers(all);
        addMemory(all);
        tcp.ifPresent(server -> addTcp(all, server));
        addNfs(all);
        addState(all);
        ProcessMetrics.add(all);
        if (withConnections) {
            addEachConnection(all);
        }
        return all.text();
    }

    private void addEachConnection(MetricText all) {
        var used = all.gauge("rpcrdma_connection_credits_used", "Calls in progress");
        var calls = all.counter("rpcrdma_connection_calls", "Calls");
        var received = all.counter("rpcrdma_connection_received_bytes", "Bytes of calls");
        var sent = all.counter("rpcrdma_connection_sent_bytes", "Bytes of replies");
        // A peer may be connected to two addresses of this host, from one address.
        var peers = new HashSet<String>();
        for (var each : rdma.connectionStatistics(ControlRequest.ENTRIES_MAX)) {
            var peer = HostPort.text(each.peer());
            if (peers.add(peer)) {
                used.add(each.callsInProgress(), "peer", peer);
                calls.add(each.calls(), "peer", peer);
                received.add(each.callBytes(), "peer", peer);
                sent.add(each.replyBytes(), "peer", peer);
            }
        }
        Stream.of(used, calls, received, sent).forEach(MetricText.Values::end);
    }

    private void addCalls(MetricText all) {
        var arrived =
                all.counter("rpcrdma_rpc_calls", "Calls that have arrived, over all transports");
        for (var each : calls.calls()) {
            int version = each.program().lowestVersion();
            var known = NamedProgram.of(each.program().number(), version);
            arrived.add(
                    each.count(),
                    "program",
                    known.map(NamedProgram::name)
                            .orElseGet(() -> Integer.toUnsignedString(each.program().number()))
                            .toLowerCase(Locale.ROOT),
                    "version",
                    Integer.toUnsignedString(version),
                    "procedure",
                    known.flatMap(program -> program.procedure(each.procedure()))
                            .orElseGet(() -> Integer.toString(each.procedure())));
        }
        arrived.end();
        all.counter(
                        "rpcrdma_rpc_unserved_calls",
                        "Calls of programs, versions or procedures that are not served")
                .add(calls.otherCalls())
                .end();
        var ended = all.counter("rpcrdma_rpc_ended_calls", "Calls that have ended, by outcome");
        for (var end : CallStatistics.End.values()) {
            ended.add(calls.ended(end), "outcome", end.name().toLowerCase(Locale.ROOT));
        }
        ended.end();
    }

    private long count(Counted of) {
        return rdma.statistics().value(of);
    }

    private void addConnections(MetricText all) {
        all.gauge("rpcrdma_rdma_connections", "Open connections over RDMA")
                .add(rdma.openConnections())
                .end();
        all.gauge("rpcrdma_rdma_clients", "Hosts with connections or calls in progress over RDMA")
                .add(rdma.clients())
                .end();
        all.counter("rpcrdma_rdma_connections_opened", "Connections that were set up, by version")
                .add(
                        count(Counter.CONNECTIONS_OPENED)
                                - count(Version2Counter.VERSION_2_CONNECTIONS),
                        "rpcrdma_version",
                        "1")
                .add(count(Version2Counter.VERSION_2_CONNECTIONS), "rpcrdma_version", "2")
                .end();
        all.counter("rpcrdma_rdma_connections_ended", "Connections that have ended")
                .add(count(Counter.CONNECTIONS_ENDED))
                .end();
        all.counter("rpcrdma_rdma_connections_closed", "Connections that the server has closed")
                .add(count(Counter.CONNECTIONS_IDLE), "reason", "idle")
                .add(count(Counter.PEERS_STALLED), "reason", "stalled")
                .end();
        all.counter("rpcrdma_rdma_connections_refused", "Connections that the server has refused")
                .add(count(Counter.CONNECTIONS_REFUSED), "reason", "limit")
                .add(rdma.turnedAway(), "reason", "no_valid_request")
                .end();
        all.gauge("rpcrdma_rdma_credits_granted", "Calls that clients may have in progress")
                .add(rdma.grantedCredits())
                .end();
        all.gauge("rpcrdma_rdma_credits_used", "Calls that hold a credit and have no reply yet")
                .add(rdma.callsInProgress())
                .end();
    }

    private void addTransfers(MetricText all) {
        all.counter("rpcrdma_rdma_calls", "Calls that have arrived over RDMA")
                .add(count(Counter.CALLS))
                .end();
        all.counter("rpcrdma_rdma_calls_delayed", "Calls that waited for a limit")
                .add(count(Counter.CALLS_DELAYED))
                .end();
        all.counter("rpcrdma_rdma_replies", "Replies that were sent over RDMA")
                .add(count(Counter.REPLIES))
                .end();
        all.counter("rpcrdma_rdma_received_bytes", "Bytes of calls, without headers")
                .add(count(Counter.INLINE_CALL_BYTES), "by", "send")
                .add(count(Counter.READ_CHUNK_BYTES), "by", "read_chunk")
                .add(count(Counter.LONG_CALL_BYTES), "by", "position_zero_read_chunk")
                .add(count(Version2Counter.PLACED_ARGUMENT_BYTES), "by", "placed_send")
                .end();
        all.counter("rpcrdma_rdma_sent_bytes", "Bytes of replies, without headers")
                .add(count(Counter.INLINE_REPLY_BYTES), "by", "send")
                .add(count(Counter.WRITE_CHUNK_BYTES), "by", "write_chunk")
                .add(count(Counter.REPLY_CHUNK_BYTES), "by", "reply_chunk")
                .add(count(Version2Counter.PLACED_RESULT_BYTES), "by", "placed_send")
                .end();
        all.counter("rpcrdma_rdma_chunks", "Chunks that were read or written")
                .add(count(Counter.READ_CHUNKS), "kind", "read")
                .add(count(Counter.LONG_CALLS), "kind", "position_zero_read")
                .add(count(Counter.WRITE_CHUNKS), "kind", "write")
                .add(count(Counter.REPLY_CHUNKS), "kind", "reply")
                .end();
        all.counter("rpcrdma_rdma_invalidated_handles", "Handles that clients invalidated by Send")
                .add(count(Counter.REMOTE_INVALIDATIONS))
                .end();
        all.counter("rpcrdma_rdma_errors", "Errors about messages, sent or received")
                .add(count(Counter.VERSION_ERRORS), "error", "ERR_VERS")
                .add(count(Counter.CHUNK_ERRORS), "error", "ERR_CHUNK")
                .end();
        all.counter("rpcrdma_rdma_discarded_messages", "Messages that were dropped unanswered")
                .add(count(Counter.DISCARDED))
                .end();
    }

    private void addMemory(MetricText all) {
        all.gauge("rpcrdma_rdma_windows", "Memory windows that clients can reach")
                .add(rdma.openWindows())
                .end();
        all.gauge("rpcrdma_rdma_memory_slabs", "Slabs of memory; adapters have each registered")
                .add(rdma.memorySlabs())
                .end();
        all.gauge("rpcrdma_rdma_memory_leases", "Pieces of memory in use, with posted receives")
                .add(rdma.leasedMemory())
                .end();
    }

    private static void addTcp(MetricText all, TcpRpcServer server) {
        var counts = server.statistics();
        all.gauge("rpcrdma_tcp_connections", "Open connections over TCP")
                .add(server.openConnections())
                .end();
        all.gauge("rpcrdma_tcp_clients", "Hosts with connections, calls or memory over TCP")
                .add(server.clients())
                .end();
        all.counter("rpcrdma_tcp_connections_opened", "Connections that were served")
                .add(counts.connectionsOpened())
                .end();
        all.counter("rpcrdma_tcp_connections_closed", "Connections that the server has closed")
                .add(counts.connectionsEvicted(), "reason", "room")
                .add(counts.connectionsBroken(), "reason", "broken")
                .end();
        all.counter("rpcrdma_tcp_connections_refused", "Connections beyond the limit of a client")
                .add(counts.connectionsRefused())
                .end();
        all.counter("rpcrdma_tcp_calls", "Calls that have arrived over TCP")
                .add(counts.calls())
                .end();
        all.counter("rpcrdma_tcp_replies", "Replies that were sent over TCP")
                .add(counts.replies())
                .end();
        all.counter("rpcrdma_tcp_discarded_records", "Records that were no calls")
                .add(counts.discarded())
                .end();
    }

    private void addNfs(MetricText all) {
        var counts = nfs.statistics();
        all.counter("rpcrdma_nfs_read_bytes", "Bytes of files that clients have read")
                .add(counts.bytesRead())
                .end();
        all.counter("rpcrdma_nfs_written_bytes", "Bytes of files that clients have written")
                .add(counts.bytesWritten())
                .end();
        var took =
                all.histogram(
                        "rpcrdma_nfs_duration_seconds",
                        "How long procedures took, and operations of version 4",
                        Durations.bounds());
        for (var each : Nfs2Binding.Procedure.values()) {
            add(took, "2", each, counts.durations(each));
        }
        for (var each : Procedure.values()) {
            add(took, "3", each, counts.durations(each));
        }
        for (var each : Opcode.values()) {
            add(took, "4", each, counts.durations(each));
        }
        took.end();
    }

    private static void add(
            MetricText.Histogram to, String version, Enum<?> procedure, Durations took) {
        if (took.count() > 0) {
            to.add(took.counts(), took.sum(), "version", version, "procedure", procedure.name());
        }
    }

    private void addState(MetricText all) {
        var held = nfs.administration().counts();
        all.gauge("rpcrdma_nfs_grace", "1 while clients of an earlier start may reclaim")
                .add(held.isGrace() ? 1 : 0)
                .end();
        all.gauge("rpcrdma_nfs_clients", "Clients of version 4, and hosts with locks of version 3")
                .add(held.clients())
                .end();
        all.gauge("rpcrdma_nfs_sessions", "Sessions of version 4").add(held.sessions()).end();
        all.gauge("rpcrdma_nfs_opens", "Opens of version 4").add(held.opens()).end();
        all.gauge("rpcrdma_nfs_locked_ranges", "Locked byte ranges").add(held.ranges()).end();
        all.gauge("rpcrdma_nfs_delegations", "Delegations").add(held.delegations()).end();
        all.gauge("rpcrdma_nfs_copies", "Copies that go on after their reply")
                .add(held.copies())
                .end();
        addExports(all);
    }

    private void addExports(MetricText all) {
        var figures = nfs.figures();
        var exports = all.gauge("rpcrdma_nfs_export", "1 for each export");
        figures.forEach(each -> exports.add(1, "export", each.export()));
        exports.end();
        var read = all.counter("rpcrdma_nfs_export_read_bytes", "Bytes that clients have read");
        figures.forEach(each -> read.add(each.read(), "export", each.export()));
        read.end();
        var written =
                all.counter("rpcrdma_nfs_export_written_bytes", "Bytes that clients have written");
        figures.forEach(each -> written.add(each.written(), "export", each.export()));
        written.end();
        var size = all.gauge("rpcrdma_nfs_export_size_bytes", "Size of its file system");
        var available =
                all.gauge("rpcrdma_nfs_export_available_bytes", "What users may still take of it");
        for (var each : figures) {
            each.space().ifPresent(of -> size.add(of.total(), "export", each.export()));
            each.space().ifPresent(of -> available.add(of.available(), "export", each.export()));
        }
        size.end();
        available.end();
    }
}
