package io.github.rpcrdma4j.rpcrdma.session;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Whether calls that are usually quick are carried out by the thread that polls: as long as they
 * are. One that was not, since it had to wait for a disk say, sends the next of its procedure to
 * threads of their own, where they wait side by side: a few for the first, for each further one
 * twice as many. Thread-safe.
 */
final class QuickCalls {
    /** What takes longer was worth a thread, in nanoseconds. */
    static final long QUICK_NANOS = 50_000;

    /** So many follow a slow call to threads, at least and at most. */
    static final int FEWEST = 8;

    static final int MOST = 1024;

    /** A state for each procedure; where two programs have the same number they share it. */
    private static final int STATES = 32;

    private final AtomicReferenceArray<State> states = new AtomicReferenceArray<>(STATES);

    /**
     * What is known of a procedure. Pure.
     *
     * @param handedOver how many quick calls are still to go to threads
     * @param next how many will when one is slow again
     */
    record State(int handedOver, int next) {
        static final State QUICK = new State(0, FEWEST);

        /** A call was carried out by the thread that polls. */
        State polled(boolean wasQuick) {
            if (wasQuick) {
                return next == FEWEST ? this : new State(handedOver, Math.max(FEWEST, next / 2));
            }
            return new State(next, Math.min(MOST, 2 * next));
        }

        /** A call was carried out by a thread of its own. */
        State apart(boolean wasQuick) {
            if (handedOver == 0) {
                return this;
            }
            // While some are slow it is too early to try again.
            return new State(wasQuick ? handedOver - 1 : Math.max(handedOver, FEWEST), next);
        }
    }

    QuickCalls() {
        for (int i = 0; i < STATES; i++) {
            states.set(i, State.QUICK);
        }
    }

    /** Whether the thread that polls may carry out a call of that procedure. */
    boolean mayRun(int procedure) {
        return states.get(index(procedure)).handedOver() == 0;
    }

    /** The thread that polls has carried out a call, in so many nanoseconds. */
    void polled(int procedure, long nanos) {
        int index = index(procedure);
        var state = states.get(index);
        // Of two that end at a time one may be forgotten: the next one tells.
        states.compareAndSet(index, state, state.polled(nanos <= QUICK_NANOS));
    }

    /** A thread of its own has carried out a call, in so many nanoseconds. */
    void apart(int procedure, long nanos) {
        int index = index(procedure);
        var state = states.get(index);
        states.compareAndSet(index, state, state.apart(nanos <= QUICK_NANOS));
    }

    private static int index(int procedure) {
        return Integer.remainderUnsigned(procedure, STATES);
    }
}
