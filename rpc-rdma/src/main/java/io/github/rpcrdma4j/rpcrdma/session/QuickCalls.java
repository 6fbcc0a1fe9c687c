package io.github.rpcrdma4j.rpcrdma.session;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Decides per procedure whether its calls may run on the polling thread, from how long recent ones
 * took. After a slow call, for example one that waits for a disk, the next calls of its procedure
 * run on threads of their own and can wait in parallel. Their number starts at {@link #FEWEST} and
 * doubles with each further slow call. Thread-safe.
 */
final class QuickCalls {
    /**
     * The longest time of a quick call, in nanoseconds. A longer call justifies a thread of its
     * own.
     */
    static final long QUICK_NANOS = 50_000;

    /**
     * The least and the greatest number of calls that run on threads of their own after a slow
     * call.
     */
    static final int FEWEST = 8;

    static final int MOST = 1024;

    /** The number of states. Procedures with equal numbers modulo this share one. */
    private static final int STATES = 32;

    private final AtomicReferenceArray<State> states = new AtomicReferenceArray<>(STATES);

    /**
     * The state of a procedure. Immutable.
     *
     * @param handedOver how many quick calls must still run on threads of their own
     * @param next how many will have to after the next slow call
     */
    record State(int handedOver, int next) {
        static final State QUICK = new State(0, FEWEST);

        /** Returns the state after a call that ran on the polling thread. */
        State ranOnPoller(boolean wasQuick) {
            if (wasQuick) {
                return next == FEWEST ? this : new State(handedOver, Math.max(FEWEST, next / 2));
            }
            return new State(next, Math.min(MOST, 2 * next));
        }

        /** Returns the state after a call that ran on a thread of its own. */
        State ranOnOwnThread(boolean wasQuick) {
            if (handedOver == 0) {
                return this;
            }
            // A slow call shows that it is too early to use the polling thread again.
            return new State(wasQuick ? handedOver - 1 : Math.max(handedOver, FEWEST), next);
        }
    }

    QuickCalls() {
        for (int i = 0; i < STATES; i++) {
            states.set(i, State.QUICK);
        }
    }

    /** Returns whether the polling thread may run a call of a procedure. */
    boolean mayRun(int procedure) {
        return states.get(index(procedure)).handedOver() == 0;
    }

    /** Records how many nanoseconds a call took on the polling thread. */
    void ranOnPoller(int procedure, long nanos) {
        int index = index(procedure);
        var state = states.get(index);
        // If two calls end at once, one result may be lost. A later call makes up for it.
        states.compareAndSet(index, state, state.ranOnPoller(nanos <= QUICK_NANOS));
    }

    /** Records how many nanoseconds a call took on a thread of its own. */
    void ranOnOwnThread(int procedure, long nanos) {
        int index = index(procedure);
        var state = states.get(index);
        states.compareAndSet(index, state, state.ranOnOwnThread(nanos <= QUICK_NANOS));
    }

    private static int index(int procedure) {
        return Integer.remainderUnsigned(procedure, STATES);
    }
}
