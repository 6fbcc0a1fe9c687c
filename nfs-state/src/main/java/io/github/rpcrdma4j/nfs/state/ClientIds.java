package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.CallbackPath;
import io.github.rpcrdma4j.nfs.state.event.HostName;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.state.event.Sender;
import io.github.rpcrdma4j.nfs.state.event.UnconfirmedId;
import io.github.rpcrdma4j.nfs.state.table.ClientPlaces;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.oncrpc.share.HostPlace;
import java.util.Optional;

/**
 * The clients of minor version 0: SETCLIENTID, SETCLIENTID_CONFIRM, RENEW, and how operations name
 * their client (RFC 7530, Sections 9.5, 16.28, 16.33 and 16.34).
 *
 * <p>An operation names its client by a client ID or by a stateid. Knowing one is not enough: the
 * operation also has to come from an address that the client is known at ({@link ClientPlaces}), or
 * from the proven principal that made the client. A client that moves names itself from its new
 * address, is refused, and sends SETCLIENTID from there. Its name and verifier alone are not enough
 * either, because other servers know these.
 *
 * <p>Tests: {@code SetClientIdTest}, {@code ClientPlacesTest}.
 */
final class ClientIds {
    private final Journal journal;
    private final Leases leases;
    private final Clients clients;
    private final StateIds ids;

    ClientIds(Journal journal, Leases leases, Clients clients, StateIds ids) {
        this.journal = journal;
        this.leases = leases;
        this.clients = clients;
        this.ids = ids;
    }

    Outcome<UnconfirmedId> set(
            ClientOwner owner,
            CallbackPath path,
            long freshId,
            long freshVerifier,
            Sender sender,
            long now) {
        if (freshVerifier == 0) {
            // The random value cannot serve; the client asks again, with another one.
            return journal.refused(Nfs4Status.DELAY);
        }
        if (HostName.isOfHost(owner.name())) {
            return journal.refused(Nfs4Status.CLID_INUSE);
        }
        var old = clients.named(owner, sender);
        if (old == null) {
            clients.noteTried(owner, sender, now);
        }
        if (old != null && !old.principal.equals(sender.principal())) {
            if (clients.isInUse(old, now)) {
                return journal.refused(Nfs4Status.CLID_INUSE);
            }
            if (!clients.mayRemove(old)) {
                return journal.refused(Nfs4Status.DELAY);
            }
            clients.remove(old, now);
        } else if (old != null && isUpdate(old, owner)) {
            clients.forgetUnconfirmed(old.name, now);
            old.pendingVerifier = freshVerifier;
            old.pendingPath = path;
            return journal.ok(new UnconfirmedId(old.id, freshVerifier));
        }
        var added = clients.addVersion0(owner, freshId, freshVerifier, sender, now);
        if (!added.isOk()) {
            return journal.refused(added.status());
        }
        added.client().callOn(path);
        return journal.ok(new UnconfirmedId(freshId, freshVerifier));
    }

    /** A client that lost its state gets another client ID, so that it knows. */
    private static boolean isUpdate(Client old, ClientOwner owner) {
        return !old.hasSessions && !old.hasLost() && old.owner.verifier() == owner.verifier();
    }

    Outcome<Void> confirm(long clientId, long verifier, Sender sender, long now) {
        var client = clients.find(clientId, now);
        if (client == null || !client.hasOwners()) {
            return journal.refused(Nfs4Status.STALE_CLIENTID);
        }
        if (!client.principal.equals(sender.principal())) {
            return journal.refused(Nfs4Status.CLID_INUSE);
        }
        boolean isPending = client.pendingVerifier != 0 && verifier == client.pendingVerifier;
        if (verifier != client.verifier && !isPending) {
            return journal.refused(Nfs4Status.STALE_CLIENTID);
        }
        if (!client.isConfirmed) {
            if (!clients.makeRoom(client, now)) {
                return journal.refused(Nfs4Status.DELAY);
            }
            clients.confirm(client, now);
        } else if (isPending) {
            client.verifier = verifier;
            client.pendingVerifier = 0;
            client.callOn(client.pendingPath);
            client.pendingPath = null;
        }
        client.places.add(sender.place());
        return journal.afterChanges(null, client.placeUse.place);
    }

    /**
     * RENEW: OK, STALE_CLIENTID, EXPIRED or CB_PATH_DOWN.
     *
     * <p>A client that has moved to another address gets CB_PATH_DOWN there: the server does not
     * reach it any more. It sends SETCLIENTID, so that its new address is known, and loses nothing.
     */
    Outcome<Void> renew(long clientId, Sender sender, long now) {
        var client = confirmed(clientId, now);
        if (client == null) {
            return journal.refused(Nfs4Status.STALE_CLIENTID);
        }
        var may = mayUse(client, sender, Nfs4Status.CB_PATH_DOWN, true);
        if (may != Nfs4Status.OK) {
            return journal.refused(may);
        }
        leases.renew(client, now);
        return client.isOutOfReach() ? journal.refused(Nfs4Status.CB_PATH_DOWN) : journal.ok(null);
    }

    /** Returns where a client of any version comes from. */
    Optional<HostPlace> place(long clientId, long now) {
        return Optional.ofNullable(clients.find(clientId, now)).map(each -> each.placeUse.place);
    }

    /** Returns where a client is called back. */
    Optional<CallbackPath> path(long clientId, long now) {
        var client = clients.find(clientId, now);
        return client == null || !client.isConfirmed
                ? Optional.empty()
                : Optional.ofNullable(client.path);
    }

    /** Notes how a call over a path has ended. */
    void called(long clientId, CallbackPath path, boolean isAnswered, long now) {
        var client = clients.find(clientId, now);
        if (client != null && client.path == path) {
            client.answers(isAnswered);
        }
    }

    /** Finds the client of a client ID, and renews its lease: OK, STALE_CLIENTID or EXPIRED. */
    Outcome<ClientUse> named(long clientId, Sender sender, long now) {
        var client = confirmed(clientId, now);
        if (client == null) {
            return journal.refused(Nfs4Status.STALE_CLIENTID);
        }
        var may = mayUse(client, sender, Nfs4Status.STALE_CLIENTID, true);
        return may == Nfs4Status.OK ? use(client, sender, now) : journal.refused(may);
    }

    private Client confirmed(long clientId, long now) {
        var client = clients.find(clientId, now);
        return client != null && client.hasOwners() && client.isConfirmed ? client : null;
    }

    /**
     * Finds the client of the open by which a new lock owner locks, as {@link #holding} does. The
     * owner has to be of that client.
     *
     * @param clientId that of the lock owner
     */
    Outcome<ClientUse> locking(long clientId, StateId open, Sender sender, long now) {
        var named = named(clientId, sender, now);
        if (!named.isOk()) {
            return named;
        }
        var holding = holding(open, sender, now);
        boolean isOther = holding.isOk() && holding.value().clientId() != clientId;
        return isOther ? journal.refused(Nfs4Status.BAD_STATEID) : holding;
    }

    /**
     * Finds the client of a stateid, and renews its lease if the client has what the stateid stands
     * for: OK, BAD_STATEID, STALE_STATEID or EXPIRED.
     */
    Outcome<ClientUse> holding(StateId id, Sender sender, long now) {
        if (id.isReserved()) {
            return journal.refused(Nfs4Status.BAD_STATEID);
        }
        if (!ids.isOfThisBoot(id)) {
            return journal.refused(Nfs4Status.STALE_STATEID);
        }
        var client = clients.findIndex(ids.index(id));
        if (client == null) {
            return journal.refused(
                    clients.wasIndex(ids.index(id)) ? Nfs4Status.EXPIRED : Nfs4Status.BAD_STATEID);
        }
        if (!client.hasOwners()) {
            return journal.refused(Nfs4Status.BAD_STATEID);
        }
        // With STALE_STATEID a client that has moved sends RENEW, and repeats the operation.
        boolean isKnown = client.knows(ids.number(id, client));
        var may = mayUse(client, sender, Nfs4Status.STALE_STATEID, isKnown);
        if (may == Nfs4Status.OK && !isKnown) {
            may = Nfs4Status.BAD_STATEID;
        }
        return may == Nfs4Status.OK ? use(client, sender, now) : journal.refused(may);
    }

    /**
     * Returns whether a sender may act for a client: OK or EXPIRED.
     *
     * @param elsewhere what a sender is owed that is none of the client
     * @param knows whether the sender has named the client as nobody guesses
     */
    private static Nfs4Status mayUse(
            Client client, Sender sender, Nfs4Status elsewhere, boolean knows) {
        if (client.hasLost()) {
            // The client gets another client ID by SETCLIENTID. Until then it has nothing.
            return Nfs4Status.EXPIRED;
        }
        if (client.isUsedBy(sender)) {
            return Nfs4Status.OK;
        }
        if (knows) {
            client.places.hear(sender.place());
        }
        return elsewhere;
    }

    private Outcome<ClientUse> use(Client client, Sender sender, long now) {
        leases.renew(client, now);
        return journal.ok(new LeaseUse(client, sender));
    }
}
