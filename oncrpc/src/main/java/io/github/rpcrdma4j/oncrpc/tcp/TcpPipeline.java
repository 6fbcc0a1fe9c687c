package io.github.rpcrdma4j.oncrpc.tcp;

import io.github.rpcrdma4j.oncrpc.CallOutcome;
import io.github.rpcrdma4j.oncrpc.CallPipeline;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.Timeouts;
import io.github.rpcrdma4j.oncrpc.spi.CallMessage;
import io.github.rpcrdma4j.oncrpc.spi.CallProtection;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The pipeline of a byte stream. Its polling thread writes the calls, and the reader of the
 * connection passes it the replies.
 *
 * <p>Tests: {@code TcpPipelineTest}.
 */
final class TcpPipeline implements CallPipeline {
    private final CallStream stream;
    private final CallProtection protection;
    private final ArrayDeque<Call> unsent = new ArrayDeque<>();

    /** The calls whose outcomes were not delivered yet. */
    private final Set<Call> undelivered = new LinkedHashSet<>();

    private boolean delivering;
    private boolean closed;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition answered = lock.newCondition();

    /** The calls whose outcomes can be delivered. Guarded by the lock. */
    private final ArrayDeque<Call> due = new ArrayDeque<>();

    /** One call. The lock guards its answer and {@code abandoned}. */
    private final class Call implements PendingReply {
        private final RpcCall call;
        private final CallOutcome outcome;
        private final CallDeadline deadline;
        private final XdrWriter message = new XdrWriter(stream.pool());
        private int xid;
        private Answer answer;
        private RpcException failure;
        private boolean abandoned;

        Call(RpcCall call, CallOutcome outcome, CallDeadline deadline) {
            this.call = call;
            this.outcome = outcome;
            this.deadline = deadline;
        }

        @Override
        public boolean answer(Answer given) {
            lock.lock();
            try {
                if (abandoned) {
                    return false;
                }
                answer = given;
                due.addLast(this);
                answered.signal();
                return true;
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void abandon() {
            lock.lock();
            try {
                abandoned = true;
                if (answer instanceof Answer.Arrived(var received)) {
                    received.close();
                }
                answer = null;
            } finally {
                lock.unlock();
            }
        }

        /** Schedules a failure for delivery in place of an answer. */
        void fail(RpcException reason) {
            stream.sent().abandon(xid, this);
            failure = reason;
            lock.lock();
            try {
                due.remove(this);
                due.addLast(this);
            } finally {
                lock.unlock();
            }
        }

        void deliver() {
            try {
                if (answer instanceof Answer.Arrived(var received)) {
                    try (var reply = StreamReply.of(received, call, xid, protection)) {
                        outcome.succeeded(reply.results());
                    }
                } else if (answer instanceof Answer.Lost(var reason)) {
                    failure = stream.sent().connectionLost(reason);
                }
            } catch (RpcException noResults) {
                failure = noResults;
            } catch (XdrException malformed) {
                failure = RpcException.BadReply.of(malformed);
            }
            if (failure != null) {
                outcome.failed(failure);
            }
        }
    }

    TcpPipeline(CallStream stream, CallProtection protection) {
        this.stream = stream;
        this.protection = protection;
    }

    @Override
    public void submit(RpcCall asked, Duration timeout, CallOutcome outcome) throws RpcException {
        if (closed) {
            throw new IllegalStateException("the pipeline is closed");
        }
        CallStream.requireAcceptedReply(asked, protection);
        var call = new Call(asked, outcome, CallDeadline.of(timeout, System.nanoTime()));
        boolean started = false;
        try {
            started = register(call);
        } finally {
            if (!started) {
                call.message.close();
            }
        }
        undelivered.add(call);
    }

    /**
     * Registers and encodes a call.
     *
     * @return true if the call is ready to send; false if its failure is ready to deliver
     */
    private boolean register(Call call) throws RpcException {
        try {
            call.xid = stream.sent().register(call.call.xid(), call);
        } catch (RpcException.ConnectionLost lost) {
            call.fail(lost);
            return false;
        }
        boolean encoded = false;
        try {
            CallMessage.encode(call.message, call.call, call.xid, protection, stream.pool());
            unsent.addLast(call);
            encoded = true;
        } finally {
            if (!encoded) {
                stream.sent().abandon(call.xid, call);
            }
        }
        return true;
    }

    /** Sends all calls. If this method throws because of a call, that call gets no outcome. */
    private void sendAll() throws InterruptedException {
        while (!unsent.isEmpty()) {
            var call = unsent.getFirst();
            try {
                stream.send(call.message, call.deadline);
            } catch (RpcException failure) {
                call.fail(failure);
            } catch (RuntimeException | Error broken) {
                drop(call);
                unsent.removeFirst().message.close();
                throw broken;
            }
            unsent.removeFirst().message.close();
        }
    }

    /** Forgets a call, and an outcome of it that was not delivered. */
    private void drop(Call call) {
        stream.sent().abandon(call.xid, call);
        undelivered.remove(call);
        lock.lock();
        try {
            due.remove(call);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean poll(Duration timeout) throws InterruptedException {
        if (delivering) {
            throw new IllegalStateException("an outcome of this pipeline is being delivered");
        }
        long deadline = System.nanoTime() + Timeouts.nanos(timeout);
        sendAll();
        if (undelivered.isEmpty()) {
            return false;
        }
        int count = await(deadline);
        // An outcome may close the pipeline, which drops the other outcomes.
        for (int i = 0; i < count && !closed; i++) {
            deliver(take());
            sendAll();
        }
        return count > 0;
    }

    private Call take() {
        lock.lock();
        try {
            return due.removeFirst();
        } finally {
            lock.unlock();
        }
    }

    private void deliver(Call call) {
        undelivered.remove(call);
        delivering = true;
        try {
            call.deliver();
        } finally {
            delivering = false;
        }
    }

    /** Waits for the first outcome, and returns the number of available outcomes. */
    private int await(long deadline) throws InterruptedException {
        while (true) {
            long now = System.nanoTime();
            expire(now);
            lock.lock();
            try {
                if (!due.isEmpty() || deadline - now <= 0) {
                    return due.size();
                }
                long left = deadline - now;
                for (var call : undelivered) {
                    left = Math.min(left, call.deadline.left(now));
                }
                answered.await(left, TimeUnit.NANOSECONDS);
            } finally {
                lock.unlock();
            }
        }
    }

    /** Fails the calls whose deadline has passed, unless they have an outcome. */
    private void expire(long now) {
        for (var call : undelivered) {
            if (call.deadline.left(now) <= 0 && !isDue(call)) {
                call.fail(stream.sent().timedOut(call.deadline.timeout()));
            }
        }
    }

    private boolean isDue(Call call) {
        lock.lock();
        try {
            return due.contains(call);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int outstanding() {
        return undelivered.size();
    }

    @Override
    public void close() {
        closed = true;
        unsent.forEach(call -> call.message.close());
        unsent.clear();
        List.copyOf(undelivered).forEach(call -> stream.sent().abandon(call.xid, call));
        undelivered.clear();
        lock.lock();
        try {
            due.clear();
        } finally {
            lock.unlock();
        }
    }
}
