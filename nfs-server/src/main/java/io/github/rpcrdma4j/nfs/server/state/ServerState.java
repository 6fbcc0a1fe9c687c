package io.github.rpcrdma4j.nfs.server.state;

import io.github.rpcrdma4j.nfs.v4.type.SessionId;
import java.util.Collection;
import java.util.Optional;

/**
 * The state of a server of NFS version 4 as one machine. Its methods are the events. Each takes the
 * time in nanoseconds of a monotonic clock, which never goes back from one event to the next, and
 * returns the results with the actions that the driver owes.
 *
 * <p>Not thread-safe. The driver holds one lock around each event, and takes the actions over
 * before it releases the lock. No event takes long, and none waits.
 *
 * <p>Results of {@code status} other than OK have no value, except DENIED of locks.
 */
public final class ServerState {
    private final Journal journal = new Journal();
    private final Leases leases;
    private final Recovery recovery;
    private final Clients clients;
    private final Sessions sessions;
    private final Slots slots;

    /**
     * Starts a server.
     *
     * @param records what stable storage has kept from earlier boots: these clients may reclaim. If
     *     there are none, there is no grace period.
     */
    public ServerState(StateSettings settings, Collection<ClientRecord> records, long now) {
        leases = new Leases(settings.leaseNanos(), settings.limits());
        recovery = new Recovery(records, settings, journal, now);
        clients = new Clients(settings, journal, leases, recovery);
        sessions = new Sessions(settings.limits(), journal, clients);
        slots = new Slots(journal, sessions, leases);
        clients.onDeparture(sessions);
    }

    private void begin(long now) {
        recovery.expire(now);
        leases.expire(now, clients);
    }

    /**
     * Lets time pass. The driver calls this about once a second, so that leases and the grace
     * period end although no call arrives.
     */
    public Outcome<Void> tick(long now) {
        begin(now);
        return journal.ok(null);
    }

    /**
     * EXCHANGE_ID: NFS4_OK, INVAL, NOENT, PERM, NOT_SAME, CLID_INUSE, WRONG_CRED or DELAY.
     *
     * @param freshId a random number, so that nobody guesses client IDs
     */
    public Outcome<ExchangedId> exchangeId(
            ExchangeIdCall call, long freshId, Sender sender, long now) {
        begin(now);
        return clients.exchangeId(call, freshId, sender, now);
    }

    /** DESTROY_CLIENTID: NFS4_OK, STALE_CLIENTID, CLIENTID_BUSY or WRONG_CRED. */
    public Outcome<Void> destroyClientId(long clientId, Sender sender, long now) {
        begin(now);
        return clients.destroy(clientId, sender, now);
    }

    /**
     * CREATE_SESSION: NFS4_OK, INVAL, TOOSMALL, STALE_CLIENTID, CLID_INUSE, WRONG_CRED,
     * SEQ_MISORDERED or DELAY.
     *
     * @param freshId a random value, so that nobody guesses names of sessions
     */
    public Outcome<CreatedSession> createSession(
            CreateSessionCall call, SessionId freshId, Sender sender, long now) {
        begin(now);
        return sessions.create(call, freshId, sender, now);
    }

    /**
     * DESTROY_SESSION: NFS4_OK, BADSESSION, WRONG_CRED, CONN_NOT_BOUND_TO_SESSION, or DELAY while
     * other COMPOUNDs of the session are in progress. A session whose connections have all ended
     * takes it over any connection.
     *
     * @param own the COMPOUND that has the operation, or null if there is no SEQUENCE
     */
    public Outcome<Void> destroySession(SessionId id, SlotUse own, Sender sender, long now) {
        begin(now);
        return sessions.destroy(id, own, sender);
    }

    /**
     * BIND_CONN_TO_SESSION: NFS4_OK, BADSESSION, WRONG_CRED, or INVAL for an unknown direction, or
     * a back channel over a connection that cannot have one.
     *
     * @param direction {@code channel_dir_from_client4}, as sent
     */
    public Outcome<BoundConnection> bindConnection(
            SessionId id, int direction, Sender sender, long now) {
        begin(now);
        return sessions.bind(id, direction, sender);
    }

    /** A connection has ended. All its channels lose it. */
    public Outcome<Void> connectionEnded(Connection connection, long now) {
        begin(now);
        sessions.connectionEnded(connection);
        return journal.ok(null);
    }

    /**
     * SEQUENCE: NFS4_OK, BADSESSION, CONN_NOT_BOUND_TO_SESSION, TOO_MANY_OPS, REQ_TOO_BIG, BADSLOT,
     * BAD_HIGH_SLOT, SEQ_MISORDERED, SEQ_FALSE_RETRY, RETRY_UNCACHED_REP, REP_TOO_BIG_TO_CACHE, or
     * DELAY for a retry of a call that is in progress. An error leaves the slot as it was.
     */
    public Outcome<Sequenced> sequence(SequenceCall call, Sender sender, long now) {
        begin(now);
        return slots.sequence(call, sender, now);
    }

    /**
     * A COMPOUND has ended; its slot is free again.
     *
     * @param kept what answers a retry, at most {@link SlotUse#cachedMax} bytes: the results,
     *     without anything that belongs to one transport. Owned by the state from now on. Null if
     *     it is not kept: a retry then gets RETRY_UNCACHED_REP.
     * @throws IllegalStateException if it had ended before
     */
    public Outcome<Void> finish(SlotUse use, byte[] kept, long now) {
        begin(now);
        slots.finish(use, kept, now);
        return journal.ok(null);
    }

    /** BACKCHANNEL_CTL: changes how the server calls back over a session. Always NFS4_OK. */
    public Outcome<Void> controlBackChannel(
            SlotUse use, int program, CallbackSecurity security, long now) {
        begin(now);
        use.session.back.control(program, security);
        return journal.ok(null);
    }

    /**
     * Takes a slot for a call of the server to a client.
     *
     * @return nothing if the client has no connection for it, or no free slot
     */
    public Optional<Callback> takeCallback(long clientId, long now) {
        return sessions.takeCallback(clientId, now);
    }

    /**
     * A call of the server has ended.
     *
     * @throws IllegalStateException if it had ended before
     */
    public void endCallback(Callback call, Callback.End end) {
        sessions.endCallback(call, end);
    }

    /** Returns whether clients may reclaim, and no client gets anything new. */
    public boolean isGrace() {
        return recovery.isGrace();
    }
}
