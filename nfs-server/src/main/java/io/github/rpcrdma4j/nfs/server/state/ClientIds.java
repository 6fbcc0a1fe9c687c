package io.github.rpcrdma4j.nfs.server.state;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.util.Optional;

/**
 * The clients of minor version 0: SETCLIENTID, SETCLIENTID_CONFIRM, and how operations name their
 * client (RFC 7530, Sections 16.33, 16.34 and 9.5).
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
        var old = clients.confirmed(owner, sender);
        if (old != null && !old.principal.equals(sender.principal())) {
            if (clients.isInUse(old, now)) {
                return journal.refused(Nfs4Status.CLID_INUSE);
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
        return journal.afterChanges(null, client.host.host);
    }

    /** RENEW, for a client whose lease was renewed as it was found: OK or CB_PATH_DOWN. */
    Outcome<Void> renew(ClientUse use) {
        return use.client().isOutOfReach()
                ? journal.refused(Nfs4Status.CB_PATH_DOWN)
                : journal.ok(null);
    }

    /** Returns where a client of any version comes from. */
    Optional<Host> host(long clientId, long now) {
        return Optional.ofNullable(clients.find(clientId, now)).map(each -> each.host.host);
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
        var client = clients.find(clientId, now);
        if (client == null || !client.hasOwners() || !client.isConfirmed) {
            return journal.refused(Nfs4Status.STALE_CLIENTID);
        }
        return use(client, sender, now);
    }

    /**
     * Finds the client of a stateid, and renews its lease: OK, BAD_STATEID, STALE_STATEID or
     * EXPIRED.
     */
    Outcome<ClientUse> holding(StateId id, Sender sender, long now) {
        if (id.isReserved()) {
            return journal.refused(Nfs4Status.BAD_STATEID);
        }
        if (!ids.isOfThisBoot(id)) {
            return journal.refused(Nfs4Status.STALE_STATEID);
        }
        var client = clients.findIndex(StateIds.clientIndex(id));
        if (client == null) {
            return journal.refused(
                    clients.wasIndex(StateIds.clientIndex(id))
                            ? Nfs4Status.EXPIRED
                            : Nfs4Status.BAD_STATEID);
        }
        return client.hasOwners()
                ? use(client, sender, now)
                : journal.refused(Nfs4Status.BAD_STATEID);
    }

    private Outcome<ClientUse> use(Client client, Sender sender, long now) {
        if (client.hasLost()) {
            // The client gets another client ID by SETCLIENTID. Until then it has nothing.
            return journal.refused(Nfs4Status.EXPIRED);
        }
        leases.renew(client, now);
        return journal.ok(new LeaseUse(client, sender.host()));
    }
}
