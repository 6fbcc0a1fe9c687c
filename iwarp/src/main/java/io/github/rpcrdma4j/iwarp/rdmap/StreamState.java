package io.github.rpcrdma4j.iwarp.rdmap;

import java.util.List;

/**
 * The life of an RDMAP stream, and above all its end (RFC 5040, Sections 5.4, 6.2 and 7.1). LLP is
 * the lower layer protocol: TCP with MPA. Pure.
 *
 * <pre>{@code
 * UNCONNECTED --CONNECTED--> OPEN --LOCAL_CLOSE--> CLOSING
 *      |                      |  \                 /  |
 *      |                      |   '--SEND_FAILED--'   | GRACE_OVER
 *      |                      |      report |         |
 *      |                      |             v         |
 *      |                      |          BROKEN       |
 *      |                      | FAULT:      | POLLED  |
 *      |                      | terminate   |         |
 *      | LOCAL_CLOSE          v             v         |
 *      '-------------------> CLOSED <-----------------'
 * }</pre>
 *
 * What the peer or the LLP does, and an error of this side, closes the stream from each of the
 * three states in which it is connected.
 */
public enum StreamState {
    /** There is no LLP connection yet. */
    UNCONNECTED,
    /** Both sides send. */
    OPEN,
    /** The upper layer closes; what it posted before is sent within the grace. */
    CLOSING,
    /** Nothing can be sent any more; what the peer sent before is still to be read. */
    BROKEN,
    /** All is over. */
    CLOSED;

    /** What can happen. */
    public enum Event {
        /** The LLP connection stands. */
        CONNECTED,
        /** The peer broke the rules of a layer. */
        FAULT,
        /** A Terminate of the peer has come; no other answers it (RFC 5040-5.4-3). */
        TERMINATE_RECEIVED,
        /** The peer closed its side of the LLP connection. */
        LLP_CLOSED,
        /** The LLP connection was found lost while it was read. */
        LLP_LOST,
        /** This side cannot go on, and the peer has no part in that. */
        LOCAL_ERROR,
        /** A thread that sends found the LLP connection lost, or what it sends gone. */
        SEND_FAILED,
        /** The thread that polls has read what came before the sending failed. */
        POLLED,
        /** The upper layer closes. */
        LOCAL_CLOSE,
        /** All that was posted is sent, or the time for that is up. */
        GRACE_OVER
    }

    /** What must be done, in this order. */
    public enum Action {
        /** Say in a Terminate what the peer did. */
        SEND_TERMINATE,
        /** Leave the end to the thread that polls. */
        REPORT,
        /** Close the LLP connection. */
        CLOSE_LLP,
        /** Complete all that is posted, as flushed. */
        FLUSH
    }

    /** Where an event leads, and what must be done on the way there. */
    public record Step(StreamState next, List<Action> actions) {
        private static final Step CLOSE = to(CLOSED, Action.CLOSE_LLP, Action.FLUSH);

        private static Step to(StreamState next, Action... actions) {
            return new Step(next, List.of(actions));
        }
    }

    /** Whether there is an LLP connection. */
    public boolean isConnected() {
        return this == OPEN || this == CLOSING || this == BROKEN;
    }

    /** Whether something may be sent. */
    public boolean maySend() {
        return this == OPEN || this == CLOSING;
    }

    /** The step that {@code event} takes from this state. */
    public Step on(Event event) {
        return switch (this) {
            case UNCONNECTED ->
                    switch (event) {
                        case CONNECTED -> Step.to(OPEN);
                        case LOCAL_CLOSE -> Step.to(CLOSED, Action.FLUSH);
                        case FAULT,
                                TERMINATE_RECEIVED,
                                LLP_CLOSED,
                                LLP_LOST,
                                LOCAL_ERROR,
                                SEND_FAILED,
                                POLLED,
                                GRACE_OVER ->
                                Step.to(UNCONNECTED);
                    };
            case OPEN ->
                    switch (event) {
                        case CONNECTED, POLLED, GRACE_OVER -> Step.to(OPEN);
                        case SEND_FAILED -> Step.to(BROKEN, Action.REPORT);
                        case LOCAL_CLOSE -> Step.to(CLOSING);
                        case FAULT -> terminated();
                        case TERMINATE_RECEIVED, LLP_CLOSED, LLP_LOST, LOCAL_ERROR -> Step.CLOSE;
                    };
            case CLOSING ->
                    switch (event) {
                        case CONNECTED, POLLED, LOCAL_CLOSE -> Step.to(CLOSING);
                        case SEND_FAILED -> Step.to(BROKEN, Action.REPORT);
                        case FAULT -> terminated();
                        case TERMINATE_RECEIVED, LLP_CLOSED, LLP_LOST, LOCAL_ERROR, GRACE_OVER ->
                                Step.CLOSE;
                    };
            case BROKEN ->
                    switch (event) {
                        case CONNECTED, SEND_FAILED, LOCAL_CLOSE -> Step.to(BROKEN);
                        case FAULT,
                                TERMINATE_RECEIVED,
                                LLP_CLOSED,
                                LLP_LOST,
                                LOCAL_ERROR,
                                POLLED,
                                GRACE_OVER ->
                                Step.CLOSE;
                    };
            case CLOSED -> Step.to(CLOSED);
        };
    }

    /**
     * The peer hears of its fault (RFC 5040-7.1-2, 5041-6.2-1); nothing follows the Terminate (RFC
     * 5040-5.4-1). It is about the first fault, as nothing is read behind it (RFC 5040-7.1-3,
     * 5041-7.1-12).
     */
    private static Step terminated() {
        return Step.to(CLOSED, Action.SEND_TERMINATE, Action.CLOSE_LLP, Action.FLUSH);
    }
}
