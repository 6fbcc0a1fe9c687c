package io.github.rpcrdma4j.bench;

import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Calls of one kind, so many at a time, each waiting in a thread of its own. */
final class RdmaLoop {
    private static final Duration DEADLINE = Duration.ofSeconds(20);

    private final RpcRdmaClient client;
    private final RpcCall[] calls;

    RdmaLoop(RpcRdmaClient client, int operation, int length, int outstanding) {
        this.client = client;
        this.calls = new RpcCall[outstanding];
        for (int i = 0; i < outstanding; i++) {
            var memory = Arena.ofAuto().allocate(Math.max(length, 1)).asSlice(0, length);
            calls[i] =
                    switch (operation) {
                        case PlainTcp.READ -> BenchProgram.read(length, memory);
                        case PlainTcp.WRITE -> BenchProgram.write(memory);
                        default -> BenchProgram.nothing();
                    };
        }
    }

    /** Calls a second. */
    double rate(long nanos) throws Exception {
        long start = System.nanoTime();
        long done = 0;
        if (calls.length == 1) {
            done = loop(calls[0], start, nanos);
        } else {
            try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
                var counts = new ArrayList<Future<Long>>();
                for (var call : calls) {
                    Callable<Long> share = () -> loop(call, start, nanos);
                    counts.add(threads.submit(share));
                }
                for (var count : counts) {
                    done += count.get();
                }
            }
        }
        return done * 1e9 / (System.nanoTime() - start);
    }

    private long loop(RpcCall call, long start, long nanos) throws Exception {
        long done = 0;
        while (System.nanoTime() - start < nanos) {
            client.call(call, DEADLINE).close();
            done++;
        }
        return done;
    }
}
