package io.github.rpcrdma4j.oncrpc;

import jdk.jfr.FlightRecorder;

/**
 * The time since the newest connection of a client was lost, for the event of it. Not thread-safe.
 */
final class Outage {
    private String reason;
    private int tries;

    /** Null if no recording has run, so that JFR need not learn of the event. */
    private ReconnectEvent event;

    /** A connection was lost. */
    void begin(String why) {
        reason = why;
        tries = 0;
        beginEvent();
    }

    private void beginEvent() {
        event = null;
        if (FlightRecorder.isInitialized()) {
            event = new ReconnectEvent();
            event.begin();
        }
    }

    /** A try to reconnect begins. */
    void tried() {
        tries++;
    }

    /**
     * Commits the event. Another call may try again, with a new event that continues this one.
     *
     * @param connected whether a try succeeded
     */
    void end(boolean connected) {
        var ended = event;
        beginEvent();
        if (ended != null) {
            ended.reason = reason;
            ended.tries = tries;
            ended.connected = connected;
            ended.commit();
        }
    }
}
