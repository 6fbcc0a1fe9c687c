package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.oncrpc.FailureLog;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.responder.ServedCall;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;

/**
 * Calls that a thread which polls carries out itself, when it has handled all that arrived. If one
 * of them takes long the thread is relieved: it ends with that call, another thread polls, and the
 * other calls go to threads of their own. Thread-safe.
 */
final class Turn {
    /**
     * A call that is due.
     *
     * @param side which carries it out
     */
    record Due(ServingSide side, ServedCall call) {}

    /**
     * What is left to another thread.
     *
     * @param heldUp by whose call the thread is held up; earlier replies may still wait for it
     * @param rest calls that are due beside that
     */
    record Relief(ServingSide heldUp, List<Due> rest) {}

    private final Threads threads;
    private final Thread poller;
    private final FailureLog failures;

    /** Guarded by this, as is what follows. */
    private final ArrayDeque<Due> due = new ArrayDeque<>();

    /** What is being carried out; null if nothing is. */
    private Due current;

    /** Since when, by {@link System#nanoTime}. */
    private long since;

    private boolean relieved;
    private int part;
    private int carriedOut;

    /**
     * @param poller whose turns these are
     */
    Turn(Threads threads, Thread poller, FailureLog failures) {
        this.threads = threads;
        this.poller = poller;
        this.failures = failures;
    }

    /**
     * Adds a call, on the thread that polls.
     *
     * @return false if the thread carries out no more
     */
    synchronized boolean add(ServingSide side, ServedCall call) {
        if (!relieved) {
            due.addLast(new Due(side, call));
        }
        return !relieved;
    }

    /** Whether nothing is to be carried out. */
    synchronized boolean isEmpty() {
        return due.isEmpty();
    }

    /**
     * Carries out what is due, on the thread that polls.
     *
     * @return whether this thread polls on; if not, another does already or the server stops
     */
    boolean carryOut() {
        synchronized (this) {
            part = Endpoint.part(due.size());
            carriedOut = 0;
        }
        for (var next = next(); next != null; next = next()) {
            try {
                next.side.carryOut(next.call, this);
            } catch (RuntimeException | Error broken) {
                // Our own mistake costs the connection it happened on, and no other.
                failures.report(ServerThreads.INTERNAL_ERROR, broken);
            }
        }
        synchronized (this) {
            return !relieved;
        }
    }

    private synchronized Due next() {
        current = due.pollFirst();
        since = threads.nanoTime();
        return current;
    }

    /**
     * Whether the reply of the call that was just carried out, and those of the same connection
     * before, leave now: in parts, like all of a turn.
     */
    synchronized boolean endsPart(ServingSide side) {
        carriedOut++;
        return carriedOut % part == 0 || due.isEmpty() || due.peekFirst().side != side;
    }

    /** Whether a call is being carried out. */
    synchronized boolean isBusy() {
        return current != null;
    }

    /** Whether this thread polls no more, after what it carries out. */
    synchronized boolean isRelieved() {
        return relieved;
    }

    /**
     * Relieves the thread if its call has taken too long, once.
     *
     * @param now by {@link System#nanoTime}
     * @param max how long a call may take, in nanoseconds
     * @return empty if it has not
     */
    synchronized Optional<Relief> relieve(long now, long max) {
        return current != null && !relieved && now - since > max
                ? Optional.of(new Relief(current.side, takeRest()))
                : Optional.empty();
    }

    /**
     * Relieves the thread for good, and interrupts the call that it carries out.
     *
     * @return what is due beside that call
     */
    synchronized List<Due> stop() {
        if (current != null) {
            poller.interrupt();
        }
        return takeRest();
    }

    private List<Due> takeRest() {
        relieved = true;
        var rest = List.copyOf(due);
        due.clear();
        return rest;
    }
}
