package io.github.rpcrdma4j.rpcrdma.responder;

import java.util.List;

/**
 * The states of a call at the responder.
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
 * A running call that is DROPPED becomes FINISHED without a reply. The program of an orphaned call
 * still reads its arguments, so their memory stays until it returns.
 */
public enum ServedState {
    /** RDMA Reads for its Read chunks are posted, or the call waits for quota. */
    FETCHING,
    /** The program runs, or is about to. */
    RUNNING,
    /** The program runs, but the connection has ended. */
    ORPHANED,
    /** The reply is posted, or waits to be. */
    REPLYING,
    /** The call has ended. */
    FINISHED;

    /** The events of a call. */
    public enum Event {
        /** All of its arguments have arrived. */
        FETCHED,
        /** There is no memory for its arguments. */
        REFUSED,
        /** The program returned. */
        ANSWERED,
        /** No reply is due. */
        DROPPED,
        /** The reply was sent. */
        SENT,
        /** The connection has ended. */
        LOST
    }

    /** The actions of a step, which run in the order of the constants. */
    public enum Action {
        /** Run its program. */
        RUN,
        /** Post its receive again, then its reply. */
        REPLY,
        /** Post its receive again. */
        DISCARD,
        /** Free all of its memory. */
        RELEASE
    }

    /** The next state after an event, and the actions to take. */
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
     * Returns the step for an event in this state.
     *
     * @throws AssertionError if the event cannot happen in this state, which is a bug
     */
    public Step on(Event event) {
        return switch (this) {
            case FETCHING ->
                    switch (event) {
                        case FETCHED -> Step.RUN;
                        case REFUSED -> Step.REPLY;
                        case LOST -> Step.NEVER_RUN;
                        case ANSWERED, DROPPED, SENT -> throw impossible(event);
                    };
            case RUNNING ->
                    switch (event) {
                        case ANSWERED -> Step.REPLY;
                        case DROPPED -> Step.DROP;
                        case LOST -> Step.ORPHAN;
                        case FETCHED, REFUSED, SENT -> throw impossible(event);
                    };
            case ORPHANED ->
                    switch (event) {
                        case ANSWERED, DROPPED -> Step.DONE;
                        case LOST -> Step.ORPHAN;
                        case FETCHED, REFUSED, SENT -> throw impossible(event);
                    };
            case REPLYING ->
                    switch (event) {
                        case SENT, LOST -> Step.DONE;
                        case FETCHED, REFUSED, ANSWERED, DROPPED -> throw impossible(event);
                    };
            case FINISHED ->
                    switch (event) {
                        case LOST -> Step.STILL_FINISHED;
                        case FETCHED, REFUSED, ANSWERED, DROPPED, SENT -> throw impossible(event);
                    };
        };
    }

    private AssertionError impossible(Event event) {
        return new AssertionError(event + " in state " + this);
    }
}
