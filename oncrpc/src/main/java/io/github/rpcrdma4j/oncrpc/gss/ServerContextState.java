package io.github.rpcrdma4j.oncrpc.gss;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * The states of a context at the server (RFC 2203, Sections 5.2 and 5.3.3).
 *
 * <pre>
 *          MORE_NEEDED               COMPLETE               DESTROY, EXPIRED
 *   BEGUN ------------> NEGOTIATING ---------> ESTABLISHED -----------------> GONE
 *     |                      |                                                 ^
 *     |   FAILED, EXPIRED    |   FAILED, EXPIRED                               |
 *     `----------------------+-------------------------------------------------'
 * </pre>
 *
 * An event without an action in a state cannot happen there, or has no effect.
 */
enum ServerContextState {
    /** The first token has arrived. */
    BEGUN,
    /** The two ends exchange tokens. */
    NEGOTIATING,
    /** Calls may use the context. */
    ESTABLISHED,
    /** The context was destroyed, was refused or is too old. */
    GONE;

    /** The events of a context. */
    enum Event {
        /** A token has arrived. */
        TOKEN,
        /** The mechanism accepted the token and needs another one. */
        MORE_NEEDED,
        /** The mechanism accepted the token, and the context is complete. */
        COMPLETE,
        /** The mechanism refused the token. */
        FAILED,
        /** A call has arrived with the handle of the context. */
        CALL,
        /** The header of a call is not signed by the context. */
        UNSIGNED,
        /** The sequence number of a signed header was not seen before. */
        FRESH,
        /** The sequence number was seen before, or is below the window. */
        STALE,
        /** The sequence number is above MAXSEQ. */
        BEYOND,
        /** A fresh call requests the end of the context. */
        DESTROY,
        /** The context is too old, was idle for too long, or must make room for another. */
        EXPIRED
    }

    /** The actions of a step, in the order of the constants. */
    enum Action {
        /** Passes the token to the mechanism. */
        STEP,
        /** Checks the verifier, and then the sequence number. */
        VERIFY,
        /** Adds the context to the store, so that calls find it. */
        STORE,
        /** Removes the context from the store, and destroys its keys. */
        FORGET,
        /** Sends a reply without results, with a signature. */
        CONFIRM,
        /** Sends the mechanism's token. */
        ANSWER,
        /** Sends the mechanism's token, and the window, signed. */
        ANSWER_SIGNED,
        /** Sends the mechanism's refusal. */
        ANSWER_REFUSAL,
        /** Admits the call. */
        SERVE,
        /** Sends no reply. */
        DROP,
        /** Denies the call with RPCSEC_GSS_CREDPROBLEM. */
        DENY_CREDENTIAL,
        /** Denies the call with RPCSEC_GSS_CTXPROBLEM. */
        DENY_CONTEXT
    }

    /** The result of an event: the next state, and the actions to take. */
    record Step(ServerContextState next, Set<Action> actions) {}

    private static Step to(ServerContextState next, Action first, Action... more) {
        return new Step(next, Collections.unmodifiableSet(EnumSet.of(first, more)));
    }

    private Step stay() {
        return new Step(this, Set.of());
    }

    private Step deny() {
        return to(this, Action.DENY_CREDENTIAL);
    }

    /** Returns the step for an event in this state. */
    Step on(Event event) {
        return switch (this) {
            case BEGUN ->
                    switch (event) {
                        case TOKEN -> to(BEGUN, Action.STEP);
                        case MORE_NEEDED -> to(NEGOTIATING, Action.STORE, Action.ANSWER);
                        case COMPLETE -> to(ESTABLISHED, Action.STORE, Action.ANSWER_SIGNED);
                        case FAILED -> to(GONE, Action.FORGET, Action.ANSWER_REFUSAL);
                        case EXPIRED -> to(GONE, Action.FORGET);
                        case CALL, UNSIGNED, FRESH, STALE, BEYOND, DESTROY -> deny();
                    };
            case NEGOTIATING ->
                    switch (event) {
                        case TOKEN -> to(NEGOTIATING, Action.STEP);
                        case MORE_NEEDED -> to(NEGOTIATING, Action.ANSWER);
                        case COMPLETE -> to(ESTABLISHED, Action.STORE, Action.ANSWER_SIGNED);
                        case FAILED -> to(GONE, Action.FORGET, Action.ANSWER_REFUSAL);
                        case EXPIRED -> to(GONE, Action.FORGET);
                        case CALL, UNSIGNED, FRESH, STALE, BEYOND, DESTROY -> deny();
                    };
            case ESTABLISHED ->
                    switch (event) {
                        case CALL -> to(ESTABLISHED, Action.VERIFY);
                        case FRESH -> to(ESTABLISHED, Action.SERVE);
                        case STALE -> to(ESTABLISHED, Action.DROP);
                        case BEYOND -> to(ESTABLISHED, Action.DENY_CONTEXT);
                        case DESTROY -> to(GONE, Action.FORGET, Action.CONFIRM);
                        case EXPIRED -> to(GONE, Action.FORGET);
                        case TOKEN, MORE_NEEDED, COMPLETE, FAILED, UNSIGNED -> deny();
                    };
            case GONE ->
                    switch (event) {
                        case EXPIRED -> stay();
                        case TOKEN,
                                MORE_NEEDED,
                                COMPLETE,
                                FAILED,
                                CALL,
                                UNSIGNED,
                                FRESH,
                                STALE,
                                BEYOND,
                                DESTROY ->
                                deny();
                    };
        };
    }
}
