package io.github.rpcrdma4j.nfs.server.state;

import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import java.util.function.LongConsumer;

/**
 * The events of {@link ServerState} that are about hosts with locks of NLM. Its rules hold for
 * them.
 */
public final class HostEvents {
    private final LongConsumer begin;
    private final Hosts hosts;

    /**
     * @param begin lets time pass before an event
     */
    HostEvents(LongConsumer begin, Hosts hosts) {
        this.begin = begin;
        this.hosts = hosts;
    }

    /**
     * Begins a call that may give a host something: NFS4_OK, GRACE, NO_GRACE or RECLAIM_BAD for a
     * reclaim of what it cannot have had, or NOSPC if there is no room for the host.
     *
     * @param state the number of the start of the host; 0 if it does not tell
     * @param freshId a random number
     * @param from where the call came from
     */
    public Outcome<ClientUse> enter(
            HostName host, int state, boolean isReclaim, long freshId, Host from, long now) {
        begin.accept(now);
        return hosts.enter(host, state, isReclaim, freshId, from, now);
    }

    /**
     * LOCK: what {@link ServerState#lock} gives, or DENIED with {@link LockOutcome.Awaited} if the
     * host waits: then an {@link Action.OfferLock} follows when it is its turn. NOSPC if there is
     * no room for more locks, and DELAY while another client has to give a delegation back.
     *
     * @param note comes back in the action
     */
    public Outcome<LockOutcome> lock(
            ClientUse use,
            HostLock lock,
            boolean isWaiting,
            boolean isReclaim,
            GrantNote note,
            long now) {
        begin.accept(now);
        return hosts.lock(use, lock, isWaiting, isReclaim, note, now);
    }

    /**
     * Asks once more for a lock that a host waits for: what {@link #lock} gives, or BAD_STATEID if
     * the host waits no longer.
     */
    public Outcome<LockOutcome> retry(Action.OfferLock offer, long now) {
        begin.accept(now);
        return hosts.retry(offer, now);
    }

    /** TEST: what {@link ServerState#testLock} gives. */
    public Outcome<LockOutcome> test(HostName host, HostLock lock, Host from, long now) {
        begin.accept(now);
        return hosts.test(host, lock, from, now);
    }

    /** CANCEL: always NFS4_OK. Returns whether the host waited for the lock. */
    public Outcome<Boolean> cancel(HostName host, HostLock lock, long now) {
        begin.accept(now);
        return hosts.cancel(host, lock, now);
    }

    /**
     * UNLOCK: NFS4_OK, also if there is nothing to unlock; or LOCK_RANGE if it would cut a range in
     * two and there is no room for more ranges.
     */
    public Outcome<Void> unlock(
            HostName host, FileKey file, OpaqueName owner, ByteRange range, long now) {
        begin.accept(now);
        return hosts.unlock(host, file, owner, range, now);
    }

    /**
     * SHARE: NFS4_OK, SHARE_DENIED, RECLAIM_CONFLICT, GRACE, NO_GRACE, RECLAIM_BAD, NOSPC or DELAY.
     *
     * @param access NONE 0, READ 1, WRITE 2, BOTH 3
     * @param deny likewise
     */
    public Outcome<Void> share(
            ClientUse use,
            FileKey file,
            OpaqueName owner,
            int access,
            int deny,
            boolean isReclaim,
            long now) {
        begin.accept(now);
        return hosts.share(use, file, owner, new Hosts.Share(access, deny), isReclaim, now);
    }

    /** UNSHARE: always NFS4_OK. */
    public Outcome<Void> unshare(HostName host, FileKey file, OpaqueName owner, long now) {
        begin.accept(now);
        return hosts.unshare(host, file, owner, now);
    }

    /** Returns whether a notice of a restart is about a host that has, or may reclaim, anything. */
    public boolean isKnown(HostRestart restart) {
        return hosts.isKnown(restart);
    }

    /**
     * A host has restarted: it loses what it had. Always NFS4_OK.
     *
     * @return how many hosts have lost something
     */
    public Outcome<Integer> restarted(HostRestart restart, long now) {
        begin.accept(now);
        return hosts.restarted(restart, now);
    }
}
