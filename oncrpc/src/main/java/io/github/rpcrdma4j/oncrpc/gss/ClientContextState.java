package io.github.rpcrdma4j.oncrpc.gss;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * The states of a client's successive contexts with one program (RFC 2203, Sections 5.2 and
 * 5.3.3.3).
 *
 * <pre>
 *            WANTED              COMPLETE
 *   ABSENT ---------> NEGOTIATING -------> ESTABLISHED
 *     ^                   | FAILED            | REJECTED, USED_UP
 *     `-------------------+-------------------'
 *
 *   CLOSE leads from every state to CLOSED.
 * </pre>
 */
enum ClientContextState {
    /** There is no context. */
    ABSENT,
    /** The two ends exchange tokens. */
    NEGOTIATING,
    /** Calls may use the context. */
    ESTABLISHED,
    /** The client is closed. */
    CLOSED;

    /** The events of a context. */
    enum Event {
        /** A call needs a context. */
        WANTED,
        /** Either end needs another token. */
        MORE_NEEDED,
        /** Both ends have completed the context, and the server signed its window. */
        COMPLETE,
        /** Either end refused the context. */
        FAILED,
        /** The server denied a call of the newest context. */
        REJECTED,
        /** The newest context has no sequence numbers left. */
        USED_UP,
        /** The client is being closed. */
        CLOSE
    }

    /** The actions of a step, in the order of the constants. */
    enum Action {
        /** Begins a context and sends its first token. */
        INITIATE,
        /** Sends the next token. */
        CONTINUE,
        /** Lets the call use the context. */
        USE,
        /** Sends DESTROY, which ends the context at the server. */
        DESTROY,
        /** Destroys the keys when the last call of the context has ended. */
        RETIRE,
        /** Fails the call. */
        FAIL
    }

    /** The result of an event: the next state, and the actions to take. */
    record Step(ClientContextState next, Set<Action> actions) {}

    private static Step to(ClientContextState next, Action first, Action... more) {
        return new Step(next, Collections.unmodifiableSet(EnumSet.of(first, more)));
    }

    private Step stay() {
        return new Step(this, Set.of());
    }

    /** Returns the step for an event in this state. */
    Step on(Event event) {
        return switch (this) {
            case ABSENT ->
                    switch (event) {
                        case WANTED -> to(NEGOTIATING, Action.INITIATE);
                        case CLOSE -> new Step(CLOSED, Set.of());
                        case MORE_NEEDED, COMPLETE, FAILED, REJECTED, USED_UP -> stay();
                    };
            case NEGOTIATING ->
                    switch (event) {
                        case MORE_NEEDED -> to(NEGOTIATING, Action.CONTINUE);
                        case COMPLETE -> to(ESTABLISHED, Action.USE);
                        case FAILED -> to(ABSENT, Action.RETIRE, Action.FAIL);
                        case CLOSE -> to(CLOSED, Action.RETIRE, Action.FAIL);
                        // A call that is denied now used an older context.
                        case WANTED, REJECTED, USED_UP -> stay();
                    };
            case ESTABLISHED ->
                    switch (event) {
                        case WANTED -> to(ESTABLISHED, Action.USE);
                        // DESTROY needs a valid context with a free sequence number, so it is not
                        // sent.
                        case REJECTED, USED_UP -> to(ABSENT, Action.RETIRE);
                        case CLOSE -> to(CLOSED, Action.DESTROY, Action.RETIRE);
                        case MORE_NEEDED, COMPLETE, FAILED -> stay();
                    };
            case CLOSED ->
                    switch (event) {
                        case WANTED -> to(CLOSED, Action.FAIL);
                        case MORE_NEEDED, COMPLETE, FAILED, REJECTED, USED_UP, CLOSE -> stay();
                    };
        };
    }
}
