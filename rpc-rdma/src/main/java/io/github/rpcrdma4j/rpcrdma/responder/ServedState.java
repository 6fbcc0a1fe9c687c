package io.github.rpcrdma4j.rpcrdma.responder;

import java.util.List;

/**
 * The life of a call at the responder.
 *
 * <pre>
 *            FETCHED           ANSWERED            SENT
 *   FETCHING -------> RUNNING ---------> REPLYING ------> FINISHED
 *      | LOST            | LOST             | LOST           ^ ^
 *      |                 v        ANSWERED  |                | |
 *      |             ORPHANED --------------+----------------' |
 *      `----------------------------------------------------- -'
 * </pre>
 *
 * A running call that turns out to be DROPPED is FINISHED without a reply. The program of an
 * orphaned call still looks at its arguments, so their memory stays until it returns.
 */
public enum ServedState {
    /** RDMA Reads for its Read chunks are on their way, or wait for room. */
    FETCHING,
    /** The program has it. */
    RUNNING,
    /** The program has it, but its requester waits for the reply no more. */
    ORPHANED,
    /** The reply is on its way. */
    REPLYING,
    /** Nothing more will happen. */
    FINISHED;

    /** What can happen to a call. */
    public enum Event {
        /** All of its arguments are here. */
        FETCHED,
        /** The program returned. */
        ANSWERED,
        /** Nothing is owed for it. */
        DROPPED,
        /** The reply has left. */
        SENT,
        /** The connection is gone. */
        LOST
    }

    /** What must be done, in the order of the constants. */
    public enum Action {
        /** Give it to its program. */
        RUN,
        /** Post a receive in place of the one it used, then its reply. */
        REPLY,
        /** Post a receive in place of the one it used. */
        DISCARD,
        /** Give back all of its memory. */
        RELEASE
    }

    /** Where an event leads, and what must be done on the way there. */
    public record Step(ServedState next, List<Action> actions) {
        private static final Step RUN = to(RUNNING, Action.RUN);
        private static final Step NEVER_RUN = to(FINISHED, Action.RELEASE);
        private static final Step REPLY = to(REPLYING, Action.REPLY);
        private static final Step DROP = to(FINISHED, Action.DISCARD, Action.RELEASE);
        private static final Step ORPHAN = to(ORPHANED);
        private static final Step DONE = to(FINISHED, Action.RELEASE);
        private static final Step STILL_FINISHED = to(FINISHED);

        private static Step to(ServedState next, Action... actions) {
            return new Step(next, List.of(actions));
        }
    }

    /**
     * The step that {@code event} takes from this state.
     *
     * @throws AssertionError if the event cannot happen in this state: our own mistake
     */
    public Step on(Event event) {
        return switch (this) {
            case FETCHING ->
                    switch (event) {
                        case FETCHED -> Step.RUN;
                        case LOST -> Step.NEVER_RUN;
                        case ANSWERED, DROPPED, SENT -> throw impossible(event);
                    };
            case RUNNING ->
                    switch (event) {
                        case ANSWERED -> Step.REPLY;
                        case DROPPED -> Step.DROP;
                        case LOST -> Step.ORPHAN;
                        case FETCHED, SENT -> throw impossible(event);
                    };
            case ORPHANED ->
                    switch (event) {
                        case ANSWERED, DROPPED -> Step.DONE;
                        case LOST -> Step.ORPHAN;
                        case FETCHED, SENT -> throw impossible(event);
                    };
            case REPLYING ->
                    switch (event) {
                        case SENT, LOST -> Step.DONE;
                        case FETCHED, ANSWERED, DROPPED -> throw impossible(event);
                    };
            case FINISHED ->
                    switch (event) {
                        case LOST -> Step.STILL_FINISHED;
                        case FETCHED, ANSWERED, DROPPED, SENT -> throw impossible(event);
                    };
        };
    }

    private AssertionError impossible(Event event) {
        return new AssertionError(event + " in state " + this);
    }
}
