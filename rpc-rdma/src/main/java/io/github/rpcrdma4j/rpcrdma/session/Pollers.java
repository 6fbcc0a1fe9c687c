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
 * The threads that poll the connections of a server, one for each completion queue. Calls that are
 * usually quick are carried out by them; a thread that one holds up is relieved by a new one, so
 * that no call keeps those of others waiting for longer than a moment. Thread-safe.
 */
final class Pollers implements AutoCloseable {
    /** Handles what arrived. */
    interface Handler {
        /**
         * @param completions of one queue, those of a queue pair in order
         * @param calls takes calls for later
         */
        void handle(List<Completion> completions, InlineCalls calls);
    }

    /** How long a call may hold up a thread that polls, by and large. */
    private static final long HOLD_NANOS = Duration.ofMillis(2).toNanos();

    /** The thread that relieves others sleeps when so many looks in a row have found no call. */
    private static final int IDLE_LOOKS = 50;

    private final Threads threads;
    private final Handler handler;
    private final FailureLog failures;
    private final Consumer<Throwable> stuck;
    private final List<CompletionQueue> queues = new ArrayList<>();

    /** The threads that poll, in the order of their queues; guarded by itself. */
    private final List<Poller> pollers = new ArrayList<>();

    /** These, and the relieved ones that have not ended; guarded by the pollers. */
    private final Set<Poller> alive = new LinkedHashSet<>();

    private final Thread relief;
    private volatile boolean closing;

    /** Calls were carried out since this was last looked at. */
    private final AtomicBoolean active = new AtomicBoolean();

    private volatile boolean asleep;

    /** A thread, and what it polls. */
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
                    polls = calls.isEmpty() || carryOut();
                    lastResort.succeeded();
                } catch (InterruptedException _) {
                    // A call that was carried out here left it; a flag tells this thread to stop.
                } catch (Throwable failed) {
                    completions.clear();
                    lastResort.failed(failed);
                }
            }
        }

        private boolean carryOut() {
            active.set(true);
            if (asleep) {
                asleep = false;
                LockSupport.unpark(relief);
            }
            return calls.carryOut();
        }
    }

    /**
     * No thread polls before {@link #start}.
     *
     * @param threads whose clock and threads are used
     * @param count how many threads there are
     * @param newQueue makes their completion queues
     * @param stuck told when a thread fails again and again
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
        this.relief = threads.unstarted("rpcrdma-relief", this::lookAfterAll);
        for (int i = 0; i < count; i++) {
            queues.add(newQueue.get());
        }
    }

    /** Starts to poll. */
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

    /** The completion queue for a connection. */
    CompletionQueue queue(int number) {
        return queues.get(Integer.remainderUnsigned(number, queues.size()));
    }

    /** Has all threads look for completions that did not wake them. */
    void wakeup() {
        queues.forEach(CompletionQueue::wakeup);
    }

    private void lookAfterAll() {
        var lastResort = new LastResort(threads, "cannot relieve a thread", failures, stuck);
        int idleLooks = 0;
        while (!closing) {
            try {
                if (idleLooks < IDLE_LOOKS) {
                    threads.park(this, HOLD_NANOS);
                } else {
                    sleep();
                }
                boolean wasActive = active.getAndSet(false);
                idleLooks = relieveAll() || wasActive ? 0 : idleLooks + 1;
                lastResort.succeeded();
            } catch (Throwable failed) {
                idleLooks = 0;
                lastResort.failed(failed);
            }
        }
    }

    private void sleep() {
        asleep = true;
        // A thread that became active before it could see this one asleep is seen here.
        if (!active.get() && !closing) {
            threads.park(this, Long.MAX_VALUE);
        }
        asleep = false;
    }

    /** Relieves the threads that are held up; returns whether any call is being carried out. */
    private boolean relieveAll() {
        boolean busy = false;
        long now = threads.nanoTime();
        synchronized (pollers) {
            for (int i = 0; i < pollers.size(); i++) {
                var poller = pollers.get(i);
                busy |= poller.calls.isBusy();
                handOver(poller.calls.relieve(now, HOLD_NANOS));
                if (poller.calls.isRelieved()) {
                    // If there is no thread for that now, it is tried again at the next look.
                    pollers.set(i, start(poller.queue, i));
                }
            }
        }
        return busy;
    }

    private void handOver(InlineCalls.Rest rest) {
        try {
            if (!rest.carriedOut().isEmpty()) {
                rest.carriedOut().getFirst().side().answerApart(rest.carriedOut());
            }
        } catch (RuntimeException | Error broken) {
            failures.report(ServerThreads.INTERNAL_ERROR, broken);
        }
        for (var due : rest.due()) {
            try {
                due.side().handOver(due.call());
            } catch (RuntimeException | Error broken) {
                failures.report(ServerThreads.INTERNAL_ERROR, broken);
            }
        }
    }

    /** Ends all threads. Calls that they carry out are interrupted, and waited for. */
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

    /** Closes the completion queues, when all queue pairs are closed that use them. */
    @Override
    public void close() {
        queues.forEach(CompletionQueue::close);
        queues.clear();
    }
}
