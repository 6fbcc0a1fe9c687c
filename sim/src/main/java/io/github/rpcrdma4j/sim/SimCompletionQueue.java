package io.github.rpcrdma4j.sim;

import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.CompletionQueue;
import io.github.rpcrdma4j.verbs.Signal;
import java.util.ArrayDeque;
import java.util.Collection;

/** A queue of completions. A thread that waits for one steps the world. */
final class SimCompletionQueue implements CompletionQueue {
    private final SimWorld world;
    private final ArrayDeque<Completion> ready = new ArrayDeque<>();

    /** Whether one of the ready completions is signaled, so that it wakes the waiting thread. */
    private boolean wakes;

    private boolean woken;
    private boolean closed;

    SimCompletionQueue(SimWorld world) {
        this.world = world;
        world.countCompletionQueues(1);
    }

    /**
     * Returns the queue as this provider's type.
     *
     * @throws IllegalArgumentException if the queue is of another provider
     */
    static SimCompletionQueue of(CompletionQueue queue) {
        if (queue instanceof SimCompletionQueue own) {
            return own;
        }
        throw new IllegalArgumentException("the completion queue is of another provider");
    }

    void add(Completion completion, Signal signal) {
        ready.addLast(completion);
        wakes |= signal == Signal.SIGNALED;
    }

    @Override
    public int poll(Collection<? super Completion> into, long timeoutNanos)
            throws InterruptedException {
        if (closed) {
            throw new IllegalStateException("the completion queue is closed");
        }
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (timeoutNanos > 0 && ready.isEmpty()) {
            world.await(() -> wakes || woken, timeoutNanos);
        }
        int count = ready.size();
        into.addAll(ready);
        ready.clear();
        woken = false;
        wakes = false;
        return count;
    }

    @Override
    public void wakeup() {
        woken = true;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            world.countCompletionQueues(-1);
        }
    }
}
