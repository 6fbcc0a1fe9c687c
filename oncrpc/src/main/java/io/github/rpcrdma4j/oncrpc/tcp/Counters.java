package io.github.rpcrdma4j.oncrpc.tcp;

import java.util.concurrent.atomic.LongAdder;

/** The counters of all connections of a server. Thread-safe. */
final class Counters {
    final LongAdder connectionsOpened = new LongAdder();
    final LongAdder connectionsRefused = new LongAdder();
    final LongAdder connectionsEvicted = new LongAdder();
    final LongAdder connectionsBroken = new LongAdder();
    final LongAdder calls = new LongAdder();
    final LongAdder replies = new LongAdder();
    final LongAdder discarded = new LongAdder();

    TcpRpcStatistics values() {
        return new TcpRpcStatistics(
                connectionsOpened.sum(),
                connectionsRefused.sum(),
                connectionsEvicted.sum(),
                connectionsBroken.sum(),
                calls.sum(),
                replies.sum(),
                discarded.sum());
    }
}
