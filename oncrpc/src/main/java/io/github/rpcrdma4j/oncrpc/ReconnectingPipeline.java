package io.github.rpcrdma4j.oncrpc;

import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.time.Duration;
import java.util.ArrayDeque;

/**
 * Calls in flight on a connection that is made anew when it is lost: then those without an answer
 * are started again on the new one, with their XIDs. Its thread also reconnects, within {@link
 * #poll}.
 */
final class ReconnectingPipeline implements CallPipeline {
    /** How long a lost connection may take to say so for each of its calls, turn by turn. */
    private static final Duration TURN = Duration.ofSeconds(1);

    private final ReconnectingRpcClient owner;

    /** To be started on the next connection. */
    private final ArrayDeque<Attempt> again = new ArrayDeque<>();

    private RpcClient client;
    private CallPipeline pipeline;
    private int undelivered;
    private long delivered;
    private boolean progressing;
    private boolean closed;

    /** Receives what came of the call on each connection, and delivers its outcome once. */
    private final class Attempt extends ReconnectingCall implements CallOutcome {
        private final CallOutcome outcome;
        private boolean ended;

        Attempt(RpcCall call, Duration timeout, CallOutcome outcome) {
            super(call, timeout, owner.retryNanos());
            this.outcome = outcome;
        }

        @Override
        public void succeeded(XdrReader results) throws XdrException {
            owner.answered();
            end();
            outcome.succeeded(results);
        }

        @Override
        public void failed(RpcException why) {
            if (again(why, System.nanoTime())) {
                again.addLast(this);
            } else {
                giveUp(why);
            }
        }

        void giveUp(RpcException why) {
            end();
            outcome.failed(why);
        }

        /** Comes twice to a call whose results make no sense. */
        private void end() {
            if (!ended) {
                ended = true;
                undelivered--;
                delivered++;
                owner.count(-1);
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
            again.addLast(attempt);
        }
        undelivered++;
        owner.count(1);
    }

    @Override
    public boolean poll(Duration timeout) throws InterruptedException {
        if (progressing) {
            throw new IllegalStateException("an outcome of this pipeline is being delivered");
        }
        progressing = true;
        try {
            long before = delivered;
            long deadline = System.nanoTime() + Timeouts.nanos(timeout);
            long left = deadline - System.nanoTime();
            do {
                if (again.isEmpty()) {
                    pipeline.poll(Duration.ofNanos(Math.max(0, left)));
                } else {
                    startAgain(left);
                }
                left = deadline - System.nanoTime();
            } while (delivered == before && undelivered > 0 && left > 0);
            return delivered != before;
        } finally {
            progressing = false;
        }
    }

    private void startAgain(long patience) throws InterruptedException {
        var first = again.getFirst();
        try {
            if (!owner.reconnect(client, first, patience)) {
                return;
            }
        } catch (RpcException unreachable) {
            again.removeFirst();
            first.giveUp(unreachable);
            return;
        }
        // What was in flight beside it has an outcome too: the old connection is closed.
        while (undelivered > again.size()) {
            pipeline.poll(TURN);
        }
        if (closed) {
            // An outcome has closed this pipeline.
            return;
        }
        pipeline.close();
        client = owner.client();
        pipeline = client.pipeline();
        for (int i = again.size(); i > 0 && !closed; i--) {
            var attempt = again.removeFirst();
            try {
                pipeline.submit(attempt.call, attempt.timeout, attempt);
            } catch (RpcException unprotected) {
                attempt.giveUp(unprotected);
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
        again.clear();
        owner.count(-undelivered);
        undelivered = 0;
    }
}
