package io.github.rpcrdma4j.oncrpc;

import io.github.rpcrdma4j.xdr.XdrException;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A pipeline over a client that has only blocking calls: each call waits on a virtual thread of its
 * own.
 */
final class BlockingPipeline implements CallPipeline {
    /** The outcome of a call before its delivery. */
    private sealed interface Ended {
        record Replied(RpcReply reply) implements Ended {}

        record Failed(RpcException reason) implements Ended {}

        record Broken(Throwable cause) implements Ended {}
    }

    private record Delivery(CallOutcome outcome, Ended ended) {}

    private final RpcClient client;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final LinkedBlockingQueue<Delivery> due = new LinkedBlockingQueue<>();
    private int undelivered;
    private boolean delivering;
    private boolean closed;

    BlockingPipeline(RpcClient client) {
        this.client = client;
    }

    @Override
    public void submit(RpcCall call, Duration timeout, CallOutcome outcome) {
        if (closed) {
            throw new IllegalStateException("the pipeline is closed");
        }
        Timeouts.requireNotNegative(timeout);
        undelivered++;
        threads.execute(() -> wait(call, timeout, outcome));
    }

    private void wait(RpcCall call, Duration timeout, CallOutcome outcome) {
        Ended ended;
        try {
            ended = new Ended.Replied(client.call(call, timeout));
        } catch (RpcException reason) {
            ended = new Ended.Failed(reason);
        } catch (InterruptedException _) {
            // The pipeline is closed: no outcome is delivered.
            return;
        } catch (RuntimeException | Error broken) {
            ended = new Ended.Broken(broken);
        }
        due.add(new Delivery(outcome, ended));
    }

    @Override
    public boolean poll(Duration timeout) throws InterruptedException {
        if (delivering) {
            throw new IllegalStateException("an outcome of this pipeline is being delivered");
        }
        if (undelivered == 0) {
            return false;
        }
        var first = due.poll(TimeUnit.NANOSECONDS.convert(timeout), TimeUnit.NANOSECONDS);
        for (var each = first; each != null; each = due.poll()) {
            undelivered--;
            delivering = true;
            try {
                deliver(each);
            } finally {
                delivering = false;
            }
        }
        return first != null;
    }

    private static void deliver(Delivery delivery) {
        switch (delivery.ended) {
            case Ended.Failed(var reason) -> delivery.outcome.failed(reason);
            case Ended.Broken(var cause) -> rethrow(cause);
            case Ended.Replied(var reply) -> {
                RpcException failure = null;
                try (reply) {
                    delivery.outcome.succeeded(reply.results());
                } catch (XdrException malformed) {
                    failure = RpcException.BadReply.of(malformed);
                }
                if (failure != null) {
                    delivery.outcome.failed(failure);
                }
            }
        }
    }

    private static void rethrow(Throwable cause) {
        if (cause instanceof RuntimeException broken) {
            throw broken;
        }
        throw (Error) cause;
    }

    @Override
    public int outstanding() {
        return undelivered;
    }

    @Override
    public void close() {
        closed = true;
        threads.shutdownNow();
        threads.close();
        for (var each = due.poll(); each != null; each = due.poll()) {
            if (each.ended instanceof Ended.Replied(var reply)) {
                reply.close();
            }
        }
        undelivered = 0;
    }
}
