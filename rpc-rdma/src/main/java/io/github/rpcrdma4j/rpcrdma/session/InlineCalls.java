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
 * Calls that a thread which polls carries out itself, when it has handled all that arrived. If one
 * of them takes long the thread is relieved: it ends with that call, another thread polls, and the
 * other calls go to threads of their own. Thread-safe.
 */
final class InlineCalls {
    /** A call, and what came of it once it was carried out. */
    static final class Due {
        private final ResponderDriver side;
        private final ServedCall call;
        private Optional<Execution.Outcome> outcome = Optional.empty();

        private Due(ResponderDriver side, ServedCall call) {
            this.side = side;
            this.call = call;
        }

        /** The side that it came to. */
        ResponderDriver side() {
            return side;
        }

        ServedCall call() {
            return call;
        }

        /** What came of it; empty if the server stops. */
        Optional<Execution.Outcome> outcome() {
            return outcome;
        }
    }

    /**
     * What is left to other threads.
     *
     * @param carriedOut calls of one connection that wait for their replies to leave together
     * @param due calls that are due
     */
    record Rest(List<Due> carriedOut, List<Due> due) {
        private static final Rest NONE = new Rest(List.of(), List.of());
    }

    private final Threads threads;
    private final Thread poller;
    private final FailureLog failures;

    /** Guarded by this, as is what follows. */
    private final ArrayDeque<Due> due = new ArrayDeque<>();

    /** Calls of one connection that were carried out and are answered together. */
    private List<Due> carriedOut = new ArrayList<>(4);

    private PollerState state = PollerState.POLLS;

    /** When the call began that is carried out, by the clock of the threads. */
    private long since;

    private int part;

    /**
     * @param poller carries them out
     */
    InlineCalls(Threads threads, Thread poller, FailureLog failures) {
        this.threads = threads;
        this.poller = poller;
        this.failures = failures;
    }

    /**
     * Adds a call, on the thread that polls.
     *
     * @return false if the thread carries out no more
     */
    synchronized boolean add(ResponderDriver side, ServedCall call) {
        boolean taken = state.takesCalls();
        if (taken) {
            due.addLast(new Due(side, call));
        }
        return taken;
    }

    /** Whether nothing is to be carried out. */
    synchronized boolean isEmpty() {
        return due.isEmpty();
    }

    /**
     * Carries out what is due, on the thread that polls. The calls of a connection are answered
     * together, in a few parts.
     *
     * @return whether this thread polls on; if not, another does already or the server stops
     */
    boolean carryOut() {
        synchronized (this) {
            part = Endpoint.part(due.size());
        }
        for (var next = next(); next != null; next = next()) {
            try {
                next.outcome = next.side.carryOut(next.call);
                answer(next);
            } catch (RuntimeException | Error broken) {
                // Our own mistake costs the connection it happened on, and no other.
                failures.report(ServerThreads.INTERNAL_ERROR, broken);
                answerCarriedOut();
            }
        }
        synchronized (this) {
            return state == PollerState.POLLS;
        }
    }

    private synchronized Due next() {
        var next = due.pollFirst();
        act(next == null ? Event.DONE : Event.NEXT);
        since = threads.nanoTime();
        return next;
    }

    /** Answers what was carried out, if that ends a part. */
    private void answer(Due done) {
        boolean ends;
        synchronized (this) {
            carriedOut.add(done);
            ends = !state.takesCalls() || endsPart(done.side);
        }
        if (ends) {
            answerCarriedOut();
        }
    }

    private void answerCarriedOut() {
        List<Due> together;
        synchronized (this) {
            together = carriedOut;
            carriedOut = new ArrayList<>();
        }
        if (!together.isEmpty()) {
            together.getFirst().side.answer(together);
        }
    }

    private boolean endsPart(ResponderDriver side) {
        return carriedOut.size() >= part || due.isEmpty() || due.peekFirst().side != side;
    }

    /** Whether a call is being carried out. */
    synchronized boolean isBusy() {
        return state.carriesOut();
    }

    /** Whether this thread polls no more, after what it carries out. */
    synchronized boolean isRelieved() {
        return !state.takesCalls();
    }

    /**
     * Relieves the thread if its call has taken too long, once.
     *
     * @param now by the clock of the threads
     * @param max how long a call may take, in nanoseconds
     * @return what is left to other threads
     */
    synchronized Rest relieve(long now, long max) {
        return now - since > max ? act(Event.LATE) : Rest.NONE;
    }

    /**
     * Relieves the thread for good, and interrupts the call that it carries out.
     *
     * @return what is left to other threads
     */
    synchronized Rest stop() {
        return act(Event.STOPS);
    }

    /** The lock of this is held. */
    private Rest act(Event event) {
        var step = state.on(event);
        state = step.next();
        var rest = Rest.NONE;
        for (var action : step.actions()) {
            switch (action) {
                case HAND_OVER -> rest = takeRest();
                case INTERRUPT -> poller.interrupt();
            }
        }
        return rest;
    }

    private Rest takeRest() {
        var rest = new Rest(carriedOut, List.copyOf(due));
        carriedOut = new ArrayList<>();
        due.clear();
        return rest;
    }
}
