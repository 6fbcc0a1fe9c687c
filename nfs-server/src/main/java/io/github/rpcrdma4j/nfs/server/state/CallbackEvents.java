package io.github.rpcrdma4j.nfs.server.state;

import io.github.rpcrdma4j.nfs.v4.type.SessionId;

/**
 * The events of {@link ServerState} that are about the slots of back channels. Its rules hold for
 * them.
 */
public final class CallbackEvents {
    private final Sessions sessions;
    private final Lateness answers;

    CallbackEvents(Sessions sessions, Lateness answers) {
        this.sessions = sessions;
        this.answers = answers;
    }

    /**
     * Takes a slot for a call of the server to a client, except CB_GETATTR. If none is free,
     * CB_GETATTR gets none for a short time, so that this call finds one.
     */
    public CallbackSlot take(long clientId, long now) {
        return sessions.takeCallback(clientId, now);
    }

    /** Takes a slot for a call of the server in one session, as above. */
    public CallbackSlot take(SessionId session, long now) {
        return sessions.takeCallback(session, now);
    }

    /**
     * Takes a slot for CB_GETATTR. Clients decide how often the server asks others for attributes,
     * so these calls go behind all others.
     */
    public CallbackSlot takeToAsk(long clientId, long now) {
        return sessions.takeToAsk(clientId, now);
    }

    /**
     * A client was asked by CB_GETATTR, and has answered or not.
     *
     * @param nanos how long another client has waited for that
     */
    public void asked(Callback call, long nanos, long now) {
        answers.add(call.session().client.place, nanos, now);
    }

    /**
     * A call of the server has ended.
     *
     * @throws IllegalStateException if it had ended before
     */
    public void end(Callback call, Callback.End end) {
        sessions.endCallback(call, end);
    }
}
