package io.github.rpcrdma4j.nfs.server.state;

import io.github.rpcrdma4j.nfs.v4.type.StateOwner;

/**
 * A LOCK that no client is in the way of, while the kernel is asked about local processes.
 *
 * <pre>
 *   live --answer--> (granted or denied)
 *     \--its open, its client or its caller goes--> dead --answer--> (taken back)
 * </pre>
 */
final class Ask {
    final long number;
    final Open open;
    final RangeLock<StateOwner> wanted;
    final LockCall call;

    /** Whether the lock is still wanted. Until the answer it then excludes conflicting ones. */
    boolean isLive = true;

    Ask(long number, Open open, RangeLock<StateOwner> wanted, LockCall call) {
        this.number = number;
        this.open = open;
        this.wanted = wanted;
        this.call = call;
    }

    boolean isInTheWayOf(RangeLock<StateOwner> other) {
        return isLive && wanted.conflictsWith(other);
    }
}
