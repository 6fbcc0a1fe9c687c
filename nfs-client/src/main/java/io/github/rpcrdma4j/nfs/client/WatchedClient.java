package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.client.service.Waits;
import io.github.rpcrdma4j.oncrpc.CallOutcome;
import io.github.rpcrdma4j.oncrpc.CallPipeline;
import io.github.rpcrdma4j.oncrpc.ResultDecoder;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Makes calls as another client does, and lets it be known while they have no answer.
 *
 * <p>Tests: {@code WatchedConnectorTest}, {@code WaitingCommandsTest}.
 *
 * @param client owned by this one, which closes it
 */
record WatchedClient(RpcClient client, Waits waits) implements RpcClient {
    @Override
    public RpcReply call(RpcCall call, Duration timeout) throws RpcException, InterruptedException {
        try (var _ = waits.begin(Waits.Reason.SILENT)) {
            return client.call(call, timeout);
        }
    }

    @Override
    public void ping(int program, int version, Duration timeout)
            throws RpcException, InterruptedException {
        try (var _ = waits.begin(Waits.Reason.SILENT)) {
            client.ping(program, version, timeout);
        }
    }

    @Override
    public boolean takesOneCallAtFirst() {
        return client.takesOneCallAtFirst();
    }

    @Override
    public long callBackBytesMax() {
        return client.callBackBytesMax();
    }

    @Override
    public int callsLeft() {
        return client.callsLeft();
    }

    @Override
    public <T> CompletableFuture<T> callAsync(
            RpcCall call, Duration timeout, ResultDecoder<T> decoder) {
        var wait = waits.begin(Waits.Reason.SILENT);
        var result = client.callAsync(call, timeout, decoder);
        result.whenComplete((_, _) -> wait.close());
        return result;
    }

    @Override
    public CallPipeline pipeline() {
        return new WatchedPipeline(client.pipeline(), waits, new HashSet<>());
    }

    @Override
    public void close() {
        client.close();
    }

    /**
     * A pipeline likewise.
     *
     * @param unanswered the waits of its calls
     */
    private record WatchedPipeline(CallPipeline pipeline, Waits waits, Set<Waits.Begun> unanswered)
            implements CallPipeline {
        @Override
        public void submit(RpcCall call, Duration timeout, CallOutcome outcome)
                throws RpcException {
            var watched = new WatchedOutcome(this, waits.begin(Waits.Reason.SILENT), outcome);
            unanswered.add(watched.begun);
            boolean isSubmitted = false;
            try {
                pipeline.submit(call, timeout, watched);
                isSubmitted = true;
            } finally {
                if (!isSubmitted) {
                    end(watched.begun);
                }
            }
        }

        private void end(Waits.Begun wait) {
            wait.close();
            unanswered.remove(wait);
        }

        @Override
        public boolean poll(Duration timeout) throws InterruptedException {
            return pipeline.poll(timeout);
        }

        @Override
        public int outstanding() {
            return pipeline.outstanding();
        }

        @Override
        public void close() {
            List.copyOf(unanswered).forEach(this::end);
            pipeline.close();
        }
    }

    private record WatchedOutcome(WatchedPipeline pipeline, Waits.Begun begun, CallOutcome outcome)
            implements CallOutcome {
        @Override
        public void succeeded(XdrReader results) throws XdrException {
            pipeline.end(begun);
            outcome.succeeded(results);
        }

        @Override
        public void failed(RpcException reason) {
            pipeline.end(begun);
            outcome.failed(reason);
        }
    }
}
