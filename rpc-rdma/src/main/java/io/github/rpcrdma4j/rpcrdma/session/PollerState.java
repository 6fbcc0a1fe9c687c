package io.github.rpcrdma4j.rpcrdma.session;

import java.util.List;

/**
 * The states of a polling thread of a server, which also runs calls.
 *
 * <pre>
 *   .----- DONE ------.
 *   v                 |
 *   POLLS -- NEXT --> RUNS_CALL -- LATE, --> RELIEVED -- DONE --> ENDED
 *    |                             STOPS                            ^
 *    `--------------------------- STOPS ----------------------------'
 * </pre>
 */
enum PollerState {
    /** The thread polls, or handles completions. */
    POLLS,
    /** The thread runs a call. */
    RUNS_CALL,
    /** The thread runs a call, and another thread polls in its place, or the server stops. */
    RELIEVED,
    /** The thread has ended. */
    ENDED;

    /** The events of a polling thread. */
    enum Event {
        /** A call is due. */
        NEXT,
        /** No call is due any more. */
        DONE,
        /** The call has taken too long. */
        LATE,
        /** The server stops. */
        STOPS
    }

    /** The actions of a step, which run in the order of its list. */
    enum Action {
        /** Due calls, and replies that wait to be sent, move to other threads. */
        HAND_OVER,
        /** The running call is interrupted. */
        INTERRUPT
    }

    /** The next state after an event, and the actions to take. */
    record Step(PollerState next, List<Action> actions) {
        private static final Step BEGINS = to(RUNS_CALL);
        private static final Step POLLS_ON = to(POLLS);
        private static final Step RELIEVES = to(RELIEVED, Action.HAND_OVER);
        private static final Step INTERRUPTS = to(RELIEVED, Action.HAND_OVER, Action.INTERRUPT);
        private static final Step INTERRUPTED = to(RELIEVED, Action.INTERRUPT);
        private static final Step STILL_RELIEVED = to(RELIEVED);
        private static final Step ENDS = to(ENDED);
        private static final Step STOPPED = to(ENDED, Action.HAND_OVER);

        private static Step to(PollerState next, Action... actions) {
            return new Step(next, List.of(actions));
        }
    }

    /** Returns whether the thread accepts calls to run later. */
    boolean acceptsCalls() {
        return this == POLLS || this == RUNS_CALL;
    }

    /** Returns whether the thread runs a call. */
    boolean runsCall() {
        return this == RUNS_CALL || this == RELIEVED;
    }

    /** Returns the step for an event in this state. */
    Step on(Event event) {
        return switch (this) {
            case POLLS ->
                    switch (event) {
                        case NEXT -> Step.BEGINS;
                        case DONE, LATE -> Step.POLLS_ON;
                        case STOPS -> Step.STOPPED;
                    };
            case RUNS_CALL ->
                    switch (event) {
                        case NEXT -> Step.BEGINS;
                        case DONE -> Step.POLLS_ON;
                        case LATE -> Step.RELIEVES;
                        case STOPS -> Step.INTERRUPTS;
                    };
            case RELIEVED ->
                    switch (event) {
                        case NEXT, DONE -> Step.ENDS;
                        case LATE -> Step.STILL_RELIEVED;
                        case STOPS -> Step.INTERRUPTED;
                    };
            case ENDED -> Step.ENDS;
        };
    }
}
