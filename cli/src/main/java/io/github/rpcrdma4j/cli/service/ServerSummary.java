package io.github.rpcrdma4j.cli.service;

import io.github.rpcrdma4j.cli.terminal.ByteCount;
import io.github.rpcrdma4j.cli.terminal.Count;
import io.github.rpcrdma4j.nfs.server.metrics.NfsStatistics;
import io.github.rpcrdma4j.nfs.v2.Nfs2Binding;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2Counter;
import java.io.PrintWriter;
import java.util.Arrays;

/** Tells the user at the end what a server has done. */
public final class ServerSummary {
    private ServerSummary() {}

    public static void print(PrintWriter out, RpcRdmaServer rdma, NfsStatistics nfs) {
        var counters = rdma.statistics();
        out.printf(
                "Stopped. Over RDMA: %s, %d of RPC-over-RDMA version 2, and %s.%n",
                Count.words(counters.value(Counter.CONNECTIONS_OPENED), "connection"),
                counters.value(Version2Counter.VERSION_2_CONNECTIONS),
                Count.words(counters.value(Counter.CALLS), "call"));
        out.printf(
                "Read %s and written %s of files.%n",
                ByteCount.words(nfs.bytesRead()), ByteCount.words(nfs.bytesWritten()));
        for (var procedure : Procedure.values()) {
            if (nfs.calls(procedure) > 0) {
                out.printf("  %-12s %9d%n", procedure, nfs.calls(procedure));
            }
        }
        printVersion2(out, nfs);
        if (nfs.operations() > 0) {
            out.println("Of NFS version 4:");
        }
        for (var operation : Opcode.values()) {
            if (nfs.operations(operation) > 0) {
                out.printf("  %-20s %9d%n", operation, nfs.operations(operation));
            }
        }
        out.flush();
    }

    private static void printVersion2(PrintWriter out, NfsStatistics nfs) {
        var called =
                Arrays.stream(Nfs2Binding.Procedure.values())
                        .filter(procedure -> nfs.calls(procedure) > 0)
                        .toList();
        if (!called.isEmpty()) {
            out.println("Of NFS version 2:");
        }
        for (var procedure : called) {
            out.printf("  %-12s %9d%n", procedure, nfs.calls(procedure));
        }
    }
}
