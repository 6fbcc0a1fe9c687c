package io.github.rpcrdma4j.rpcrdma.session;

import java.util.List;

/**
 * The states of polling on a connection. At most one thread polls at a time: the leader.
 *
 * <pre>
 *   .------ RETURNS ------.
 *   v                     |
 *   FREE -- WAITS, ---> POLLED -- CLOSES ---> CLOSING
 *    |      HURRIES                              |
 *    |                                        RETURNS
 *    |                                           v
 *    `-------------- CLOSES ----------------> CLOSED
 * </pre>
 */
enum Leadership {
    /** No thread polls. */
    FREE,
    /** A thread polls. */
    POLLED,
    /** The connection is closed, and a thread still polls. */
    CLOSING,
    /** The connection is closed, and no thread polls. */
    CLOSED;

    /** The events of polling. */
    enum Event {
        /** A thread begins to wait. */
        WAITS,
        /** The polling thread returns, with or without completions. */
        RETURNS,
        /** A thread stops waiting, because it has its answer. */
        LEAVES,
        /** A thread needs the completions that wake no thread at once. */
        HURRIES,
        /** The connection is closed. */
        CLOSES
    }

    /** The actions of a step, which run in the order of its list. */
    enum Action {
        /** The thread polls. */
        LEAD,
        /** The thread is parked until it is woken. */
        FOLLOW,
        /** The completions are handled. */
        HANDLE,
        /** A parked thread is woken, to poll. */
        WAKE_FOLLOWER,
        /** The polling thread is woken. */
        WAKE_LEADER,
        /** The completion queue is closed. */
        CLOSE_QUEUE
    }

    /** The next state after an event, and the actions to take. */
    record Step(Leadership next, List<Action> actions) {
        private static final Step LEADS = to(POLLED, Action.LEAD);
        private static final Step LED = to(FREE, Action.HANDLE);
        private static final Step LEFT_FREE = to(FREE, Action.WAKE_FOLLOWER);
        private static final Step CLOSED_FREE = to(CLOSED, Action.CLOSE_QUEUE);
        private static final Step FOLLOWS = to(POLLED, Action.FOLLOW);
        private static final Step HURRIED = to(POLLED, Action.WAKE_LEADER, Action.FOLLOW);
        private static final Step CLOSED_POLLED = to(CLOSING, Action.WAKE_LEADER);
        private static final Step ENDED = to(CLOSED, Action.CLOSE_QUEUE, Action.HANDLE);
        private static final Step WAITS_FOR_END = to(CLOSING, Action.FOLLOW);
        private static final Step WAITS_AFTER_END = to(CLOSED, Action.FOLLOW);
        private static final Step STILL_FREE = to(FREE);
        private static final Step STILL_POLLED = to(POLLED);
        private static final Step STILL_CLOSING = to(CLOSING);
        private static final Step STILL_CLOSED = to(CLOSED);

        private static Step to(Leadership next, Action... actions) {
            return new Step(next, List.of(actions));
        }
    }

    /** Returns the step for an event in this state. */
    Step on(Event event) {
        return switch (this) {
            case FREE ->
                    switch (event) {
                        case WAITS, HURRIES -> Step.LEADS;
                        case RETURNS -> Step.STILL_FREE;
                        case LEAVES -> Step.LEFT_FREE;
                        case CLOSES -> Step.CLOSED_FREE;
                    };
            case POLLED ->
                    switch (event) {
                        case WAITS -> Step.FOLLOWS;
                        case HURRIES -> Step.HURRIED;
                        case RETURNS -> Step.LED;
                        case LEAVES -> Step.STILL_POLLED;
                        case CLOSES -> Step.CLOSED_POLLED;
                    };
            case CLOSING ->
                    switch (event) {
                        case WAITS, HURRIES -> Step.WAITS_FOR_END;
                        case RETURNS -> Step.ENDED;
                        case LEAVES, CLOSES -> Step.STILL_CLOSING;
                    };
            case CLOSED ->
                    switch (event) {
                        case WAITS, HURRIES -> Step.WAITS_AFTER_END;
                        case RETURNS, LEAVES, CLOSES -> Step.STILL_CLOSED;
                    };
        };
    }
}
