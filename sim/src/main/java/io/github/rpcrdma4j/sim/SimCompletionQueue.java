package io.github.rpcrdma4j.sim;

import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.CompletionQueue;
import java.util.ArrayDeque;
import java.util.Collection;

/** Completions, which waiting for lets the world go on. */
final class SimCompletionQueue implements CompletionQueue {
    private final SimWorld world;
    private final ArrayDeque<Completion> ready = new ArrayDeque<>();
    private boolean woken;
    private boolean closed;

    SimCompletionQueue(SimWorld world) {
        this.world = world;
    }

    void add(Completion completion) {
        ready.addLast(completion);
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
        if (timeoutNanos > 0) {
            world.stepUntil(() -> !ready.isEmpty() || woken, timeoutNanos);
        }
        int count = ready.size();
        into.addAll(ready);
        ready.clear();
        woken = false;
        return count;
    }

    @Override
    public void wakeup() {
        woken = true;
    }

    @Override
    public void close() {
        closed = true;
    }
}
