package io.github.rpcrdma4j.nfs.server.state;

import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.SessionId;
import java.util.LinkedHashMap;
import java.util.Map;

/** One incarnation of a client. */
final class Client {
    final long id;

    /** Names the client in stateids; given to no other client before all numbers were used. */
    final int index;

    final ClientOwner owner;
    final Principal principal;
    final StateProtection protection;
    final Map<SessionId, Session> sessions = new LinkedHashMap<>();

    /** The newest name of the implementation. */
    String implementation;

    boolean isConfirmed;

    /** Whether the client was removed. A COMPOUND in progress may still refer to it. */
    boolean isRemoved;

    /** The sequence of the last CREATE_SESSION, and its results; null before the first. */
    int sequence;

    CreatedSession created;

    /** When the lease was renewed last. */
    long renewed;

    /** The number of COMPOUNDs in progress. The lease does not expire meanwhile. */
    int running;

    /** The storage change that wrote the record of this client; 0 if it has none. */
    long recordNumber;

    boolean reclaimComplete;

    Client(
            long id,
            int index,
            ExchangeIdCall call,
            Principal principal,
            StateProtection protection,
            long now) {
        this.id = id;
        this.index = index;
        this.owner = call.owner();
        this.principal = principal;
        this.protection = protection;
        this.implementation = call.implementation();
        this.renewed = now;
    }

    /** Returns whether the client has opens or locks. */
    boolean hasState() {
        return false;
    }

    /** Returns the bits of {@code sr_status_flags} for state that was taken from the client. */
    int revokedFlags() {
        return 0;
    }

    ClientRecord record() {
        return new ClientRecord(owner.name(), principal);
    }
}
