package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.LockCall;
import io.github.rpcrdma4j.nfs.state.range.ByteRange;
import io.github.rpcrdma4j.nfs.state.range.Obstacle;
import io.github.rpcrdma4j.nfs.state.range.RangeLock;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import java.util.List;

/**
 * A lock that a client may have, as far as the other clients go, while the server asks the kernel
 * about processes of its own machine. Also a lock that a host has waited for, until the host is
 * told.
 *
 * <pre>
 *   live --answer--> (granted or denied)
 *    | \--its open, its client or its caller goes--> dead --answer--> (taken back)
 *    |
 *    `--the kernel grants what a host has waited for--> held --the host takes it--> (granted)
 *                                                         \--it does not--> (taken back)
 * </pre>
 */
final class KernelQuestion implements Obstacle<StateOwner> {
    /** A host that locks or unlocks so many parts of what is held for it knows what it has. */
    static final int PARTS_MAX = 16;

    final long number;
    final Open open;
    final RangeLock<StateOwner> wanted;
    final LockCall call;

    /** Whether the lock is still wanted. Until the answer it then excludes conflicting ones. */
    boolean isLive = true;

    /** Whether the client has to ask again, because its lease had expired. */
    boolean isPostponed;

    /** Whether it is settled. */
    boolean isGone;

    /** Whether the kernel has granted the lock, which the host may not know. */
    boolean isHeld;

    /** Whether a call that tells the host is in progress. */
    boolean isTelling;

    /** Whether the host has not answered a call that it may have got. */
    boolean isSilent;

    /** Where it is wanted: of what is held, the owner may have locked or unlocked parts since. */
    private List<ByteRange> parts;

    KernelQuestion(long number, Open open, RangeLock<StateOwner> wanted, LockCall call) {
        this.number = number;
        this.open = open;
        this.wanted = wanted;
        this.call = call;
        this.parts = List.of(wanted.range());
    }

    /** Returns whether the host may count on the lock. */
    boolean mayBeTaken() {
        return isTelling || isSilent;
    }

    List<ByteRange> parts() {
        return parts;
    }

    @Override
    public boolean isInTheWayOf(RangeLock<StateOwner> other) {
        return isLive && !isGone && wanted.conflictsWith(other) && overlaps(other.range());
    }

    boolean overlaps(ByteRange range) {
        return parts.stream().anyMatch(each -> each.overlaps(range));
    }

    /** Takes a range out of the parts. Returns what was there of it. */
    List<ByteRange> cut(ByteRange range) {
        var taken =
                parts.stream()
                        .filter(each -> each.overlaps(range))
                        .map(each -> each.common(range))
                        .toList();
        parts = parts.stream().flatMap(each -> each.without(range).stream()).toList();
        return taken;
    }
}
