package io.github.rpcrdma4j.rpcrdma.fetched;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * The life of a reply whose data the requester fetches (RFC 5666, Sections 3.5 and 3.8).
 *
 * <pre>
 *               SENT              DONE
 *   ANNOUNCING --------> EXPOSED ---------> FINISHED
 *       |                                      ^
 *       | DONE                   SENT          |
 *       `------------> SETTLED ----------------'     LOST finishes every state
 * </pre>
 *
 * That a Send is done may be noticed after the answer to it: until then its memory is not ours.
 */
enum ExposureState {
    /** The reply is on its way, and perhaps there. */
    ANNOUNCING,
    /** The requester may fetch. */
    EXPOSED,
    /** The peer may not fetch any more, but the reply is not known to be sent. */
    SETTLED,
    /** Nothing more will happen. */
    FINISHED;

    /** What can happen to it. */
    enum Event {
        /** The reply has left. */
        SENT,
        /** The requester has what it wanted, or took too long. */
        DONE,
        /** The connection is gone. */
        LOST
    }

    /** What must be done, in the order of the constants. */
    enum Action {
        /** Invalidate the memory, before anything else may look at it. */
        FENCE,
        /** Give the memory back. */
        RELEASE
    }

    /** Where an event leads, and what must be done on the way there. */
    record Step(ExposureState next, Set<Action> actions) {}

    private static Step to(ExposureState next) {
        return new Step(next, Set.of());
    }

    private static Step to(ExposureState next, Action first, Action... more) {
        return new Step(next, Collections.unmodifiableSet(EnumSet.of(first, more)));
    }

    /**
     * The step that {@code event} takes from this state.
     *
     * @throws AssertionError if the event cannot happen in this state: our own mistake
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
