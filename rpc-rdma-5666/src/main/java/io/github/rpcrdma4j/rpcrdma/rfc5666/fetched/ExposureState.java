package io.github.rpcrdma4j.rpcrdma.rfc5666.fetched;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * The states of a reply whose data the requester fetches (RFC 5666, Sections 3.5 and 3.8).
 *
 * <pre>
 *               SENT              DONE
 *   ANNOUNCING --------> EXPOSED ---------> FINISHED
 *       |                                      ^
 *       | DONE                   SENT          |
 *       `------------> SETTLED ----------------'     LOST finishes every state
 * </pre>
 *
 * The responder may see the completion of a Send after the peer's done notice for it. Until that
 * completion the memory of the Send must stay untouched.
 */
enum ExposureState {
    /** The Send of the reply is posted and has not completed; the reply may have arrived. */
    ANNOUNCING,
    /** The Send has completed, and the requester may fetch. */
    EXPOSED,
    /** The requester may not fetch any more, but the Send has not completed. */
    SETTLED,
    /** The final state. */
    FINISHED;

    /** An event in the life of an exposed reply. */
    enum Event {
        /** The Send of the reply has completed. */
        SENT,
        /** The requester has fetched what it wanted, or took too long. */
        DONE,
        /** The connection is lost. */
        LOST
    }

    /** An action of the owner of the memory. Actions run in the order of the constants. */
    enum Action {
        /** Invalidate the memory, before any other access to it. */
        FENCE,
        /** Give the memory back. */
        RELEASE
    }

    /** The next state, and the actions that lead to it. */
    record Step(ExposureState next, Set<Action> actions) {}

    private static Step to(ExposureState next) {
        return new Step(next, Set.of());
    }

    private static Step to(ExposureState next, Action first, Action... more) {
        return new Step(next, Collections.unmodifiableSet(EnumSet.of(first, more)));
    }

    /**
     * Returns the step that {@code event} takes from this state.
     *
     * @throws AssertionError if the event cannot happen in this state, which is a defect of ours
     */
    Step on(Event event) {
        return switch (this) {
            case ANNOUNCING ->
                    switch (event) {
                        case SENT -> to(EXPOSED);
                        case DONE -> to(SETTLED, Action.FENCE);
                        case LOST -> to(FINISHED, Action.FENCE, Action.RELEASE);
                    };
            case EXPOSED ->
                    switch (event) {
                        case DONE, LOST -> to(FINISHED, Action.FENCE, Action.RELEASE);
                        case SENT -> throw impossible(event);
                    };
            case SETTLED ->
                    switch (event) {
                        case SENT, LOST -> to(FINISHED, Action.RELEASE);
                        case DONE -> throw impossible(event);
                    };
            case FINISHED ->
                    switch (event) {
                        case LOST -> to(FINISHED);
                        case SENT, DONE -> throw impossible(event);
                    };
        };
    }

    private AssertionError impossible(Event event) {
        return new AssertionError(event + " in state " + this);
    }
}
