package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.BackChannelSecurity;
import io.github.rpcrdma4j.nfs.state.event.ClientRecord;
import io.github.rpcrdma4j.nfs.state.event.Connection;
import io.github.rpcrdma4j.nfs.state.event.CreateSessionCall;
import io.github.rpcrdma4j.nfs.state.event.CreatedSession;
import io.github.rpcrdma4j.nfs.state.event.ExchangeIdCall;
import io.github.rpcrdma4j.nfs.state.event.ExchangedId;
import io.github.rpcrdma4j.nfs.state.event.FileKey;
import io.github.rpcrdma4j.nfs.state.event.LockCall;
import io.github.rpcrdma4j.nfs.state.event.LockOutcome;
import io.github.rpcrdma4j.nfs.state.event.OpenCall;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.state.event.Sender;
import io.github.rpcrdma4j.nfs.state.event.SequenceCall;
import io.github.rpcrdma4j.nfs.state.event.StateIdUse;
import io.github.rpcrdma4j.nfs.state.limit.StateSettings;
import io.github.rpcrdma4j.nfs.state.range.LockMode;
import io.github.rpcrdma4j.nfs.state.table.Lateness;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments;
import io.github.rpcrdma4j.nfs.v4.operation.SessionResult;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.SessionId;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.util.Collection;
import java.util.List;

/**
 * The state of a server of NFS version 4 as one machine. Its methods are the events. Each takes the
 * time in nanoseconds of a monotonic clock, which never goes back from one event to the next, and
 * returns the results with the actions that the driver owes.
 *
 * <p>Not thread-safe. The driver holds one lock around each event, and takes the actions over
 * before it releases the lock. No event takes long, and none waits.
 *
 * <p>Results of {@code status} other than OK have no value, except DENIED of locks.
 *
 * <p>Tests: {@code RandomClientsTest}, {@code SessionsTest}.
 */
public final class ServerState {
    /** By how much answers to CB_GETATTR may be late in all, and how long that counts. */
    private static final long ANSWERS_MAX_NANOS = 1_000_000_000L;

    private static final long ANSWERS_KEPT_NANOS = 30_000_000_000L;

    private final Journal journal = new Journal();
    private final Leases leases;
    private final Recovery recovery;
    private final Records records;
    private final Clients clients;
    private final Sessions sessions;
    private final CallbackEvents callbackEvents;
    private final Slots slots;
    private final PendingLocks pendingLocks;
    private final StateIds ids;
    private final Revocations revocations;
    private final Recalls recalls;
    private final DelegationEvents delegationEvents;
    private final Copies copies;
    private final CopyEvents copyEvents;
    private final Owners owners;
    private final LeaseEvents leaseEvents;
    private final Opens opens;
    private final Locks locks;
    private final Hosts hosts;
    private final HostEvents hostEvents;
    private final KernelLockEvents kernelLockEvents;
    private final Snapshots snapshots;
    private final RevocationEvents revocationEvents;

    /**
     * Starts a server.
     *
     * @param earlier what stable storage has kept from earlier boots: these clients may reclaim. If
     *     there are none, there is no grace period.
     */
    public ServerState(StateSettings settings, Collection<ClientRecord> earlier, long now) {
        var limits = settings.limits();
        leases = new Leases(settings.leaseNanos(), limits);
        recovery = new Recovery(earlier, settings, journal, now);
        var shares = new Shares(limits);
        records = new Records(journal, shares, recovery);
        clients = new Clients(journal, leases, recovery, records, shares);
        var evictions = new Evictions(limits, shares, clients);
        sessions = new Sessions(limits, journal, clients, evictions);
        var answers = new Lateness(ANSWERS_MAX_NANOS, ANSWERS_KEPT_NANOS);
        callbackEvents = new CallbackEvents(sessions, answers);
        slots = new Slots(settings.leaseNanos(), journal, sessions, leases, evictions);
        pendingLocks = new PendingLocks(settings.leaseNanos(), limits.locks(), shares, journal);
        var fileLocks = new FileLocks(limits.locks(), shares, journal, pendingLocks);
        ids = new StateIds(settings.bootEpoch(), settings.stateIdKey());
        var files = new Files(journal, fileLocks, pendingLocks, shares);
        revocations = new Revocations(clients, leases, files, pendingLocks);
        var surplus = new SurplusDelegations(settings.leaseNanos(), journal, clients, evictions);
        recalls = new Recalls(settings, journal, ids, files, revocations, surplus);
        var delegations =
                new Delegations(journal, recovery, ids, files, evictions, recalls, answers);
        delegationEvents =
                new DelegationEvents(this::begin, delegations, recalls, recovery, files, journal);
        copies = new Copies(journal, ids, shares);
        copyEvents = new CopyEvents(this::begin, copies);
        owners = new Owners(settings.leaseNanos(), journal, ids, files, evictions, shares);
        var clientIds = new ClientIds(journal, leases, clients, ids);
        leaseEvents = new LeaseEvents(this::begin, clientIds, owners, journal);
        opens = new Opens(journal, recovery, records, ids, files, evictions, revocations, recalls);
        locks =
                new Locks(
                        evictions,
                        journal,
                        recovery,
                        records,
                        ids,
                        files,
                        fileLocks,
                        pendingLocks,
                        clients,
                        revocations,
                        owners);
        hosts =
                new Hosts(
                        journal, recovery, records, clients, leases, evictions, files, locks,
                        opens);
        hostEvents = new HostEvents(this::begin, hosts);
        kernelLockEvents = new KernelLockEvents(this::begin, locks, hosts);
        snapshots = new Snapshots(clients, sessions, leases, files, ids, recovery);
        revocationEvents =
                new RevocationEvents(
                        this::begin, clients, copies, revocations, files, snapshots, journal);
        List.of(sessions, revocations, owners, copies, hosts).forEach(clients::onDeparture);
    }

    private void begin(long now) {
        recovery.expire(now);
        leases.expire(now, clients);
        pendingLocks.expire(now);
        owners.expire(now);
        revocations.makeWay(now);
        recalls.expire(now);
    }

    /**
     * Lets time pass. The driver calls this about once a second, so that leases and the grace
     * period end although no call arrives.
     */
    public Outcome<Void> tick(long now) {
        begin(now);
        recalls.remind(now);
        slots.relieve(now);
        copies.remind(now);
        return journal.ok(null);
    }

    /**
     * The server did not run for some time, which does not count for leases. It counts for local
     * processes: the kernel lets them wait no longer.
     *
     * @param nanos how long it did not run
     */
    public void paused(long nanos) {
        recalls.paused(nanos);
    }

    /**
     * EXCHANGE_ID: NFS4_OK, INVAL, NOENT, PERM, NOT_SAME, CLID_INUSE, WRONG_CRED or DELAY.
     *
     * @param freshId a random number, so that no client guesses the ID of another
     */
    public Outcome<ExchangedId> exchangeId(
            ExchangeIdCall call, long freshId, Sender sender, long now) {
        begin(now);
        return clients.exchangeId(call, freshId, sender, now);
    }

    /**
     * DESTROY_CLIENTID: NFS4_OK, STALE_CLIENTID, also if the sender is none of the client,
     * CLIENTID_BUSY, WRONG_CRED or DELAY.
     */
    public Outcome<Void> destroyClientId(long clientId, Sender sender, long now) {
        begin(now);
        return clients.destroy(clientId, sender, now);
    }

    /**
     * CREATE_SESSION: NFS4_OK, INVAL, TOOSMALL, STALE_CLIENTID, also if the sender is none of the
     * client, CLID_INUSE, WRONG_CRED, SEQ_MISORDERED or DELAY.
     *
     * @param freshId a random value, so that no client guesses the name of a session
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
     * BIND_CONN_TO_SESSION: NFS4_OK, BADSESSION, WRONG_CRED, or INVAL for a back channel over a
     * connection that cannot have one.
     *
     * @param wanted the channels that the client asks for
     * @return the channels of the session that the connection serves now
     */
    public Outcome<SessionResult.BindConnToSession.Direction> bindConnection(
            SessionId id,
            SessionArguments.BindConnToSession.Direction wanted,
            Sender sender,
            long now) {
        begin(now);
        return sessions.bind(id, wanted, sender);
    }

    /**
     * A record is on stable storage, or is not there any more.
     *
     * @param number that of the {@link Action.Persist} or {@link Action.Forget}
     */
    public void recordChanged(long number) {
        records.changed(number);
    }

    /**
     * A record cannot be stored. The client is granted nothing that needs one; its next calls order
     * it anew.
     *
     * @param number that of the {@link Action.Persist}
     * @param mayBeThere whether a part of the change may have reached storage
     */
    public void recordFailed(long number, boolean mayBeThere) {
        records.failed(number, mayBeThere);
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
            SlotUse use, int program, BackChannelSecurity security, long now) {
        begin(now);
        use.session.back.control(program, security);
        return journal.ok(null);
    }

    /**
     * RECLAIM_COMPLETE: NFS4_OK, COMPLETE_ALREADY, DEADSESSION, or DELAY while the record of the
     * client is not on storage.
     *
     * @param isOneFileSystem {@code rca_one_fs}: a file system was moved here. This is never so,
     *     and changes nothing.
     */
    public Outcome<Void> reclaimComplete(SlotUse use, boolean isOneFileSystem, long now) {
        begin(now);
        return opens.reclaimComplete(use, isOneFileSystem);
    }

    /**
     * Returns whether clients may reclaim, and no client gets anything new. Once that is over, it
     * does not come back. Operations that could take away what a client has yet to reclaim wait:
     * REMOVE, RENAME and SETATTR of a size without an open get GRACE, and what would recall a
     * delegation waits as if each file were delegated ({@link
     * DelegationEvents#requireUndelegated}).
     */
    public boolean isGrace() {
        return recovery.isGrace();
    }

    /**
     * Returns whether a client may send OPEN now: NFS4_OK, GRACE, NO_GRACE, RECLAIM_BAD,
     * DEADSESSION, NOSPC or DELAY. The driver asks before it creates a file; {@link #open} asks
     * once more.
     *
     * @param isReclaim whether the claim is CLAIM_PREVIOUS
     * @param creates whether it may create a file: there has to be room to open it
     */
    public Outcome<Void> mayOpen(ClientUse use, boolean isReclaim, boolean creates, long now) {
        begin(now);
        return opens.prepare(use, isReclaim, creates, now);
    }

    /**
     * OPEN of a file that exists: NFS4_OK, INVAL, SHARE_DENIED, GRACE, NO_GRACE, RECLAIM_BAD,
     * RECLAIM_CONFLICT, DEADSESSION, NOSPC if the client has too many opens, or DELAY if there is
     * no room for more because of others, and while the record of the client is not on storage.
     *
     * @return the stateid; the one that the owner has if it has opened the file before
     */
    public Outcome<StateId> open(ClientUse use, OpenCall call, long now) {
        begin(now);
        return opens.open(use, call, now);
    }

    /**
     * OPEN failed after {@link #open} had granted it, so its client does not have what it was
     * granted. Always NFS4_OK.
     *
     * @param granted the stateid of that grant
     */
    public Outcome<Void> takeBackOpen(ClientUse use, FileKey file, StateId granted, long now) {
        begin(now);
        return opens.takeBack(use, file, granted, now);
    }

    /** Returns the events that minor version 0 alone has. */
    public LeaseEvents version0() {
        return leaseEvents;
    }

    /** Returns the events that are about the slots of back channels. */
    public CallbackEvents callbacks() {
        return callbackEvents;
    }

    /** Returns the events that are about delegations. */
    public DelegationEvents delegations() {
        return delegationEvents;
    }

    /** Returns the events that are about asynchronous copies. */
    public CopyEvents copies() {
        return copyEvents;
    }

    /** Returns the events by which the kernel answers changes of locks. */
    public KernelLockEvents kernelLocks() {
        return kernelLockEvents;
    }

    /** Returns the events that are about hosts with locks of NLM. */
    public HostEvents hosts() {
        return hostEvents;
    }

    /** Returns the events by which an administrator takes something from clients. */
    public RevocationEvents revocations() {
        return revocationEvents;
    }

    /** OPEN_DOWNGRADE: NFS4_OK, INVAL, or an error of the stateid. */
    public Outcome<StateId> downgrade(
            ClientUse use, FileKey file, StateId id, int access, int deny, long now) {
        begin(now);
        return opens.downgrade(use, file, id, access, deny);
    }

    /** CLOSE: NFS4_OK, or an error of the stateid. Frees the locks that are left. */
    public Outcome<StateId> close(ClientUse use, FileKey file, StateId id, long now) {
        begin(now);
        return opens.close(use, file, id, now);
    }

    /**
     * Checks the stateid of READ, WRITE, SETATTR of a size, and operations like them: NFS4_OK,
     * BAD_STATEID, OLD_STATEID, EXPIRED, ADMIN_REVOKED, OPENMODE; and without an open LOCKED or
     * GRACE. It says nothing about the rights of the user.
     */
    public Outcome<Void> check(
            ClientUse use, FileKey file, StateId id, StateIdUse purpose, long now) {
        begin(now);
        return opens.check(use, file, id, purpose, now);
    }

    /**
     * LOCK: DENIED, INVAL, OPENMODE, GRACE, NO_GRACE, RECLAIM_BAD, RECLAIM_CONFLICT, an error of
     * the stateid, DELAY if there is no room for more locks, or NFS4_OK with {@link
     * LockOutcome.Asked} if no client is in the way: then {@link KernelLockEvents#answer} has the
     * results.
     */
    public Outcome<LockOutcome> lock(ClientUse use, LockCall call, long now) {
        begin(now);
        return locks.lock(use, call, now);
    }

    /**
     * The client is told DELAY although LOCK was granted, because storage failed. Its stateid is
     * what it was; the range stays locked until the client repeats the call, or closes the file.
     * Always NFS4_OK.
     *
     * @param granted the stateid of that grant
     */
    public Outcome<Void> takeBackLock(ClientUse use, FileKey file, StateId granted, long now) {
        begin(now);
        return locks.takeBack(use, file, granted);
    }

    /**
     * LOCKT: NFS4_OK, DENIED, INVAL or GRACE.
     *
     * @param owner a lock owner of the client of the session, not the one that the call names
     */
    public Outcome<LockOutcome> testLock(
            ClientUse use,
            FileKey file,
            LockMode type,
            long offset,
            long length,
            OpaqueName owner,
            long now) {
        begin(now);
        return locks.test(use, file, type, offset, length, owner, now);
    }

    /**
     * LOCKU: NFS4_OK, INVAL, an error of the stateid, or LOCK_RANGE if it would cut a range in two
     * and there is no room for more ranges.
     */
    public Outcome<StateId> unlock(
            ClientUse use, FileKey file, StateId id, long offset, long length, long now) {
        begin(now);
        return locks.unlock(use, file, id, offset, length, now);
    }

    /** FREE_STATEID: NFS4_OK, LOCKS_HELD, BAD_STATEID or OLD_STATEID. */
    public Outcome<Void> freeStateId(SlotUse use, StateId id, long now) {
        begin(now);
        return locks.free(use, id, now);
    }

    /** TEST_STATEID of one: NFS4_OK, BAD_STATEID, OLD_STATEID, EXPIRED or ADMIN_REVOKED. */
    public Nfs4Status testStateId(SlotUse use, StateId id) {
        return ids.find(use.client(), id).status();
    }

    /** Returns what administrators see. */
    public Snapshots snapshots() {
        return snapshots;
    }
}
