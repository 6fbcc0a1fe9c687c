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
 * In each of the three connected states, a close or fault of the peer, a loss of the LLP connection
 * and a local error close the stream.
 */
public enum StreamState {
    /** There is no LLP connection yet. */
    UNCONNECTED,
    /** Both sides may send. */
    OPEN,
    /**
     * The upper layer has closed the stream. Work that it posted before is sent within the grace
     * period.
     */
    CLOSING,
    /** Nothing can be sent any more. Bytes that the peer sent before are still to be read. */
    BROKEN,
    /** The stream has ended. */
    CLOSED;

    /** An event of the stream. */
    public enum Event {
        /** The LLP connection is established. */
        CONNECTED,
        /** The peer violated the protocol of a layer. */
        FAULT,
        /** A Terminate of the peer has arrived. This side answers with none (RFC 5040-5.4-3). */
        TERMINATE_RECEIVED,
        /** The peer closed its side of the LLP connection. */
        LLP_CLOSED,
        /** A read found the LLP connection lost. */
        LLP_LOST,
        /** This side cannot continue, without a fault of the peer. */
        LOCAL_ERROR,
        /** A sending thread found the LLP connection lost, or the memory to send invalid. */
        SEND_FAILED,
        /** The polling thread has read the bytes that arrived before sending failed. */
        POLLED,
        /** The upper layer closes the stream. */
        LOCAL_CLOSE,
        /** All posted work is sent, or the grace period is over. */
        GRACE_OVER
    }

    /** An action that a step requires; actions run in this order. */
    public enum Action {
        /** Send a Terminate that reports the peer's fault. */
        SEND_TERMINATE,
        /** Let the polling thread end the stream. */
        REPORT,
        /** Close the LLP connection. */
        CLOSE_LLP,
        /** Complete all posted work as flushed. */
        FLUSH
    }

    /** The state after an event, and the actions that the step requires. */
    public record Step(StreamState next, List<Action> actions) {
        private static final Step CLOSE = to(CLOSED, Action.CLOSE_LLP, Action.FLUSH);

        private static Step to(StreamState next, Action... actions) {
            return new Step(next, List.of(actions));
        }
    }

    /** Returns whether there is an LLP connection. */
    public boolean isConnected() {
        return this == OPEN || this == CLOSING || this == BROKEN;
    }

    /** Returns whether this side may send. */
    public boolean maySend() {
        return this == OPEN || this == CLOSING;
    }

    /** Returns the step from this state on {@code event}. */
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
     * Returns the step that reports the peer's fault to it (RFC 5040-7.1-2, 5041-6.2-1). Nothing
     * follows the Terminate (RFC 5040-5.4-1). It reports the first fault, because this side reads
     * nothing after that (RFC 5040-7.1-3, 5041-7.1-12).
     */
    private static Step terminated() {
        return Step.to(CLOSED, Action.SEND_TERMINATE, Action.CLOSE_LLP, Action.FLUSH);
    }
}
