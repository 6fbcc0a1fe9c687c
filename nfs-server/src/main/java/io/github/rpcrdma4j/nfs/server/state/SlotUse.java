package io.github.rpcrdma4j.nfs.server.state;

import io.github.rpcrdma4j.nfs.v4.type.SessionId;

/**
 * A COMPOUND that is carried out: it uses a slot from SEQUENCE to {@link ServerState#finish}. The
 * events of its operations take it.
 */
public final class SlotUse {
    final Session session;
    final Slot slot;
    private final boolean keepsReply;
    boolean isFinished;

    /** The number of the record that the COMPOUND has waited for; 0 if it has not. */
    long awaitedRecord;

    SlotUse(Session session, Slot slot, boolean keepsReply) {
        this.session = session;
        this.slot = slot;
        this.keepsReply = keepsReply;
    }

    /** Returns whether the session ended while the COMPOUND was in progress. */
    boolean isDead() {
        return session.isRemoved;
    }

    Client client() {
        return session.client;
    }

    /** Returns the client of the session. */
    public long clientId() {
        return session.client.id;
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
