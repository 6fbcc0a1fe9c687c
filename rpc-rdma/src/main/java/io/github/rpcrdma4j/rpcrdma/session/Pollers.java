package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.oncrpc.spi.CallThreads;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.CompletionQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The polling threads of a server, one for each completion queue. They also run calls that are
 * usually quick. If such a call takes too long, a new thread relieves the polling thread, so that
 * no call delays others for more than a few milliseconds. Thread-safe.
 *
 * <p>Tests: {@code QuickProceduresOverIwarpTest}, {@code LastResortTest}.
 */
final class Pollers implements AutoCloseable {
    /** A handler of completions. */
    interface Handler {
        /**
         * Handles the completions of one turn.
         *
         * @param completions the completions of one queue, in order for each queue pair
         * @param calls accepts calls that the polling thread runs later
         */
        void handle(List<Completion> completions, InlineCalls calls);
    }

    /** How long a call may occupy a polling thread, approximately. */
    private static final long HOLD_NANOS = Duration.ofMillis(2).toNanos();

    /** After this many checks without a running call, the relief thread sleeps. */
    private static final int IDLE_CHECKS = 50;

    private final Threads threads;
    private final Handler handler;
    private final FailureLog failures;
    private final Consumer<Throwable> stuck;
    private final List<CompletionQueue> queues = new ArrayList<>();

    /** The polling threads, in the order of their queues. Guarded by itself. */
    private final List<Poller> pollers = new ArrayList<>();

    /**
     * The polling threads and the relieved ones that have not ended. Guarded by {@link #pollers}.
     */
    private final Set<Poller> alive = new LinkedHashSet<>();

    private final Thread relief;
    private volatile boolean closing;

    /** Whether calls ran since the last check. */
    private final AtomicBoolean active = new AtomicBoolean();

    private volatile boolean asleep;

    /** A polling thread with its completion queue and its calls. */
    private final class Poller implements Runnable {
        private final CompletionQueue queue;
        private final Thread thread;
        private final InlineCalls calls;

        Poller(CompletionQueue queue, int number) {
            this.queue = queue;
            this.thread = threads.unstarted("rpcrdma-poll-" + number, this);
            this.calls = new InlineCalls(threads, thread, failures);
        }

        @Override
        public void run() {
            try {
                poll();
            } finally {
                synchronized (pollers) {
                    alive.remove(this);
                }
            }
        }

        private void poll() {
            var lastResort = new LastResort(threads, "cannot poll", failures, stuck);
            var completions = new ArrayList<Completion>();
            boolean polls = true;
            while (polls && !closing) {
                try {
                    queue.poll(completions, CompletionQueue.FOREVER);
                    handler.handle(completions, calls);
                    completions.clear();
                    polls = calls.isEmpty() || runDue();
                    lastResort.succeeded();
                } catch (InterruptedException _) {
                    // A call that ran here left the interrupt. Only a flag stops this thread.
                } catch (Throwable failed) {
                    completions.clear();
                    lastResort.failed(failed);
                }
            }
        }

        private boolean runDue() {
            active.set(true);
            if (asleep) {
                asleep = false;
                LockSupport.unpark(relief);
            }
            return calls.runDue();
        }
    }

    /**
     * Creates the completion queues. No thread polls before {@link #start}.
     *
     * @param threads the source of clock and threads
     * @param count the number of polling threads
     * @param newQueue creates a completion queue
     * @param stuck called when a thread fails repeatedly
     */
    Pollers(
            Threads threads,
            int count,
            Supplier<CompletionQueue> newQueue,
            Handler handler,
            FailureLog failures,
            Consumer<Throwable> stuck) {
        this.threads = threads;
        this.handler = handler;
        this.failures = failures;
        this.stuck = stuck;
        this.relief = threads.unstarted("rpcrdma-relief", this::relieveRepeatedly);
        for (int i = 0; i < count; i++) {
            queues.add(newQueue.get());
        }
    }

    /** Starts the threads. */
    void start() {
        synchronized (pollers) {
            for (int i = 0; i < queues.size(); i++) {
                pollers.add(start(queues.get(i), i));
            }
        }
        relief.start();
    }

    private Poller start(CompletionQueue queue, int number) {
        var poller = new Poller(queue, number);
        alive.add(poller);
        try {
            poller.thread.start();
        } catch (Throwable none) {
            alive.remove(poller);
            throw none;
        }
        return poller;
    }

    /** Returns the completion queue for the connection with a number. */
    CompletionQueue queue(int number) {
        return queues.get(Integer.remainderUnsigned(number, queues.size()));
    }

    /** Wakes all polling threads, so that they handle completions that did not wake them. */
    void wakeup() {
        queues.forEach(CompletionQueue::wakeup);
    }

    private void relieveRepeatedly() {
        var lastResort =
                new LastResort(threads, "cannot replace a polling thread", failures, stuck);
        int idleChecks = 0;
        while (!closing) {
            try {
                if (idleChecks < IDLE_CHECKS) {
                    threads.park(this, HOLD_NANOS);
                } else {
                    sleep();
                }
                boolean wasActive = active.getAndSet(false);
                idleChecks = relieveAll() || wasActive ? 0 : idleChecks + 1;
                lastResort.succeeded();
            } catch (Throwable failed) {
                idleChecks = 0;
                lastResort.failed(failed);
            }
        }
    }

    private void sleep() {
        asleep = true;
        // This check sees a thread that became active before it could see this one asleep.
        if (!active.get() && !closing) {
            threads.park(this, Long.MAX_VALUE);
        }
        asleep = false;
    }

    /** Relieves the threads whose calls take too long; returns whether any call is running. */
    private boolean relieveAll() {
        boolean busy = false;
        long now = threads.nanoTime();
        synchronized (pollers) {
            for (int i = 0; i < pollers.size(); i++) {
                var poller = pollers.get(i);
                busy |= poller.calls.isBusy();
                handOver(poller.calls.relieve(now, HOLD_NANOS));
                if (poller.calls.isRelieved()) {
                    // If no thread can be started now, the next check tries again.
                    pollers.set(i, start(poller.queue, i));
                }
            }
        }
        return busy;
    }

    private void handOver(InlineCalls.Remaining remaining) {
        try {
            if (!remaining.finished().isEmpty()) {
                remaining.finished().getFirst().driver().answerOnOwnThread(remaining.finished());
            }
        } catch (RuntimeException | Error broken) {
            failures.report(ServerThreads.INTERNAL_ERROR, broken);
        }
        for (var due : remaining.due()) {
            try {
                due.driver().handOver(due.call());
            } catch (RuntimeException | Error broken) {
                failures.report(ServerThreads.INTERNAL_ERROR, broken);
            }
        }
    }

    /** Stops all threads. It interrupts their running calls and waits for them. */
    void stop() {
        closing = true;
        LockSupport.unpark(relief);
        wakeup();
        CallThreads.awaitEnd(relief);
        List<Poller> last;
        synchronized (pollers) {
            last = List.copyOf(alive);
        }
        for (var poller : last) {
            handOver(poller.calls.stop());
            CallThreads.awaitEnd(poller.thread);
        }
    }

    /** Closes the completion queues. All queue pairs that use them must be closed. */
    @Override
    public void close() {
        queues.forEach(CompletionQueue::close);
        queues.clear();
    }
}
