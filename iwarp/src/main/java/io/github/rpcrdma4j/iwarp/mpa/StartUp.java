package io.github.rpcrdma4j.iwarp.mpa;

import java.util.List;

/**
 * The start of data flow on an established connection: the initiator sends first, and the responder
 * sends nothing before it has received the first frame (RFC 5044, Section 7.1.2). Pure.
 *
 * <pre>{@code
 * initiator                                        responder
 * SILENT --POSTED: start timer--> SENDING ---.     HELD
 *    |                             |   ^     | TIMED_OUT: send empty Write
 *    |                             |   '-----'     |
 *    | RECEIVED           RECEIVED |               | RECEIVED: release
 *    '-------------------------> FLOWING <---------'
 * }</pre>
 *
 * The empty RDMA Write is for the Linux driver siw, which processes frames that come right after
 * its reply only when more bytes follow.
 */
public enum StartUp {
    /** The initiator has sent nothing. */
    SILENT,
    /** The initiator has sent something, and has received nothing from the responder. */
    SENDING,
    /** The responder has received nothing from the initiator. */
    HELD,
    /** Both sides may send. */
    FLOWING;

    /** An event of the start. */
    public enum Event {
        /** The upper layer posted work. */
        POSTED,
        /** A whole frame of the peer has arrived. */
        RECEIVED,
        /** The peer has sent nothing for some time. */
        TIMED_OUT
    }

    /** An action that a step requires. */
    public enum Action {
        /** Start the timer of the first frame. */
        START_TIMER,
        /** Send an empty RDMA Write, a frame without effect. */
        SEND_EMPTY_WRITE,
        /** Let the posted work be sent. */
        RELEASE
    }

    /** The state after an event, and the actions that the step requires. */
    public record Step(StartUp next, List<Action> actions) {
        private static Step to(StartUp next, Action... actions) {
            return new Step(next, List.of(actions));
        }
    }

    /** Returns the initial state of a side. */
    public static StartUp of(boolean isInitiator) {
        return isInitiator ? SILENT : HELD;
    }

    /** Returns the step from this state on {@code event}. */
    public Step on(Event event) {
        return switch (this) {
            case SILENT ->
                    switch (event) {
                        case POSTED -> Step.to(SENDING, Action.START_TIMER);
                        case RECEIVED -> Step.to(FLOWING);
                        case TIMED_OUT -> Step.to(SILENT);
                    };
            case SENDING ->
                    switch (event) {
                        case POSTED -> Step.to(SENDING);
                        case RECEIVED -> Step.to(FLOWING);
                        case TIMED_OUT -> Step.to(SENDING, Action.SEND_EMPTY_WRITE);
                    };
            case HELD ->
                    switch (event) {
                        case POSTED, TIMED_OUT -> Step.to(HELD);
                        // RFC 5044-7.1.2-4.
                        case RECEIVED -> Step.to(FLOWING, Action.RELEASE);
                    };
            case FLOWING -> Step.to(FLOWING);
        };
    }
}
