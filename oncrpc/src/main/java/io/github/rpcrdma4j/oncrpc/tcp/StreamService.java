package io.github.rpcrdma4j.oncrpc.tcp;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.spi.CallHandler;
import io.github.rpcrdma4j.oncrpc.spi.CallService;
import io.github.rpcrdma4j.oncrpc.spi.CallThreads;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import io.github.rpcrdma4j.oncrpc.spi.ServedPeer;
import java.io.IOException;
import java.util.concurrent.Semaphore;
import java.util.function.LongSupplier;

/**
 * The objects that all connections of a server share.
 *
 * @param begun has one permit less for each begun call
 */
record StreamService(
        CallService calls,
        SegmentPool pool,
        ServedMemory memory,
        CallThreads threads,
        Semaphore begun,
        Counters counters,
        TcpRpcOptions options,
        FailureLog failures,
        LongSupplier clock) {
    /**
     * Returns the handler of a new connection.
     *
     * @throws IOException if the connection cannot be served, which is logged
     */
    CallHandler handler(ServedPeer peer) throws IOException, InterruptedException {
        try {
            return calls.connected(peer);
        } catch (IOException unserved) {
            failures.refused(peer.identity().client(), peer.address(), unserved);
            throw unserved;
        }
    }
}
