package io.github.rpcrdma4j.iwarp.mpa;

import java.util.List;

/**
 * How the flow of data starts on a connection that stands: the initiator sends first, and the
 * responder sends nothing before it has heard that (RFC 5044, Section 7.1.2). Pure.
 *
 * <pre>{@code
 * initiator                                  responder
 * SILENT --POSTED: watch--> SENDING ---.     HELD
 *    |                       |   ^     | TIME_IS_UP: kick
 *    |                       |   '-----'     |
 *    | HEARD           HEARD |               | HEARD: release
 *    '-------------------> FLOWING <---------'
 * }</pre>
 *
 * A kick is an RDMA Write of nothing: the Linux driver siw looks at frames that come right after
 * its reply only when more bytes follow.
 */
public enum StartUp {
    /** The initiator has sent nothing. */
    SILENT,
    /** The initiator has sent something, and has not heard the responder. */
    SENDING,
    /** The responder has not heard the initiator. */
    HELD,
    /** Both sides send. */
    FLOWING;

    /** What can happen. */
    public enum Event {
        /** Work was posted. */
        POSTED,
        /** A whole frame of the peer has come. */
        HEARD,
        /** The peer was silent for a while. */
        TIME_IS_UP
    }

    /** What must be done. */
    public enum Action {
        /** From now on the time counts. */
        WATCH,
        /** Send a frame that means nothing. */
        KICK,
        /** What was posted may leave. */
        RELEASE
    }

    /** Where an event leads, and what must be done on the way there. */
    public record Step(StartUp next, List<Action> actions) {
        private static Step to(StartUp next, Action... actions) {
            return new Step(next, List.of(actions));
        }
    }

    /** Where a side starts. */
    public static StartUp of(boolean isInitiator) {
        return isInitiator ? SILENT : HELD;
    }

    /** The step that {@code event} takes from this state. */
    public Step on(Event event) {
        return switch (this) {
            case SILENT ->
                    switch (event) {
                        case POSTED -> Step.to(SENDING, Action.WATCH);
                        case HEARD -> Step.to(FLOWING);
                        case TIME_IS_UP -> Step.to(SILENT);
                    };
            case SENDING ->
                    switch (event) {
                        case POSTED -> Step.to(SENDING);
                        case HEARD -> Step.to(FLOWING);
                        case TIME_IS_UP -> Step.to(SENDING, Action.KICK);
                    };
            case HELD ->
                    switch (event) {
                        case POSTED, TIME_IS_UP -> Step.to(HELD);
                        // RFC 5044-7.1.2-4.
                        case HEARD -> Step.to(FLOWING, Action.RELEASE);
                    };
            case FLOWING -> Step.to(FLOWING);
        };
    }
}
