package io.github.rpcrdma4j.nfs.server.state;

import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.util.function.LongConsumer;

/**
 * The events of {@link ServerState} that minor version 0 alone has (RFC 7530). Its rules hold for
 * them.
 */
public final class LeaseEvents {
    private final LongConsumer begin;
    private final ClientIds ids;

    /**
     * @param begin lets time pass before an event
     */
    LeaseEvents(LongConsumer begin, ClientIds ids) {
        this.begin = begin;
        this.ids = ids;
    }

    /**
     * SETCLIENTID: NFS4_OK, CLID_INUSE or DELAY.
     *
     * @param freshId a random number, so that no client guesses the ID of another
     * @param freshVerifier likewise
     */
    public Outcome<UnconfirmedId> setClientId(
            ClientOwner owner, long freshId, long freshVerifier, Sender sender, long now) {
        begin.accept(now);
        return ids.set(owner, freshId, freshVerifier, sender, now);
    }

    /** SETCLIENTID_CONFIRM: NFS4_OK, STALE_CLIENTID, CLID_INUSE or DELAY. */
    public Outcome<Void> confirmClientId(long clientId, long verifier, Sender sender, long now) {
        begin.accept(now);
        return ids.confirm(clientId, verifier, sender, now);
    }

    /**
     * An operation names its client by its ID, which renews the lease: NFS4_OK, STALE_CLIENTID, or
     * EXPIRED if the client has lost state and has not sent SETCLIENTID since. RENEW does no more.
     */
    public Outcome<ClientUse> named(long clientId, Sender sender, long now) {
        begin.accept(now);
        return ids.named(clientId, sender, now);
    }

    /**
     * An operation names its client by a stateid, which renews the lease: NFS4_OK, BAD_STATEID,
     * STALE_STATEID or EXPIRED. The event of the operation checks the stateid itself.
     */
    public Outcome<ClientUse> holding(StateId id, Sender sender, long now) {
        begin.accept(now);
        return ids.holding(id, sender, now);
    }

    /** An operation names no client. */
    public ClientUse nameless(Sender sender) {
        return new LeaseUse(null, sender.host());
    }
}
