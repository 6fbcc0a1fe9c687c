package io.github.rpcrdma4j.bench.stack;

import io.github.rpcrdma4j.oncrpc.CallOutcome;
import io.github.rpcrdma4j.oncrpc.CallPipeline;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.function.IntFunction;

/** Makes the calls of one slot on a pipeline; each starts when the one before has ended. */
final class PipelineLoop implements CallOutcome {
    /** The calls of one slot, one after another. */
    interface Calls {
        /** Returns the next call. */
        RpcCall next();

        /**
         * Takes the results of the newest call.
         *
         * @throws XdrException if they are wrong
         */
        void take(XdrReader results) throws XdrException;
    }

    private final CallPipeline pipeline;
    private final Duration timeout;
    private final Calls calls;
    private final Meter.Slot slot;
    private RpcException failure;

    private PipelineLoop(CallPipeline pipeline, Duration timeout, Calls calls, Meter.Slot slot) {
        this.pipeline = pipeline;
        this.timeout = timeout;
        this.calls = calls;
        this.slot = slot;
    }

    /**
     * Makes calls until the meter's round is over. This thread keeps those of all slots
     * outstanding.
     *
     * @param timeout the bound on each call
     * @param calls returns the calls of a slot
     * @throws RpcException if a call failed
     */
    static void run(RpcClient client, Duration timeout, Meter meter, IntFunction<Calls> calls)
            throws RpcException, InterruptedException {
        try (var pipeline = client.pipeline()) {
            var loops = new ArrayList<PipelineLoop>();
            for (int i = 0; i < meter.slots(); i++) {
                loops.add(new PipelineLoop(pipeline, timeout, calls.apply(i), meter.slot(i)));
            }
            meter.start();
            for (var loop : loops) {
                loop.slot.begin();
                loop.startCall();
            }
            while (pipeline.outstanding() > 0) {
                pipeline.poll(timeout);
            }
            meter.stop();
            for (var loop : loops) {
                loop.requireSuccess();
            }
        }
    }

    private void startCall() {
        try {
            pipeline.submit(calls.next(), timeout, this);
        } catch (RpcException reason) {
            failed(reason);
        }
    }

    @Override
    public void succeeded(XdrReader results) throws XdrException {
        calls.take(results);
        if (slot.next()) {
            startCall();
        }
    }

    @Override
    public void failed(RpcException reason) {
        failure = reason;
    }

    private void requireSuccess() throws RpcException {
        if (failure != null) {
            throw failure;
        }
    }
}
