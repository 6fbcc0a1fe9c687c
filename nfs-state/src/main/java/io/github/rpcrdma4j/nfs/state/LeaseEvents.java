package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.CallbackPath;
import io.github.rpcrdma4j.nfs.state.event.FileKey;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.state.event.OwnerCall;
import io.github.rpcrdma4j.nfs.state.event.OwnerReply;
import io.github.rpcrdma4j.nfs.state.event.Sender;
import io.github.rpcrdma4j.nfs.state.event.UnconfirmedId;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.oncrpc.share.HostPlace;
import java.util.Optional;
import java.util.function.LongConsumer;

/**
 * The events of {@link ServerState} that minor version 0 alone has (RFC 7530). Its rules hold for
 * them.
 *
 * <p>Tests: {@code SetClientIdTest}, {@code OwnersTest}.
 */
public final class LeaseEvents {
    private final LongConsumer begin;
    private final ClientIds ids;
    private final Owners owners;
    private final Journal journal;

    /**
     * @param begin lets time pass before an event
     */
    LeaseEvents(LongConsumer begin, ClientIds ids, Owners owners, Journal journal) {
        this.begin = begin;
        this.ids = ids;
        this.owners = owners;
        this.journal = journal;
    }

    /**
     * SETCLIENTID: NFS4_OK, CLID_INUSE or DELAY.
     *
     * @param path where the client is called back; null if it cannot be
     * @param freshId a random number, so that no client guesses the ID of another
     * @param freshVerifier likewise
     */
    public Outcome<UnconfirmedId> setClientId(
            ClientOwner owner,
            CallbackPath path,
            long freshId,
            long freshVerifier,
            Sender sender,
            long now) {
        begin.accept(now);
        return ids.set(owner, path, freshId, freshVerifier, sender, now);
    }

    /** SETCLIENTID_CONFIRM: NFS4_OK, STALE_CLIENTID, CLID_INUSE or DELAY. */
    public Outcome<Void> confirmClientId(long clientId, long verifier, Sender sender, long now) {
        begin.accept(now);
        return ids.confirm(clientId, verifier, sender, now);
    }

    /**
     * An operation names its client by its ID, which renews the lease: NFS4_OK, STALE_CLIENTID,
     * also if the sender is none of the client, or EXPIRED if the client has lost state and has not
     * sent SETCLIENTID since.
     */
    public Outcome<ClientUse> named(long clientId, Sender sender, long now) {
        begin.accept(now);
        return ids.named(clientId, sender, now);
    }

    /**
     * RENEW: NFS4_OK, STALE_CLIENTID, EXPIRED as above, or CB_PATH_DOWN if the client has
     * delegations and did not answer the last call of the server. The lease is renewed then, too.
     * It is not if CB_PATH_DOWN is about a sender that is none of the client: such as a client that
     * has moved to another address, and has to send SETCLIENTID from there.
     */
    public Outcome<Void> renew(long clientId, Sender sender, long now) {
        begin.accept(now);
        return ids.renew(clientId, sender, now);
    }

    /** Returns where a client of any version comes from; nothing if there is no such client. */
    public Optional<HostPlace> place(long clientId, long now) {
        return ids.place(clientId, now);
    }

    /** Returns where a client is called back; nothing if it cannot be. */
    public Optional<CallbackPath> path(long clientId, long now) {
        return ids.path(clientId, now);
    }

    /**
     * A call of the server has ended.
     *
     * @param path where the client was called: it may have named another one meanwhile
     * @param isAnswered whether the client has answered, with any status
     */
    public void called(long clientId, CallbackPath path, boolean isAnswered, long now) {
        ids.called(clientId, path, isAnswered, now);
    }

    /**
     * An operation names its client by a stateid, which renews the lease if the client has what it
     * stands for: NFS4_OK, BAD_STATEID, STALE_STATEID, also if the sender is none of the client, or
     * EXPIRED. The event of the operation checks the sequence and the file of the stateid.
     */
    public Outcome<ClientUse> holding(StateId id, Sender sender, long now) {
        begin.accept(now);
        return ids.holding(id, sender, now);
    }

    /**
     * LOCK of a new lock owner names its client by a stateid of an open, as above, and by its ID:
     * also STALE_CLIENTID, and BAD_STATEID if these are two clients.
     *
     * @param clientId that of the lock owner
     */
    public Outcome<ClientUse> locking(long clientId, StateId open, Sender sender, long now) {
        begin.accept(now);
        return ids.locking(clientId, open, sender, now);
    }

    /**
     * An operation is in the sequence of an owner: NFS4_OK, BAD_SEQID, BAD_STATEID, NOSPC if the
     * client has too many owners, or DELAY if there is no room because of others, and while an
     * operation of the owner is in progress that may be this one. A reply is kept for the principal
     * that got it: the repetition of another one gets BAD_SEQID.
     */
    public Outcome<OwnerTurn> beginTurn(ClientUse use, OwnerCall call, long now) {
        begin.accept(now);
        return owners.begin(use, call, now);
    }

    /**
     * An operation of an owner has ended.
     *
     * @param status that of the operation; some do not count in the sequence (RFC 7530, Section
     *     9.1.7)
     * @param reply what answers a repetition
     * @throws IllegalStateException if it had ended before
     */
    public Outcome<Void> endTurn(
            OwnerTurn.Next turn, Nfs4Status status, OwnerReply reply, long now) {
        begin.accept(now);
        owners.end(turn, status, reply, now);
        return journal.ok(null);
    }

    /** OPEN_CONFIRM: NFS4_OK, or an error of the stateid. */
    public Outcome<StateId> confirmOpen(ClientUse use, FileKey file, StateId id, long now) {
        begin.accept(now);
        return owners.confirm(use, file, id);
    }

    /** RELEASE_LOCKOWNER: NFS4_OK, LOCKS_HELD, or DELAY while the owner has a call in progress. */
    public Outcome<Void> releaseLockOwner(ClientUse use, OpaqueName name, long now) {
        begin.accept(now);
        return owners.release(use, name, now);
    }

    /** An operation names no client. */
    public ClientUse nameless(Sender sender) {
        return new LeaseUse(null, sender);
    }
}
