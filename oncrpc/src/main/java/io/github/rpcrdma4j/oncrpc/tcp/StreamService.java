package io.github.rpcrdma4j.oncrpc.tcp;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.spi.CallService;
import io.github.rpcrdma4j.oncrpc.spi.CallThreads;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import java.util.function.LongSupplier;

/** The objects that all connections of a server share. */
record StreamService(
        CallService calls,
        SegmentPool pool,
        ServedMemory memory,
        CallThreads threads,
        Counters counters,
        TcpRpcOptions options,
        FailureLog failures,
        LongSupplier clock) {}
