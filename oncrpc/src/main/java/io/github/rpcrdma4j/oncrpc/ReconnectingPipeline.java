package io.github.rpcrdma4j.oncrpc;

import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.time.Duration;
import java.util.ArrayDeque;

/**
 * A pipeline that survives the loss of its connection. It then submits the calls without a reply
 * again on a new connection, with their XIDs. The polling thread also reconnects, within {@link
 * #poll}.
 */
final class ReconnectingPipeline implements CallPipeline {
    /** The longest wait of one poll for the failures of the calls on a closed connection. */
    private static final Duration TURN = Duration.ofSeconds(1);

    private final ReconnectingRpcClient owner;

    /** The calls to submit on the next connection. */
    private final ArrayDeque<Attempt> toRetry = new ArrayDeque<>();

    /** The calls to submit on the current connection, which is a new one. */
    private final ArrayDeque<Attempt> unsubmitted = new ArrayDeque<>();

    private RpcClient client;
    private CallPipeline pipeline;
    private int undelivered;
    private long delivered;
    private boolean progressing;
    private boolean closed;

    /** One call: receives its outcome from each connection, and delivers the final outcome once. */
    private final class Attempt extends ReconnectingCall implements CallOutcome {
        private final CallOutcome outcome;
        private boolean ended;

        Attempt(RpcCall call, Duration timeout, CallOutcome outcome) {
            super(call, timeout, owner.retryNanos());
            this.outcome = outcome;
        }

        @Override
        public void succeeded(XdrReader results) throws XdrException {
            owner.recordReply();
            end();
            outcome.succeeded(results);
        }

        @Override
        public void failed(RpcException why) {
            if (shouldRetry(why, owner.nanoTime())) {
                toRetry.addLast(this);
            } else {
                endWith(why);
            }
        }

        void endWith(RpcException why) {
            end();
            outcome.failed(why);
        }

        /**
         * Counts the call as delivered. Called twice for a call whose results cannot be decoded.
         */
        private void end() {
            if (!ended) {
                ended = true;
                undelivered--;
                delivered++;
                owner.addInProgress(-1);
            }
        }
    }

    ReconnectingPipeline(ReconnectingRpcClient owner) {
        this.owner = owner;
        client = owner.client();
        pipeline = client.pipeline();
    }

    @Override
    public void submit(RpcCall call, Duration timeout, CallOutcome outcome) throws RpcException {
        if (closed) {
            throw new IllegalStateException("the pipeline is closed");
        }
        var attempt = new Attempt(owner.numbered(call), timeout, outcome);
        if (client == owner.client()) {
            pipeline.submit(attempt.call, timeout, attempt);
        } else {
            toRetry.addLast(attempt);
        }
        undelivered++;
        owner.addInProgress(1);
    }

    @Override
    public boolean poll(Duration timeout) throws InterruptedException {
        if (progressing) {
            throw new IllegalStateException("an outcome of this pipeline is being delivered");
        }
        progressing = true;
        try {
            long before = delivered;
            long deadline = owner.nanoTime() + Timeouts.nanos(timeout);
            long left = deadline - owner.nanoTime();
            do {
                if (!unsubmitted.isEmpty()) {
                    resubmit();
                } else if (toRetry.isEmpty()) {
                    pollConnection(Duration.ofNanos(Math.max(0, left)));
                } else {
                    reconnectAndResubmit(left);
                }
                left = deadline - owner.nanoTime();
            } while (delivered == before && undelivered > 0 && left > 0);
            return delivered != before;
        } finally {
            progressing = false;
        }
    }

    private void pollConnection(Duration timeout) throws InterruptedException {
        try {
            pipeline.poll(timeout);
        } catch (RuntimeException | Error thrown) {
            // If a call cannot be sent, some pipelines throw here and deliver no outcome.
            int left = pipeline.outstanding() + toRetry.size() + unsubmitted.size();
            owner.addInProgress(left - undelivered);
            undelivered = left;
            throw thrown;
        }
    }

    private void reconnectAndResubmit(long patience) throws InterruptedException {
        var first = toRetry.getFirst();
        try {
            if (!owner.reconnect(client, first, patience)) {
                return;
            }
        } catch (RpcException unreachable) {
            toRetry.removeFirst();
            first.endWith(unreachable);
            return;
        }
        // The old connection is closed, so its other calls fail now, too.
        while (undelivered > toRetry.size()) {
            pollConnection(TURN);
        }
        if (closed) {
            // An outcome has closed this pipeline.
            return;
        }
        pipeline.close();
        client = owner.client();
        pipeline = client.pipeline();
        unsubmitted.addAll(toRetry);
        toRetry.clear();
        resubmit();
    }

    /**
     * Submits the failed calls on the new connection. A call that it does not take ends, and the
     * next poll submits the calls behind it.
     */
    private void resubmit() {
        while (!unsubmitted.isEmpty() && !closed) {
            var attempt = unsubmitted.removeFirst();
            boolean submitted = false;
            try {
                pipeline.submit(attempt.call, attempt.timeout(owner.nanoTime()), attempt);
                submitted = true;
            } catch (RpcException unprotected) {
                attempt.endWith(unprotected);
            } finally {
                if (!submitted) {
                    attempt.end();
                }
            }
        }
    }

    @Override
    public int outstanding() {
        return undelivered;
    }

    @Override
    public void close() {
        closed = true;
        pipeline.close();
        toRetry.clear();
        unsubmitted.clear();
        owner.addInProgress(-undelivered);
        undelivered = 0;
    }
}
