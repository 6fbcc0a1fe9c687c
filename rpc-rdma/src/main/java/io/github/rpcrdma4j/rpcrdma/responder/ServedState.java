package io.github.rpcrdma4j.rpcrdma.responder;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

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
    /** The program has it, but nobody waits for the reply any more. */
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
    public record Step(ServedState next, Set<Action> actions) {}

    private static Step to(ServedState next) {
        return new Step(next, Set.of());
    }

    private static Step to(ServedState next, Action first, Action... more) {
        return new Step(next, Collections.unmodifiableSet(EnumSet.of(first, more)));
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
                        case FETCHED -> to(RUNNING, Action.RUN);
                        case LOST -> to(FINISHED, Action.RELEASE);
                        case ANSWERED, DROPPED, SENT -> throw impossible(event);
                    };
            case RUNNING ->
                    switch (event) {
                        case ANSWERED -> to(REPLYING, Action.REPLY);
                        case DROPPED -> to(FINISHED, Action.DISCARD, Action.RELEASE);
                        case LOST -> to(ORPHANED);
                        case FETCHED, SENT -> throw impossible(event);
                    };
            case ORPHANED ->
                    switch (event) {
                        case ANSWERED, DROPPED -> to(FINISHED, Action.RELEASE);
                        case LOST -> to(ORPHANED);
                        case FETCHED, SENT -> throw impossible(event);
                    };
            case REPLYING ->
                    switch (event) {
                        case SENT, LOST -> to(FINISHED, Action.RELEASE);
                        case FETCHED, ANSWERED, DROPPED -> throw impossible(event);
                    };
            case FINISHED ->
                    switch (event) {
                        case LOST -> to(FINISHED);
                        case FETCHED, ANSWERED, DROPPED, SENT -> throw impossible(event);
                    };
        };
    }

    private AssertionError impossible(Event event) {
        return new AssertionError(event + " in state " + this);
    }
}
