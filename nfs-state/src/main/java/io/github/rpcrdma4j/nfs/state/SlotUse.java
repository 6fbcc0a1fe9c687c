package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.CallPlace;
import io.github.rpcrdma4j.nfs.state.event.SequenceCall;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.SessionId;
import io.github.rpcrdma4j.oncrpc.share.HostPlace;

/**
 * A COMPOUND of a session that is in progress. It uses a slot from SEQUENCE to {@link
 * ServerState#finish}. The events of its operations take it.
 */
public final class SlotUse extends ClientUse {
    final Session session;
    final Slot slot;
    private final boolean keepsReply;
    private final CallPlace place;
    boolean isFinished;

    SlotUse(Session session, Slot slot, SequenceCall call) {
        this.session = session;
        this.slot = slot;
        this.keepsReply = call.cachesReply();
        this.place = new CallPlace(session.id, call.slot(), call.sequence());
    }

    CallPlace place() {
        return place;
    }

    /** Returns DEADSESSION if the session ended while the COMPOUND was in progress. */
    @Override
    Nfs4Status presence() {
        return session.isRemoved ? Nfs4Status.DEADSESSION : Nfs4Status.OK;
    }

    @Override
    Client client() {
        return session.client;
    }

    @Override
    public HostPlace where() {
        return session.client.placeUse.place;
    }

    public SessionId sessionId() {
        return session.id;
    }

    /** Returns whether the client asked to keep the reply. */
    public boolean keepsReply() {
        return keepsReply;
    }

    /** Returns the length of the longest reply message, in bytes. */
    public int responseMax() {
        return session.fore.responseMax();
    }

    /** Returns the length of the longest reply message that may be kept, in bytes. */
    public int cachedMax() {
        return session.fore.cachedMax();
    }
}
