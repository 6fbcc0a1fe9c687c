package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.fetched.options.FetchedCounter;
import io.github.rpcrdma4j.rpcrdma.metrics.Counted;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2Counter;
import java.io.PrintWriter;

/** Prints how the bytes of calls and replies moved: one line per kind of transfer. */
final class TransferText {
    private final PrintWriter out;
    private final RpcRdmaClient transport;

    private TransferText(PrintWriter out, RpcRdmaClient transport) {
        this.out = out;
        this.transport = transport;
    }

    static void print(PrintWriter out, RpcRdmaClient transport) {
        new TransferText(out, transport).print();
    }

    private void print() {
        line("inline calls", Counter.CALLS, Counter.INLINE_CALL_BYTES);
        line("inline replies", Counter.REPLIES, Counter.INLINE_REPLY_BYTES);
        line("Read chunks", Counter.READ_CHUNKS, Counter.READ_CHUNK_BYTES);
        line("Write chunks", Counter.WRITE_CHUNKS, Counter.WRITE_CHUNK_BYTES);
        line("Reply chunks", Counter.REPLY_CHUNKS, Counter.REPLY_CHUNK_BYTES);
        line("long calls", Counter.LONG_CALLS, Counter.LONG_CALL_BYTES);
        if (transport.version() == 2) {
            line(
                    "arguments placed by Sends",
                    Version2Counter.PLACED_ARGUMENTS,
                    Version2Counter.PLACED_ARGUMENT_BYTES);
            line(
                    "results placed by Sends",
                    Version2Counter.PLACED_RESULTS,
                    Version2Counter.PLACED_RESULT_BYTES);
            line(
                    "replies fetched",
                    FetchedCounter.EXPOSED_REPLIES,
                    FetchedCounter.EXPOSED_REPLY_BYTES);
            line("calls in several Sends", Version2Counter.CONTINUED_CALLS);
            line("replies in several Sends", Version2Counter.CONTINUED_REPLIES);
        }
    }

    private void line(String what, Counted count, Counted bytes) {
        out.printf("  %-25s %8d   %s%n", what, value(count), ByteCount.words(value(bytes)));
    }

    private void line(String what, Counted count) {
        out.printf("  %-25s %8d%n", what, value(count));
    }

    private long value(Counted counter) {
        return transport.statistics().value(counter);
    }
}
