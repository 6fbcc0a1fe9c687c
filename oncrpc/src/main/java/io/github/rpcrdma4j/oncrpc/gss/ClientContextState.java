package io.github.rpcrdma4j.oncrpc.gss;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * The life of the contexts of a client with one program, one after the other (RFC 2203, Sections
 * 5.2 and 5.3.3.3).
 *
 * <pre>
 *            WANTED              COMPLETE
 *   ABSENT ---------> NEGOTIATING -------> ESTABLISHED
 *     ^                   | FAILED            | REJECTED, USED_UP
 *     `-------------------+-------------------'
 *
 *   CLOSED follows every state.
 * </pre>
 */
enum ClientContextState {
    /** There is none. */
    ABSENT,
    /** Tokens go back and forth. */
    NEGOTIATING,
    /** Calls may use it. */
    ESTABLISHED,
    /** The client is closed. */
    CLOSED;

    /** What can happen. */
    enum Event {
        /** A call needs a context. */
        WANTED,
        /** Either end wants another token. */
        MORE_NEEDED,
        /** Both ends are done, and the server signed its window. */
        COMPLETE,
        /** Either end refuses. */
        FAILED,
        /** The server denied a call of the newest context. */
        REJECTED,
        /** The newest context has no sequence numbers left. */
        USED_UP,
        /** The client is being closed. */
        CLOSE
    }

    /** What must be done, in the order of the constants. */
    enum Action {
        /** Begin a context and send its first token. */
        INITIATE,
        /** Send the next token. */
        CONTINUE,
        /** Let the call use the context. */
        USE,
        /** Tell the server that the context is not needed any more. */
        DESTROY,
        /** Forget the keys when the last call of the context has ended. */
        RETIRE,
        /** Fail the call. */
        FAIL
    }

    /** Where an event leads, and what must be done on the way there. */
    record Step(ClientContextState next, Set<Action> actions) {}

    private static Step to(ClientContextState next, Action first, Action... more) {
        return new Step(next, Collections.unmodifiableSet(EnumSet.of(first, more)));
    }

    private Step stay() {
        return new Step(this, Set.of());
    }

    /** The step that {@code event} takes from this state. */
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
                        // What is denied now used an older context.
                        case WANTED, REJECTED, USED_UP -> stay();
                    };
            case ESTABLISHED ->
                    switch (event) {
                        case WANTED -> to(ESTABLISHED, Action.USE);
                        // Without a number nothing can be said to the server any more.
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
