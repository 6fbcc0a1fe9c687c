package io.github.rpcrdma4j.rpcrdma.requester;

import java.util.List;

/**
 * The states of a call at the requester (RFC 8166, Sections 3.3.1, 4.4.1 and 4.5).
 *
 * <pre>
 *              CREDIT                ANSWERED
 *   WAITING ------------> OUTSTANDING ---------> FINISHED
 *      |                      |                     ^  ^
 *      |                      | CANCELLED           |  |
 *      |                      v           ANSWERED  |  |
 *      |                  ABANDONED ----------------'  |
 *      `-------------------------------- CANCELLED ----'      LOST finishes every state
 * </pre>
 *
 * An abandoned call keeps its XID and its credit, because it still uses a receive of the responder,
 * which may still answer.
 */
public enum CallState {
    /** The call is encoded and waits for a credit. */
    WAITING,
    /** The call was sent, and the responder may access its memory. */
    OUTSTANDING,
    /** The caller gave up, and the responder has not answered yet. */
    ABANDONED,
    /** The call has ended. */
    FINISHED;

    /** The events of a call. */
    public enum Event {
        /** A credit is available for the call. */
        CREDIT,
        /** A usable reply arrived, or an RDMA_ERROR for the XID. */
        ANSWERED,
        /**
         * The caller gave up because of an interrupt or a deadline. Its memory is fenced at once
         * (RFC 8166-8.1.4-2).
         */
        CANCELLED,
        /** The connection has ended. */
        LOST
    }

    /** The actions of a step, which run in the order of the constants. */
    public enum Action {
        /** Send the call. */
        SEND,
        /** Invalidate the exposed memory, before any other use of it (RFC 8166-4.4.1-1). */
        FENCE,
        /** Return the credit for another call. */
        RETURN_CREDIT,
        /** Remove the XID from the table, so that a late answer is dropped. */
        FORGET,
        /** Deliver the answer to the caller. */
        COMPLETE
    }

    /** The next state after an event, and the actions to take. */
    public record Step(CallState next, List<Action> actions) {
        private static final Step SENT = to(OUTSTANDING, Action.SEND);
        private static final Step ANSWER =
                to(FINISHED, Action.FENCE, Action.RETURN_CREDIT, Action.FORGET, Action.COMPLETE);
        private static final Step GIVEN_UP = to(ABANDONED, Action.FENCE, Action.COMPLETE);
        private static final Step NEVER_SENT =
                to(FINISHED, Action.FENCE, Action.FORGET, Action.COMPLETE);
        private static final Step FORGOTTEN = to(FINISHED, Action.RETURN_CREDIT, Action.FORGET);
        private static final Step STILL_WAITING = to(WAITING);
        private static final Step STILL_OUTSTANDING = to(OUTSTANDING);
        private static final Step STILL_ABANDONED = to(ABANDONED);
        private static final Step STILL_FINISHED = to(FINISHED);

        private static Step to(CallState next, Action... actions) {
            return new Step(next, List.of(actions));
        }
    }

    /** Returns the step for an event in this state. */
    public Step on(Event event) {
        return switch (this) {
            case WAITING ->
                    switch (event) {
                        case CREDIT -> Step.SENT;
                        // The XID was never sent, so the answer is not for this call.
                        case ANSWERED -> Step.STILL_WAITING;
                        case CANCELLED, LOST -> Step.NEVER_SENT;
                    };
            case OUTSTANDING ->
                    switch (event) {
                        case CREDIT -> Step.STILL_OUTSTANDING;
                        case ANSWERED, LOST -> Step.ANSWER;
                        case CANCELLED -> Step.GIVEN_UP;
                    };
            case ABANDONED ->
                    switch (event) {
                        case CREDIT, CANCELLED -> Step.STILL_ABANDONED;
                        case ANSWERED, LOST -> Step.FORGOTTEN;
                    };
            case FINISHED -> Step.STILL_FINISHED;
        };
    }
}
