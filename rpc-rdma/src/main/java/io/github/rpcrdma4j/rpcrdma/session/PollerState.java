package io.github.rpcrdma4j.rpcrdma.session;

import java.util.List;

/**
 * Whether a thread of a server that polls is held up by a call that it carries out.
 *
 * <pre>
 *   .----- DONE ------.
 *   v                 |
 *   POLLS -- NEXT --> CARRIES_OUT -- LATE, --> RELIEVED -- DONE --> ENDED
 *    |                               STOPS                            ^
 *    `---------------------------- STOPS -----------------------------'
 * </pre>
 */
enum PollerState {
    /** It polls, or handles what arrived. */
    POLLS,
    /** It carries out a call. */
    CARRIES_OUT,
    /** It carries out a call, and another thread polls in its place or the server stops. */
    RELIEVED,
    /** It does nothing any more. */
    ENDED;

    /** What can happen. */
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

    /** What must be done, in the order of the list. */
    enum Action {
        /** Calls that are due, and replies that wait to leave, go to other threads. */
        HAND_OVER,
        /** The call is interrupted. */
        INTERRUPT
    }

    /** Where an event leads, and what must be done on the way there. */
    record Step(PollerState next, List<Action> actions) {
        private static final Step BEGINS = to(CARRIES_OUT);
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

    /** Whether the thread takes calls for later. */
    boolean takesCalls() {
        return this == POLLS || this == CARRIES_OUT;
    }

    /** Whether the thread carries out a call. */
    boolean carriesOut() {
        return this == CARRIES_OUT || this == RELIEVED;
    }

    /** The step that {@code event} takes from this state. */
    Step on(Event event) {
        return switch (this) {
            case POLLS ->
                    switch (event) {
                        case NEXT -> Step.BEGINS;
                        case DONE, LATE -> Step.POLLS_ON;
                        case STOPS -> Step.STOPPED;
                    };
            case CARRIES_OUT ->
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
