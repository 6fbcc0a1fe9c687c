package io.github.rpcrdma4j.rdmacore;

import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.CompletionQueue;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * The completions of many queue pairs, each of which has a queue of the adapter.
 *
 * <p>The polling thread looks at the busy queue pairs only. One that has had no completion for a
 * while is idle: the adapter then sends an event for its next completion, and the device's event
 * thread makes it busy again.
 *
 * <p>Tests: {@code AdapterConnections}, {@code SiwContract}.
 */
final class AdapterCompletionQueue implements CompletionQueue {
    private static final int EMPTY_POLLS_MAX = 100;

    private final long busyPollNanos;

    /** The completions that no poll has returned, in order. */
    private final Queue<Completion> completed = new ConcurrentLinkedQueue<>();

    /** Queue pairs that become busy. */
    private final Queue<AdapterQueuePair> awake = new ConcurrentLinkedQueue<>();

    /** The busy queue pairs. Only the polling thread uses them. */
    private final List<AdapterQueuePair> busy = new ArrayList<>();

    private final AtomicReference<Thread> poller = new AtomicReference<>();
    private volatile boolean woken;
    private volatile boolean closed;

    AdapterCompletionQueue(long busyPollNanos) {
        this.busyPollNanos = busyPollNanos;
    }

    /** Adds a completion. */
    void add(Completion completion) {
        completed.add(completion);
        LockSupport.unpark(poller.get());
    }

    /** Makes a queue pair busy. */
    void wake(AdapterQueuePair queuePair) {
        awake.add(queuePair);
        LockSupport.unpark(poller.get());
    }

    @Override
    public int poll(Collection<? super Completion> into, long timeoutNanos)
            throws InterruptedException {
        if (!poller.compareAndSet(null, Thread.currentThread())) {
            throw new IllegalStateException("another thread is polling");
        }
        try {
            if (closed) {
                throw new IllegalStateException("the completion queue is closed");
            }
            return pollAlone(into, timeoutNanos);
        } finally {
            poller.set(null);
        }
    }

    private int pollAlone(Collection<? super Completion> into, long timeoutNanos)
            throws InterruptedException {
        long start = System.nanoTime();
        while (true) {
            int added = take(into);
            if (added > 0) {
                return added;
            }
            if (woken) {
                woken = false;
                return 0;
            }
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            long waited = System.nanoTime() - start;
            if (waited >= timeoutNanos) {
                return 0;
            }
            if (waited < busyPollNanos) {
                Thread.onSpinWait();
            } else if (becomesIdle()) {
                // An unpark between the checks above and here makes this return at once.
                LockSupport.parkNanos(this, timeoutNanos - waited);
            }
        }
    }

    /** Takes all completions that are there. */
    private int take(Collection<? super Completion> into) {
        for (var each = awake.poll(); each != null; each = awake.poll()) {
            each.emptyPolls = 0;
            if (!each.isBusy) {
                each.isBusy = true;
                busy.add(each);
            }
        }
        for (int i = busy.size() - 1; i >= 0; i--) {
            var each = busy.get(i);
            each.emptyPolls = each.poll() > 0 ? 0 : each.emptyPolls + 1;
            if (each.emptyPolls > EMPTY_POLLS_MAX && each.requestNotification()) {
                forget(i);
            }
        }
        int added = 0;
        for (var each = completed.poll(); each != null; each = completed.poll()) {
            into.add(each);
            added++;
        }
        return added;
    }

    /**
     * Asks the adapter for an event of each queue pair. Returns whether the thread may sleep: none
     * had a completion meanwhile.
     */
    private boolean becomesIdle() {
        boolean isIdle = awake.isEmpty() && completed.isEmpty() && !woken;
        for (int i = busy.size() - 1; i >= 0; i--) {
            if (busy.get(i).requestNotification()) {
                forget(i);
            } else {
                isIdle = false;
            }
        }
        return isIdle;
    }

    private void forget(int index) {
        busy.remove(index).isBusy = false;
    }

    @Override
    public void wakeup() {
        woken = true;
        LockSupport.unpark(poller.get());
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(poller.get());
    }
}
