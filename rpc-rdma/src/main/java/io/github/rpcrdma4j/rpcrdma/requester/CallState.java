package io.github.rpcrdma4j.rpcrdma.requester;

import java.util.List;

/**
 * What becomes of a call (RFC 8166, Sections 3.3.1, 4.4.1 and 4.5).
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
 * An abandoned call keeps its XID and its credit: the responder still holds the receive that it
 * used and may still answer.
 */
public enum CallState {
    /** Built, and waits for a credit. */
    WAITING,
    /** Sent; the responder may reach its memory. */
    OUTSTANDING,
    /** The caller gave up; the responder has not answered. */
    ABANDONED,
    /** Nothing more will happen. */
    FINISHED;

    /** What can happen to a call. */
    public enum Event {
        /** A credit is free for it. */
        CREDIT,
        /** A usable reply came, or an RDMA_ERROR for its XID. */
        ANSWERED,
        /**
         * The caller gave up: interrupt or deadline; its memory is shut at once (RFC 8166-8.1.4-2).
         */
        CANCELLED,
        /** The connection is gone. */
        LOST
    }

    /** What must be done, in the order of the constants. */
    public enum Action {
        /** Put it on the wire. */
        SEND,
        /**
         * Invalidate the memory it exposes, before anything else may look at it (RFC 8166-4.4.1-1).
         */
        FENCE,
        /** Its credit is free for another call. */
        RETURN_CREDIT,
        /** Its XID may be used again, and a late answer is dropped. */
        FORGET,
        /** Tell the caller. */
        COMPLETE
    }

    /** Where an event leads, and what must be done on the way there. */
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

    /** The step that {@code event} takes from this state. */
    public Step on(Event event) {
        return switch (this) {
            case WAITING ->
                    switch (event) {
                        case CREDIT -> Step.SENT;
                        // Its XID was never on the wire, so an answer is not for it.
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
