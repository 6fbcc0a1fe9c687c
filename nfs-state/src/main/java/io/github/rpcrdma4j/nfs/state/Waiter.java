package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.LockCall;
import io.github.rpcrdma4j.nfs.state.range.Obstacle;
import io.github.rpcrdma4j.nfs.state.range.RangeLock;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;

/**
 * A request for a lock that was denied, and that the client repeats (RFC 8881, Section 9.6).
 *
 * <pre>
 *   waits --nothing is in the way--> has its turn --asks again, or time--> (forgotten)
 *     \--does not ask again for a long time--^
 * </pre>
 */
final class Waiter implements Obstacle<StateOwner> {
    final Client client;
    final OpenFile file;
    final RangeLock<StateOwner> wanted;

    /** The last request. */
    LockCall call;

    /** When the client asked last. */
    long asked;

    /** What was found in its way last; null if nothing was. */
    Obstacle<StateOwner> obstacle;

    /** Whether it waits no more. */
    boolean isGone;

    /** Whether the client was told, and when. Others do not get the lock for a moment. */
    boolean hasTurn;

    long turnBegan;

    Waiter(Client client, OpenFile file, LockCall call, RangeLock<StateOwner> wanted) {
        this.client = client;
        this.file = file;
        this.call = call;
        this.wanted = wanted;
    }

    @Override
    public boolean isInTheWayOf(RangeLock<StateOwner> lock) {
        return hasTurn && !isGone && wanted.conflictsWith(lock);
    }

    /** Returns whether what was found in its way still is. */
    boolean isHeldUp() {
        return obstacle != null && obstacle.isInTheWayOf(wanted);
    }
}
