package io.github.rpcrdma4j.examples;

import io.github.rpcrdma4j.oncrpc.CallOutcome;
import io.github.rpcrdma4j.oncrpc.CallPipeline;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/** A client whose one thread makes 1000 calls and keeps 16 of them outstanding. */
public final class PipelinedCalls {
    private static final Duration DEADLINE = Duration.ofSeconds(5);
    private static final int IN_FLIGHT = 16;
    private static final int CALLS = 1000;

    private final CallPipeline pipeline;
    private int started;
    private int succeeded;
    private RpcException failure;

    private PipelinedCalls(CallPipeline pipeline) {
        this.pipeline = pipeline;
    }

    /** One of the 16 outstanding calls; the next call of the slot reuses its memory. */
    private final class Slot implements CallOutcome {
        private final MemorySegment target;

        Slot(MemorySegment target) {
            this.target = target;
        }

        void submit() throws RpcException {
            if (started < CALLS && failure == null) {
                started++;
                var call =
                        new RpcCall(
                                BulkProgram.PROGRAM,
                                BulkProgram.VERSION,
                                BulkProgram.FETCH,
                                _ -> {},
                                4,
                                List.of(target));
                pipeline.submit(call, DEADLINE, this);
            }
        }

        @Override
        public void succeeded(XdrReader results) throws XdrException {
            results.bulk(BulkProgram.MAX);
            results.finish();
            succeeded++;
            try {
                submit();
            } catch (RpcException refused) {
                failed(refused);
            }
        }

        @Override
        public void failed(RpcException reason) {
            failure = reason;
        }
    }

    /** Makes the calls, and prints how many succeeded. */
    public static void main(String[] args) throws Exception {
        try (var server =
                        RpcRdmaServer.builder()
                                .address(new InetSocketAddress("localhost", 0))
                                .program(new BulkProgram())
                                .start();
                var client =
                        RpcRdmaClient.builder()
                                .binding(BulkProgram.BINDING)
                                .connect(server.address());
                var arena = Arena.ofShared();
                var pipeline = client.pipeline()) {
            var calls = new PipelinedCalls(pipeline);
            for (int i = 0; i < IN_FLIGHT; i++) {
                calls.new Slot(arena.allocate(BulkProgram.MAX)).submit();
            }
            while (pipeline.outstanding() > 0) {
                pipeline.poll(DEADLINE);
            }
            if (calls.failure != null) {
                throw calls.failure;
            }
            System.out.println(calls.succeeded + " calls succeeded");
        }
    }
}
