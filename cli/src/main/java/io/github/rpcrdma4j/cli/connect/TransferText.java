package io.github.rpcrdma4j.cli.connect;

import io.github.rpcrdma4j.cli.terminal.ByteCount;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.metrics.Counted;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.rfc5666.Rfc5666;
import io.github.rpcrdma4j.rpcrdma.rfc5666.options.FetchedCounter;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2Counter;
import java.io.PrintWriter;
import java.util.List;

/**
 * Prints how the bytes of calls and replies moved, over all connections: one line per kind of
 * transfer. The server reads and writes the client's memory.
 */
public final class TransferText {
    private final PrintWriter out;
    private final List<RpcRdmaClient> connections;

    private TransferText(PrintWriter out, List<RpcRdmaClient> connections) {
        this.out = out;
        this.connections = connections;
    }

    /**
     * Prints all lines.
     *
     * @param connections of one version
     * @param rfc5666 whether the client speaks version 1 by RFC 5666
     */
    public static void print(PrintWriter out, List<RpcRdmaClient> connections, boolean rfc5666) {
        var text = new TransferText(out, connections);
        text.print();
        if (rfc5666) {
            text.line("calls with aligned data: RDMA_MSGP", Rfc5666.PADDED_MESSAGES);
            text.fetched();
            text.line("replies reported as fetched: RDMA_DONE", FetchedCounter.DONE_NOTICES);
        }
    }

    private void fetched() {
        line(
                "replies fetched: the client reads them",
                FetchedCounter.EXPOSED_REPLIES,
                FetchedCounter.EXPOSED_REPLY_BYTES);
    }

    private void print() {
        line("calls, bytes in Sends", Counter.CALLS, Counter.INLINE_CALL_BYTES);
        line("replies, bytes in Sends", Counter.REPLIES, Counter.INLINE_REPLY_BYTES);
        line(
                "Read chunks: data that the server reads",
                Counter.READ_CHUNKS,
                Counter.READ_CHUNK_BYTES);
        line(
                "Write chunks: data that the server writes",
                Counter.WRITE_CHUNKS,
                Counter.WRITE_CHUNK_BYTES);
        line(
                "Reply chunks: whole replies that the server writes",
                Counter.REPLY_CHUNKS,
                Counter.REPLY_CHUNK_BYTES);
        line(
                "long calls: whole calls that the server reads",
                Counter.LONG_CALLS,
                Counter.LONG_CALL_BYTES);
        line("windows that the server's Sends closed", Counter.REMOTE_INVALIDATIONS);
        if (connections.getLast().version() == 2) {
            line(
                    "arguments placed by Sends",
                    Version2Counter.PLACED_ARGUMENTS,
                    Version2Counter.PLACED_ARGUMENT_BYTES);
            line(
                    "results placed by Sends",
                    Version2Counter.PLACED_RESULTS,
                    Version2Counter.PLACED_RESULT_BYTES);
            fetched();
            line("calls in several Sends", Version2Counter.CONTINUED_CALLS);
            line("replies in several Sends", Version2Counter.CONTINUED_REPLIES);
        }
    }

    private void line(String what, Counted count, Counted bytes) {
        out.printf("  %-50s %8d   %s%n", what, value(count), ByteCount.words(value(bytes)));
    }

    private void line(String what, Counted count) {
        out.printf("  %-50s %8d%n", what, value(count));
    }

    private long value(Counted counter) {
        return connections.stream().mapToLong(each -> each.statistics().value(counter)).sum();
    }
}
