package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.FileKey;
import io.github.rpcrdma4j.nfs.state.event.GrantAnswer;
import io.github.rpcrdma4j.nfs.state.event.HostClaim;
import io.github.rpcrdma4j.nfs.state.event.HostLock;
import io.github.rpcrdma4j.nfs.state.event.HostName;
import io.github.rpcrdma4j.nfs.state.event.HostRestart;
import io.github.rpcrdma4j.nfs.state.event.LockOutcome;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.state.range.ByteRange;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.oncrpc.share.Host;
import java.util.function.LongConsumer;

/**
 * The events of {@link ServerState} that are about hosts with locks of NLM. Its rules hold for
 * them.
 *
 * <p>Tests: {@code HostsTest}, {@code HeldLocksTest}.
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
     * @param freshId a random number
     * @param from where the call came from
     */
    public Outcome<ClientUse> enter(
            HostName host, boolean isReclaim, long freshId, Host from, long now) {
        begin.accept(now);
        return hosts.enter(host, isReclaim, freshId, from, now);
    }

    /**
     * A LOCK has arrived: from now on the host can give it up. The driver owes {@link #decided}.
     *
     * @param state the number of the start that it tells
     * @param from where it came from
     * @return its number, with NFS4_OK; or DELAY if too many are not decided
     */
    public Outcome<Long> arrived(HostName host, HostLock lock, int state, Host from, long now) {
        begin.accept(now);
        return hosts.arrived(host, lock, state, from);
    }

    /** A LOCK that has arrived is decided. Always NFS4_OK. */
    public Outcome<Void> decided(HostName host, long arrival, long now) {
        begin.accept(now);
        return hosts.decided(host, arrival);
    }

    /**
     * LOCK: what {@link ServerState#lock} gives, or DENIED with {@link LockOutcome.Awaited} if the
     * host waits: then an {@link Action.OfferLock} follows when it is its turn. NOSPC if there is
     * no room for more locks, or for one more that waits; and DELAY while another client has to
     * give a delegation back. If the host has given the lock up since it arrived, or does so before
     * the kernel answers, the answer is DELAY, too.
     *
     * @param arrival the number of its arrival; 0 if it is decided on arrival
     */
    public Outcome<LockOutcome> lock(
            ClientUse use, HostLock lock, HostClaim claim, long arrival, long now) {
        begin.accept(now);
        return hosts.lock(use, lock, claim, arrival, now);
    }

    /**
     * Asks once more for a lock that a host waits for: what {@link #lock} gives, with {@link
     * LockOutcome.Held} in place of Granted; or BAD_STATEID if the host waits no longer, or if the
     * kernel is being asked for the lock. While the lock is held, the driver tells the host of it,
     * between {@link #tell} and {@link #told}; it owes {@link #toldLast} in the end.
     */
    public Outcome<LockOutcome> retry(Action.OfferLock offer, long now) {
        begin.accept(now);
        return hosts.retry(offer, now);
    }

    /**
     * A host is about to be told of a lock. Always NFS4_OK.
     *
     * @param number that of {@link LockOutcome.Asked}
     * @return whether the lock is still held for it: not if the host has asked again and has got
     *     it, has unlocked or cancelled it, or has restarted
     */
    public Outcome<Boolean> tell(long number, long now) {
        begin.accept(now);
        return hosts.tell(number);
    }

    /**
     * A host was told of a lock that is held for it. Always NFS4_OK.
     *
     * @return whether the host has to be told again
     */
    public Outcome<Boolean> told(long number, GrantAnswer answer, long now) {
        begin.accept(now);
        return hosts.told(number, answer, now);
    }

    /**
     * A host is not told any more. What is still held for it becomes its lock if it may have taken
     * that, and is given back otherwise. Always NFS4_OK, and false.
     */
    public Outcome<Boolean> toldLast(long number, long now) {
        begin.accept(now);
        return hosts.toldLast(number, now);
    }

    /** TEST: what {@link ServerState#testLock} gives. */
    public Outcome<LockOutcome> test(HostName host, HostLock lock, Host from, long now) {
        begin.accept(now);
        return hosts.test(host, lock, from, now);
    }

    /**
     * CANCEL: always NFS4_OK. Returns whether the host waited for the lock, or did not know that it
     * has it.
     */
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
        return hosts.share(use, file, owner, new HostShares.Share(access, deny), isReclaim, now);
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
     * A host has restarted: it loses what it had in other starts. Always NFS4_OK.
     *
     * @return how many hosts have lost something
     */
    public Outcome<Integer> restarted(HostRestart restart, long now) {
        begin.accept(now);
        return hosts.restarted(restart, now);
    }
}
