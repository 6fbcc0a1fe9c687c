package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.responder.Execution;
import io.github.rpcrdma4j.rpcrdma.responder.ServedCall;
import io.github.rpcrdma4j.rpcrdma.session.PollerState.Event;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The calls that a polling thread runs itself, after it has handled all completions. If a call
 * takes too long, the thread is relieved: another thread polls, the waiting calls move to threads
 * of their own, and this thread ends after its call. Thread-safe.
 *
 * <p>Tests: {@code QuickProceduresOverIwarpTest}.
 */
final class InlineCalls {
    /** A call to run, and its outcome afterwards. */
    static final class InlineCall {
        private final ResponderDriver driver;
        private final ServedCall call;
        private Optional<Execution.Outcome> outcome = Optional.empty();

        private InlineCall(ResponderDriver driver, ServedCall call) {
            this.driver = driver;
            this.call = call;
        }

        /** Returns the driver of the call. */
        ResponderDriver driver() {
            return driver;
        }

        ServedCall call() {
            return call;
        }

        /** Returns the outcome; empty if the program failed or the server stops. */
        Optional<Execution.Outcome> outcome() {
            return outcome;
        }
    }

    /**
     * The work of a relieved thread for other threads.
     *
     * @param finished finished calls of one connection, whose replies are to be sent together
     * @param due calls that did not run yet
     */
    record Remaining(List<InlineCall> finished, List<InlineCall> due) {
        private static final Remaining NONE = new Remaining(List.of(), List.of());
    }

    private final Threads threads;
    private final Thread poller;
    private final FailureLog failures;

    /** Guarded by this, as are the fields below. */
    private final ArrayDeque<InlineCall> due = new ArrayDeque<>();

    /** Finished calls of one connection, whose replies are to be sent together. */
    private List<InlineCall> finished = new ArrayList<>(4);

    private PollerState state = PollerState.POLLS;

    /** The start of the running call, by the clock of the threads. */
    private long since;

    private int batchSize;

    /**
     * @param poller the thread that runs the calls
     */
    InlineCalls(Threads threads, Thread poller, FailureLog failures) {
        this.threads = threads;
        this.poller = poller;
        this.failures = failures;
    }

    /**
     * Adds a call. It is called on the polling thread.
     *
     * @return false if the thread runs no more calls
     */
    synchronized boolean add(ResponderDriver driver, ServedCall call) {
        boolean taken = state.acceptsCalls();
        if (taken) {
            due.addLast(new InlineCall(driver, call));
        }
        return taken;
    }

    /** Returns whether no call is due. */
    synchronized boolean isEmpty() {
        return due.isEmpty();
    }

    /**
     * Runs the due calls on the polling thread. The replies of one connection are sent together, in
     * a few batches.
     *
     * @return whether this thread continues to poll; if not, another thread polls already, or the
     *     server stops
     */
    boolean runDue() {
        synchronized (this) {
            batchSize = Endpoint.batchSize(due.size());
        }
        for (var next = next(); next != null; next = next()) {
            try {
                next.outcome = next.driver.runOnPoller(next.call);
                answer(next);
            } catch (RuntimeException | Error broken) {
                // An internal error closes its own connection, and no other.
                failures.report(ServerThreads.INTERNAL_ERROR, broken);
                answerFinished();
            }
        }
        synchronized (this) {
            return state == PollerState.POLLS;
        }
    }

    private synchronized InlineCall next() {
        var next = due.pollFirst();
        act(next == null ? Event.DONE : Event.NEXT);
        since = threads.nanoTime();
        return next;
    }

    /** Adds a finished call, and sends the replies if their batch is complete. */
    private void answer(InlineCall done) {
        boolean ends;
        synchronized (this) {
            finished.add(done);
            ends = !state.acceptsCalls() || endsBatch(done.driver);
        }
        if (ends) {
            answerFinished();
        }
    }

    private void answerFinished() {
        List<InlineCall> together;
        synchronized (this) {
            together = finished;
            finished = new ArrayList<>();
        }
        if (!together.isEmpty()) {
            together.getFirst().driver.answer(together);
        }
    }

    private boolean endsBatch(ResponderDriver driver) {
        return finished.size() >= batchSize || due.isEmpty() || due.peekFirst().driver != driver;
    }

    /** Returns whether a call is running. */
    synchronized boolean isBusy() {
        return state.runsCall();
    }

    /** Returns whether this thread stops polling after its running call. */
    synchronized boolean isRelieved() {
        return !state.acceptsCalls();
    }

    /**
     * Relieves the thread if its call has taken too long, once.
     *
     * @param now the time by the clock of the threads
     * @param max how long a call may take, in nanoseconds
     * @return the work for other threads
     */
    synchronized Remaining relieve(long now, long max) {
        return now - since > max ? act(Event.LATE) : Remaining.NONE;
    }

    /**
     * Relieves the thread for good, and interrupts its running call.
     *
     * @return the work for other threads
     */
    synchronized Remaining stop() {
        return act(Event.STOPS);
    }

    /** Takes a step for an event. The monitor of this object is held. */
    private Remaining act(Event event) {
        var step = state.on(event);
        state = step.next();
        var remaining = Remaining.NONE;
        for (var action : step.actions()) {
            switch (action) {
                case HAND_OVER -> remaining = takeRemaining();
                case INTERRUPT -> poller.interrupt();
            }
        }
        return remaining;
    }

    private Remaining takeRemaining() {
        var remaining = new Remaining(finished, List.copyOf(due));
        finished = new ArrayList<>();
        due.clear();
        return remaining;
    }
}
