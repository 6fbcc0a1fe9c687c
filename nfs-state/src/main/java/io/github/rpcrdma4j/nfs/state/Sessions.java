package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.Connection;
import io.github.rpcrdma4j.nfs.state.event.CreateSessionCall;
import io.github.rpcrdma4j.nfs.state.event.CreatedSession;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.state.event.Sender;
import io.github.rpcrdma4j.nfs.state.event.Urgency;
import io.github.rpcrdma4j.nfs.state.limit.ChannelRules;
import io.github.rpcrdma4j.nfs.state.limit.StateLimits;
import io.github.rpcrdma4j.nfs.state.table.StatusFlags;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments;
import io.github.rpcrdma4j.nfs.v4.operation.SessionResult.BindConnToSession.Direction;
import io.github.rpcrdma4j.nfs.v4.type.ChannelAttributes;
import io.github.rpcrdma4j.nfs.v4.type.SessionId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The sessions of all clients, and their connections: CREATE_SESSION, DESTROY_SESSION and
 * BIND_CONN_TO_SESSION (RFC 8881, Sections 18.34, 18.36 and 18.37).
 */
final class Sessions implements Clients.Departure {
    private final StateLimits limits;
    private final Journal journal;
    private final Clients clients;
    private final Evictions evictions;
    private final Map<SessionId, Session> byId = new HashMap<>();
    private final Map<Connection, Set<Session>> byConnection = new HashMap<>();

    Sessions(StateLimits limits, Journal journal, Clients clients, Evictions evictions) {
        this.limits = limits;
        this.journal = journal;
        this.clients = clients;
        this.evictions = evictions;
    }

    Outcome<CreatedSession> create(
            CreateSessionCall call, SessionId freshId, Sender sender, long now) {
        if (!call.hasValidFlags()) {
            return journal.refused(Nfs4Status.INVAL);
        }
        var judged = ChannelRules.judge(call);
        if (judged != Nfs4Status.OK) {
            return journal.refused(judged);
        }
        var client = clients.find(call.clientId(), now);
        if (client == null || !client.hasSessions) {
            return journal.refused(Nfs4Status.STALE_CLIENTID);
        }
        if (!client.isUsedBy(sender)) {
            // It gets a client of its own by EXCHANGE_ID.
            client.places.hear(sender.place());
            return journal.refused(Nfs4Status.STALE_CLIENTID);
        }
        if (!client.isConfirmed && !client.principal.equals(sender.principal())) {
            return journal.refused(Nfs4Status.CLID_INUSE);
        }
        if (!client.protection.admits(sender, client.principal)) {
            return journal.refused(Nfs4Status.WRONG_CRED);
        }
        if (client.created != null && call.sequence() == client.sequence) {
            // A retry. Without state protection, any principal at an address of the client may
            // create sessions, so another one learns nothing that it could not have had.
            return journal.ok(client.created);
        }
        if (call.sequence() != client.sequence + 1) {
            return journal.refused(Nfs4Status.SEQ_MISORDERED);
        }
        return add(client, call, freshId, sender, now);
    }

    private Outcome<CreatedSession> add(
            Client client, CreateSessionCall call, SessionId freshId, Sender sender, long now) {
        // An error here leaves the sequence as it is: the client asks again.
        if (byId.containsKey(freshId)
                || client.sessions.size() >= limits.sessionsOfClient()
                || !client.isConfirmed && !clients.makeRoom(client, now)) {
            return journal.refused(Nfs4Status.DELAY);
        }
        int kept = ChannelRules.cachedMax(call.fore(), limits);
        int free = evictions.forSession(client, clients.earlier(client), kept, now);
        if (free == 0) {
            evictions.noteSession(client);
            return journal.refused(Nfs4Status.DELAY);
        }
        int granted = ChannelRules.slots(call.fore(), limits, free);
        if (!client.isConfirmed) {
            clients.confirm(client, now);
        }
        ChannelAttributes fore = ChannelRules.fore(call.fore(), limits, granted);
        ChannelAttributes back = ChannelRules.back(call.back(), limits);
        var session =
                new Session(
                        freshId,
                        client,
                        fore,
                        new BackChannel(back, call.callbackProgram(), call.security()),
                        now);
        byId.put(freshId, session);
        client.sessions.put(freshId, session);
        evictions.count(session, 1);
        evictions.noteSession(client);
        bindFore(session, sender);
        int flags = 0;
        if (call.wantsBackChannel() && sender.connection().callsBack()) {
            bindBack(session, sender.connection());
            flags = CreateSessionCall.BACK_CHANNEL;
        }
        client.sequence = call.sequence();
        client.created = new CreatedSession(freshId, call.sequence(), flags, fore, back);
        return journal.afterChanges(client.created, client.placeUse.place);
    }

    Session find(SessionId id) {
        return byId.get(id);
    }

    /**
     * Ends a session.
     *
     * @param own the COMPOUND that has the operation; null if it stands alone
     */
    Outcome<Void> destroy(SessionId id, SlotUse own, Sender sender) {
        var session = byId.get(id);
        if (session == null) {
            return journal.refused(Nfs4Status.BADSESSION);
        }
        if (!session.client.protection.admits(sender, session.client.principal)) {
            return journal.refused(Nfs4Status.WRONG_CRED);
        }
        session.client.places.add(sender.place());
        // A session that has lost all its connections would otherwise stay until its lease ends.
        if (!session.connections.isEmpty() && !isBound(session, sender.connection())) {
            return journal.refused(Nfs4Status.CONN_NOT_BOUND_TO_SESSION);
        }
        int others = session.running - (own != null && own.session == session ? 1 : 0);
        if (others > 0) {
            return journal.refused(Nfs4Status.DELAY);
        }
        remove(session);
        return journal.ok(null);
    }

    private static boolean isBound(Session session, Connection connection) {
        return session.connections.contains(connection)
                || session.back.connections.contains(connection);
    }

    private void remove(Session session) {
        session.isRemoved = true;
        byId.remove(session.id);
        session.client.sessions.remove(session.id);
        evictions.count(session, -1);
        for (var each : session.connections) {
            forget(session, each);
        }
        for (var each : session.back.connections) {
            forget(session, each);
        }
        session.connections.clear();
        session.back.connections.clear();
    }

    /** Takes the slots of a session beyond its target. */
    void retireSurplus(Session session) {
        evictions.count(session, -1);
        session.retireSurplus();
        evictions.count(session, 1);
    }

    /** Gives a session some of the slots back that were taken from it, if there is much room. */
    void grow(Session session) {
        int lost = session.fore.slots() - session.slotCount();
        if (lost > 0 && session.target() == session.slotCount() && !session.isRemoved) {
            int more = Math.min(Math.min(lost, session.slotCount()), evictions.forSlots(session));
            if (more > 0) {
                evictions.count(session, -1);
                session.grow(more);
                evictions.count(session, 1);
            }
        }
    }

    private void forget(Session session, Connection connection) {
        var others = byConnection.get(connection);
        if (others != null) {
            others.remove(session);
            if (others.isEmpty()) {
                byConnection.remove(connection);
            }
        }
    }

    @Override
    public void clientLeaves(Client client, long now) {
        for (var each : new ArrayList<>(client.sessions.values())) {
            remove(each);
        }
    }

    Outcome<Direction> bind(
            SessionId id, SessionArguments.BindConnToSession.Direction wanted, Sender sender) {
        var session = byId.get(id);
        if (session == null) {
            return journal.refused(Nfs4Status.BADSESSION);
        }
        if (!session.client.protection.admits(sender, session.client.principal)) {
            return journal.refused(Nfs4Status.WRONG_CRED);
        }
        var connection = sender.connection();
        var granted =
                switch (wanted) {
                    case FORE -> Direction.FORE;
                    case BACK -> Direction.BACK;
                    case FORE_OR_BOTH -> connection.callsBack() ? Direction.BOTH : Direction.FORE;
                    case BACK_OR_BOTH -> Direction.BOTH;
                };
        if (granted != Direction.FORE && !connection.callsBack()) {
            return journal.refused(Nfs4Status.INVAL);
        }
        if (granted != Direction.BACK) {
            bindFore(session, sender);
        }
        session.client.places.add(sender.place());
        if (granted != Direction.FORE) {
            bindBack(session, connection);
        }
        return journal.ok(granted);
    }

    /**
     * Binds a connection to the fore channel, unless it is bound. The sender has the session ID,
     * which is random, and told to the client alone: so it is of the client.
     */
    void bindFore(Session session, Sender sender) {
        var connection = sender.connection();
        if (session.connections.add(connection)) {
            session.client.places.add(sender.place());
            byConnection.computeIfAbsent(connection, _ -> new LinkedHashSet<>()).add(session);
            if (session.connections.size() > limits.connectionsOfSession()) {
                unbindFore(session, session.connections.getFirst());
            }
        }
    }

    private void unbindFore(Session session, Connection connection) {
        session.connections.remove(connection);
        if (!session.back.connections.contains(connection)) {
            forget(session, connection);
        }
    }

    private void bindBack(Session session, Connection connection) {
        session.back.bind(connection);
        byConnection.computeIfAbsent(connection, _ -> new LinkedHashSet<>()).add(session);
        if (session.back.connections.size() > limits.connectionsOfSession()) {
            unbindBack(session, session.back.connections.getFirst());
        }
    }

    private void unbindBack(Session session, Connection connection) {
        session.back.connections.remove(connection);
        if (!session.connections.contains(connection)) {
            forget(session, connection);
        }
    }

    void connectionEnded(Connection connection) {
        var bound = byConnection.remove(connection);
        if (bound == null) {
            return;
        }
        var using = new LinkedHashSet<Client>();
        for (var each : bound) {
            each.connections.remove(connection);
            each.back.connections.remove(connection);
            using.add(each.client);
        }
        for (var each : using) {
            if (!each.isConnected()) {
                clients.noteGone(each, Action.Absence.DISCONNECTED);
            }
        }
    }

    /** Returns the callback bits of {@code sr_status_flags}. */
    static int callbackFlags(Session session) {
        boolean isWanted = false;
        for (var each : session.client.sessions.values()) {
            if (each.back.isUp()) {
                return session.back.statusFlags();
            }
            isWanted |= each.back.isWanted();
        }
        return session.back.statusFlags() | (isWanted ? StatusFlags.CB_PATH_DOWN : 0);
    }

    /** Takes a slot of the back channel of one session. */
    CallbackSlot takeCallback(SessionId id, Urgency urgency) {
        var session = byId.get(id);
        if (session == null || !session.back.isUp()) {
            return new CallbackSlot.NoChannel();
        }
        return session.client.keepsSlotsFrom(urgency)
                ? new CallbackSlot.Busy()
                : slot(session.back.take(session));
    }

    CallbackSlot takeCallback(long clientId, Urgency urgency, long now) {
        var client = clients.find(clientId, now);
        if (client == null || !client.hasBackChannel()) {
            return new CallbackSlot.NoChannel();
        }
        return client.keepsSlotsFrom(urgency) ? new CallbackSlot.Busy() : slot(take(client));
    }

    private static CallbackSlot slot(Optional<Callback> taken) {
        return taken.<CallbackSlot>map(CallbackSlot.Taken::new).orElseGet(CallbackSlot.Busy::new);
    }

    AwaitedSlot awaitSlot(long clientId, Urgency urgency, long now) {
        var client = clients.find(clientId, now);
        if (client != null) {
            client.countWaiting(urgency, 1);
        }
        return new AwaitedSlot(client, urgency);
    }

    void awaitNoLonger(AwaitedSlot awaited) {
        if (awaited.isEnded) {
            throw new IllegalStateException("this call does not wait any more");
        }
        awaited.isEnded = true;
        if (awaited.client != null) {
            awaited.client.countWaiting(awaited.urgency, -1);
        }
    }

    private static Optional<Callback> take(Client client) {
        return take(client, true).or(() -> take(client, false));
    }

    /**
     * @param carriesRecalls whether only the channels that carry each CB_RECALL count, or only the
     *     others
     */
    private static Optional<Callback> take(Client client, boolean carriesRecalls) {
        return client.sessions.values().stream()
                .filter(each -> each.back.carriesRecalls() == carriesRecalls)
                .flatMap(each -> each.back.take(each).stream())
                .findFirst();
    }

    void endCallback(Callback call, Callback.End end) {
        if (call.isEnded) {
            throw new IllegalStateException("this call has ended");
        }
        call.isEnded = true;
        var session = call.session();
        session.back.giveBack(call, end);
        switch (end) {
            case Callback.Answered _ -> session.client.answers(true);
            case Callback.Refused _, Callback.Lost _ -> session.client.answers(false);
            case Callback.Postponed _ -> {}
        }
        if (end instanceof Callback.Lost && !session.isRemoved) {
            unbindBack(session, call.connection());
        }
    }

    Collection<Session> all() {
        return byId.values();
    }
}
