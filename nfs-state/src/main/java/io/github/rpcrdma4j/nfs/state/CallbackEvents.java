package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.Urgency;
import io.github.rpcrdma4j.nfs.state.table.Lateness;
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
     * Takes a slot for a call of the server to a client. There is none for it while more urgent
     * calls wait for one ({@link #await}).
     */
    public CallbackSlot take(long clientId, Urgency urgency, long now) {
        return sessions.takeCallback(clientId, urgency, now);
    }

    /** Takes a slot for a call of the server in one session, as above. */
    public CallbackSlot take(SessionId session, Urgency urgency) {
        return sessions.takeCallback(session, urgency);
    }

    /** A call of the server has found no free slot of a client, and waits for one. */
    public AwaitedSlot await(long clientId, Urgency urgency, long now) {
        return sessions.awaitSlot(clientId, urgency, now);
    }

    /**
     * A call has got its slot, or waits no longer.
     *
     * @throws IllegalStateException if it has not waited any more before
     */
    public void awaitNoLonger(AwaitedSlot awaited) {
        sessions.awaitNoLonger(awaited);
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
