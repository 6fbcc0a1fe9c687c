package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.rpcrdma.Counter;
import io.github.rpcrdma4j.rpcrdma.Statistics;
import java.io.PrintWriter;

/** How the octets of calls and replies moved, for a reader. */
final class Moved {
    private Moved() {}

    /** Prints a line for each way, with how often it was taken. */
    static void print(PrintWriter out, Statistics counters) {
        line(out, "inline calls", counters, Counter.CALLS, Counter.INLINE_CALL_OCTETS);
        line(out, "inline replies", counters, Counter.REPLIES, Counter.INLINE_REPLY_OCTETS);
        line(out, "Read chunks", counters, Counter.READ_CHUNKS, Counter.READ_CHUNK_OCTETS);
        line(out, "Write chunks", counters, Counter.WRITE_CHUNKS, Counter.WRITE_CHUNK_OCTETS);
        line(out, "Reply chunks", counters, Counter.REPLY_CHUNKS, Counter.REPLY_CHUNK_OCTETS);
        line(out, "long calls", counters, Counter.LONG_CALLS, Counter.LONG_CALL_OCTETS);
    }

    private static void line(
            PrintWriter out, String what, Statistics counters, Counter count, Counter octets) {
        out.printf(
                "  %-15s %8d   %s%n",
                what, counters.value(count), Octets.words(counters.value(octets)));
    }
}
