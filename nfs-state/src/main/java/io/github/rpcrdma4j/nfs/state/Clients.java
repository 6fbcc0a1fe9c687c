package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.ClientName;
import io.github.rpcrdma4j.nfs.state.event.ClientRecord;
import io.github.rpcrdma4j.nfs.state.event.ExchangeIdCall;
import io.github.rpcrdma4j.nfs.state.event.ExchangedId;
import io.github.rpcrdma4j.nfs.state.event.HostName;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.state.event.Protection;
import io.github.rpcrdma4j.nfs.state.event.Sender;
import io.github.rpcrdma4j.nfs.state.event.SentOwner;
import io.github.rpcrdma4j.nfs.state.table.Indices;
import io.github.rpcrdma4j.nfs.state.table.TriedVerifiers;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The table of clients: carries out EXCHANGE_ID and DESTROY_CLIENTID, and confirms clients (RFC
 * 8881, Sections 18.35 and 18.50).
 */
final class Clients {
    /** A name has at most one confirmed client and one that is not confirmed yet. */
    private static final class Named {
        private Client confirmed;
        private Client unconfirmed;
    }

    private final Journal journal;
    private final Leases leases;
    private final Recovery recovery;
    private final Records records;
    private final Shares shares;
    private final List<Departure> departures = new ArrayList<>();
    private final Map<ClientName, Named> names = new HashMap<>();

    private final CalledClients called = new CalledClients();
    private final TriedVerifiers tried = new TriedVerifiers();

    private final Map<Long, Client> byId = new HashMap<>();
    private final Indices<Client> indices = new Indices<>();

    /** Takes what belongs to a client away with it. */
    interface Departure {
        void clientLeaves(Client client, long now);

        /** The client is kept for as long as no other one needs what it has, without its locks. */
        default void leaseExpires(Client client, long now) {}
    }

    Clients(Journal journal, Leases leases, Recovery recovery, Records records, Shares shares) {
        this.journal = journal;
        this.leases = leases;
        this.recovery = recovery;
        this.records = records;
        this.shares = shares;
    }

    void onDeparture(Departure departure) {
        departures.add(departure);
    }

    Outcome<ExchangedId> exchangeId(ExchangeIdCall call, long freshId, Sender sender, long now) {
        if (!call.hasValidFlags()) {
            return journal.refused(Nfs4Status.INVAL);
        }
        if (call.protection().isMachine() && !sender.isProtected()) {
            return journal.refused(Nfs4Status.INVAL);
        }
        if (HostName.isOfHost(call.owner().name())) {
            return journal.refused(Nfs4Status.CLID_INUSE);
        }
        var old = named(call.owner(), sender);
        if (call.isUpdate()) {
            return update(old, call, sender);
        }
        if (old == null) {
            noteTried(call.owner(), sender, now);
            var elsewhere = elsewhere(call.owner(), sender, now);
            if (elsewhere.isPresent()) {
                return journal.ok(identity(elsewhere.get()));
            }
        } else if (!old.principal.equals(sender.principal())) {
            // Case 3 of RFC 8881, Section 18.35.4: two clients collide.
            if (isInUse(old, now)) {
                return journal.refused(Nfs4Status.CLID_INUSE);
            }
            if (!mayRemove(old)) {
                return journal.refused(Nfs4Status.DELAY);
            }
            remove(old, now);
        } else if (!old.protection.admits(sender, old.principal)) {
            return journal.refused(Nfs4Status.WRONG_CRED);
        } else if (old.hasSessions && old.owner.verifier() == call.owner().verifier()) {
            // Case 2: a retry, which changes nothing, not even the state protection.
            return journal.ok(identity(old));
        }
        // Cases 1, 4 and 5. A restarted client keeps its old incarnation until CREATE_SESSION. So
        // does one that goes over from minor version 0 (RFC 8881, Section 2.4.1).
        var added = add(call.owner(), true, call.protection().granted(), freshId, sender, now);
        if (!added.isOk()) {
            return journal.refused(added.status());
        }
        added.client().implementation = call.implementation();
        return journal.ok(identity(added.client()));
    }

    /** Returns whether another principal cannot have the name of a client. */
    boolean isInUse(Client client, long now) {
        return (client.hasState() || !client.sessions.isEmpty()) && !leases.isExpired(client, now);
    }

    /** Case 6 and the errors of cases 7, 8 and 9. */
    private Outcome<ExchangedId> update(Client old, ExchangeIdCall call, Sender sender) {
        if (old == null || !old.hasSessions) {
            return journal.refused(Nfs4Status.NOENT);
        }
        if (!old.principal.equals(sender.principal())) {
            return journal.refused(Nfs4Status.PERM);
        }
        if (!old.protection.admits(sender, old.principal)) {
            return journal.refused(Nfs4Status.WRONG_CRED);
        }
        if (old.owner.verifier() != call.owner().verifier()) {
            return journal.refused(Nfs4Status.NOT_SAME);
        }
        old.implementation = call.implementation();
        return journal.ok(identity(old));
    }

    /** A new client, or the error that it is owed. */
    record Added(Nfs4Status status, Client client) {
        boolean isOk() {
            return status == Nfs4Status.OK;
        }
    }

    /**
     * Adds a client of minor version 0 that is not confirmed.
     *
     * @param verifier what SETCLIENTID_CONFIRM has to send; random
     */
    Added addVersion0(ClientOwner owner, long freshId, long verifier, Sender sender, long now) {
        var added = add(owner, false, Protection.NONE, freshId, sender, now);
        if (added.isOk()) {
            added.client().verifier = verifier;
        }
        return added;
    }

    /** Adds a host that locks by NLM, at once confirmed: OK or DELAY. */
    Added addHost(ClientOwner owner, long freshId, Sender sender, long now) {
        var added = add(owner, false, Protection.NONE, freshId, sender, now);
        if (!added.isOk()) {
            return added;
        }
        var host = added.client();
        host.isHost = true;
        if (!makeRoom(host, now)) {
            remove(host, now);
            return new Added(Nfs4Status.DELAY, null);
        }
        confirm(host, now);
        return added;
    }

    /** Adds a client that is not confirmed: OK, CLID_INUSE or DELAY. */
    private Added add(
            ClientOwner owner,
            boolean hasSessions,
            Protection protection,
            long freshId,
            Sender sender,
            long now) {
        var name = ClientName.of(owner, sender);
        if (recovery.expectsOther(name, sender.principal())) {
            return new Added(Nfs4Status.CLID_INUSE, null);
        }
        if (freshId == 0 || byId.containsKey(freshId)) {
            // The random value cannot serve; the client asks again, with another one.
            return new Added(Nfs4Status.DELAY, null);
        }
        forgetUnconfirmed(name, now);
        var place = shares.join(sender);
        leases.surplusUnconfirmed(place.host).ifPresent(each -> remove(each, now));
        var client =
                new Client(
                        freshId,
                        indices.next(),
                        hasSessions,
                        owner,
                        name,
                        sender,
                        protection,
                        place,
                        now);
        client.standsIn =
                !recovery.expects(name)
                        && recovery.absent(client.sent()).isPresent()
                        && !tried.areTooMany(sender, now);
        byId.put(freshId, client);
        indices.put(client.index, client);
        names.computeIfAbsent(name, _ -> new Named()).unconfirmed = client;
        leases.addUnconfirmed(client);
        return new Added(Nfs4Status.OK, client);
    }

    /** Removes the client of a name that is not confirmed, if there is one. */
    void forgetUnconfirmed(ClientName name, long now) {
        var named = names.get(name);
        if (named != null && named.unconfirmed != null) {
            remove(named.unconfirmed, now);
        }
    }

    /**
     * Returns the confirmed client that a sender is, or has been before it restarted, or that has
     * its name at its address; null if there is none.
     */
    Client named(ClientOwner sent, Sender sender) {
        var named = called.named(new SentOwner(sent, sender.principal()), sender);
        return named == null ? confirmed(ClientName.of(sent, sender)) : named;
    }

    /**
     * Returns a client with sessions that a sender at another address may be: it has the verifier,
     * which other hosts may know, too. It is told the client ID, so that a client finds out that
     * two of its addresses reach one server (RFC 8881, Section 2.10.5); to use that it needs a
     * session ID. Who asks for a session instead is no part of the client, and gets one of its own.
     */
    private Optional<Client> elsewhere(ClientOwner sent, Sender sender, long now) {
        if (recovery.expects(ClientName.of(sent, sender)) || tried.areTooMany(sender, now)) {
            return Optional.empty();
        }
        return called.notHeardAt(new SentOwner(sent, sender.principal()), sender.place());
    }

    /** Notes that a sender has the name of a client at another address, but not its verifier. */
    void noteTried(ClientOwner sent, Sender sender, long now) {
        if (recovery.expects(ClientName.of(sent, sender))) {
            return;
        }
        var known = new SentOwner(sent, sender.principal());
        boolean isKnown = recovery.absent(known).isPresent() || called.isSent(known);
        boolean isOfOthers = recovery.expects(known.name()) || called.isCalled(known.name());
        if (isOfOthers && !isKnown) {
            for (var each : tried.add(sender, sent.verifier(), now)) {
                journal.add(
                        new Action.VerifiersTried(
                                sent.name(), sender.host(), sender.place(), each));
            }
        }
    }

    /** Returns the confirmed client of a name, or null. */
    Client confirmed(ClientName name) {
        var named = names.get(name);
        return named == null ? null : named.confirmed;
    }

    /** Returns the client that an index in stateids names, or null. */
    Client findIndex(int index) {
        return indices.find(index);
    }

    /** Returns whether an index in stateids has named a client that is gone. */
    boolean wasIndex(int index) {
        return indices.wasGiven(index);
    }

    private static ExchangedId identity(Client client) {
        int flags = ExchangeIdCall.USE_NON_PNFS;
        if (client.isConfirmed) {
            flags |= ExchangeIdCall.CONFIRMED;
        }
        return new ExchangedId(client.id, client.sequence + 1, flags, client.protection);
    }

    /** Returns a client, or null if there is none or it was not confirmed in time. */
    Client find(long id, long now) {
        var client = byId.get(id);
        if (client != null && !client.isConfirmed && leases.isExpired(client, now)) {
            remove(client, now);
            return null;
        }
        return client;
    }

    /**
     * Returns the incarnation that ends when a client is confirmed; null if there is none, or the
     * client is confirmed. Both have one principal, because EXCHANGE_ID of another one is refused,
     * or ends the earlier client at once.
     */
    Client earlier(Client client) {
        return client.isConfirmed ? null : names.get(client.name).confirmed;
    }

    /**
     * Returns whether there is room to confirm a client. Its earlier incarnation makes room, if it
     * may be removed.
     */
    boolean makeRoom(Client client, long now) {
        var earlier = earlier(client);
        return earlier == null
                ? shares.makeRoom(Shares.Kind.CLIENTS, client, 1, this, now)
                : mayRemove(earlier);
    }

    /** Returns whether a call may have a client removed: not while too many removals wait. */
    boolean mayRemove(Client client) {
        return records.mayForget(client);
    }

    Optional<Client> longestExpired(Shares.Kind kind, long now) {
        return leases.longestExpired(kind, now);
    }

    /** Confirms a client. Its earlier incarnation loses all that it had. */
    void confirm(Client client, long now) {
        var named = names.get(client.name);
        if (named.confirmed != null) {
            takeOut(named.confirmed, now);
            // The name may have been forgotten with it.
            named = names.computeIfAbsent(client.name, _ -> new Named());
        }
        named.unconfirmed = null;
        named.confirmed = client;
        called.add(client);
        client.isConfirmed = true;
        shares.count(Shares.Kind.CLIENTS, client, 1);
        leases.renew(client, now);
        for (var each : recovery.confirmed(client)) {
            noteLoss(each, Action.Loss.REPLACED, each.held);
            takeOut(each, now);
        }
    }

    Outcome<Void> destroy(long id, Sender sender, long now) {
        var client = find(id, now);
        if (client == null || !client.hasSessions || !client.isUsedBy(sender)) {
            return journal.refused(Nfs4Status.STALE_CLIENTID);
        }
        if (!client.protection.admits(sender, client.principal)) {
            return journal.refused(Nfs4Status.WRONG_CRED);
        }
        if (!client.sessions.isEmpty() || client.hasState()) {
            return journal.refused(Nfs4Status.CLIENTID_BUSY);
        }
        if (!mayRemove(client)) {
            return journal.refused(Nfs4Status.DELAY);
        }
        if (client.isConfirmed) {
            noteGone(client, Action.Absence.LEFT);
        }
        remove(client, now);
        return journal.afterChanges(null, client.placeUse.place);
    }

    /** Removes a client with all that it has, its record first. */
    void remove(Client client, long now) {
        if (client.hasState()) {
            noteLoss(client, Action.Loss.EXPIRED, client.held);
        }
        takeOut(client, now);
    }

    /** Removes a client that has lost all that it had of itself, its record first. */
    void depart(Client client, long now) {
        takeOut(client, now);
    }

    /**
     * Lets the operator know that a client loses opens and locks.
     *
     * @param lost how many opens and lock owners
     */
    void noteLoss(Client client, Action.Loss cause, int lost) {
        journal.add(new Action.StateLost(client.subject(), cause, lost));
    }

    /** Lets the operator know that a client has gone. */
    void noteGone(Client client, Action.Absence why) {
        journal.add(new Action.ClientGone(client.subject(), why, client.held));
    }

    /** Lets the operator know that a delegation is taken from a client. */
    void noteTaken(Delegation delegation) {
        var client = delegation.client;
        journal.add(new Action.DelegationTaken(client.subject(), delegation.whyTaken()));
    }

    private void takeOut(Client client, long now) {
        client.isRemoved = true;
        byId.remove(client.id);
        indices.remove(client.index);
        var name = client.name;
        var named = names.get(name);
        if (named.confirmed == client) {
            named.confirmed = null;
            called.remove(client);
            forgetRecord(client, false);
            recovery.departed(client);
        } else {
            named.unconfirmed = null;
        }
        if (named.confirmed == null && named.unconfirmed == null) {
            names.remove(name);
        }
        leases.remove(client);
        departures.forEach(each -> each.clientLeaves(client, now));
        if (client.isConfirmed) {
            shares.count(Shares.Kind.CLIENTS, client, -1);
        }
        shares.leave(client);
    }

    void leaseExpired(Client client, long now) {
        departures.forEach(each -> each.leaseExpires(client, now));
    }

    /**
     * Removes the record of a client that cannot reclaim what it had.
     *
     * @param keeps whether it keeps something else
     */
    void forgetRecord(Client client, boolean keeps) {
        if (keeps) {
            records.revoke(client);
        } else {
            records.forget(client);
        }
    }

    /** Returns clients of earlier boots that have not come back, at most so many. */
    List<ClientRecord> awaited(int max) {
        return recovery.awaited().stream().limit(max).toList();
    }

    Collection<Client> all() {
        return byId.values();
    }
}
