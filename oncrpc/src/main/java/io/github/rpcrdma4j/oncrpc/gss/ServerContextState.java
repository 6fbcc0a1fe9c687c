package io.github.rpcrdma4j.oncrpc.gss;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * The life of a context at the server (RFC 2203, Sections 5.2 and 5.3.3).
 *
 * <pre>
 *          MORE_NEEDED               COMPLETE               DESTROY, EXPIRED
 *   BEGUN ------------> NEGOTIATING ---------> ESTABLISHED -----------------> GONE
 *     |                      |                                                 ^
 *     |   FAILED, EXPIRED    |   FAILED, EXPIRED                               |
 *     `----------------------+-------------------------------------------------'
 * </pre>
 *
 * What leaves no action behind cannot happen, or matters to no one.
 */
enum ServerContextState {
    /** The first token came. */
    BEGUN,
    /** Tokens go back and forth. */
    NEGOTIATING,
    /** Calls may use it. */
    ESTABLISHED,
    /** Destroyed, refused or too old. */
    GONE;

    /** What can happen to a context. */
    enum Event {
        /** A token came. */
        TOKEN,
        /** The mechanism took it and wants another. */
        MORE_NEEDED,
        /** The mechanism took it and is done. */
        COMPLETE,
        /** The mechanism refuses it. */
        FAILED,
        /** A call came that says it uses the context. */
        CALL,
        /** The header of a call is not signed by the context. */
        UNSIGNED,
        /** The sequence number of a signed header was not seen before. */
        FRESH,
        /** It was, or is below the window. */
        STALE,
        /** It is above MAXSEQ. */
        BEYOND,
        /** A fresh call asks for the end of the context. */
        DESTROY,
        /** It lived long enough, was idle for too long, or has to make room. */
        EXPIRED
    }

    /** What must be done, in the order of the constants. */
    enum Action {
        /** Give the token to the mechanism. */
        STEP,
        /** Check the verifier, and then the sequence number. */
        VERIFY,
        /** Let calls find it. */
        STORE,
        /** Let no call find it any more, and forget its keys. */
        FORGET,
        /** Answer nothing but a signature. */
        CONFIRM,
        /** Send the mechanism's token. */
        ANSWER,
        /** Send the mechanism's token, and the window, signed. */
        ANSWER_SIGNED,
        /** Send the mechanism's refusal. */
        ANSWER_REFUSAL,
        /** Let the call in. */
        SERVE,
        /** Answer nothing. */
        DROP,
        /** Deny: RPCSEC_GSS_CREDPROBLEM. */
        DENY_CREDENTIAL,
        /** Deny: RPCSEC_GSS_CTXPROBLEM. */
        DENY_CONTEXT
    }

    /** Where an event leads, and what must be done on the way there. */
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

    /** The step that {@code event} takes from this state. */
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
