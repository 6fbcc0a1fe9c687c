package io.github.rpcrdma4j.rpcrdma.requester;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.verbs.Completion;
import java.lang.foreign.MemorySegment;

/**
 * What a requester does by the profile of its connection. Guarded by the lock of the connection.
 *
 * <p>What a method does where a profile says nothing is what RFC 8166 says: a reply ends its call,
 * and calls alone take credits.
 */
public interface RequesterProfile {
    /** Takes the credits for a call that is about to be sent, and for what follows its reply. */
    default boolean tryTake(CreditWindow credits, PendingCall call) {
        return credits.tryTake(heldCredits());
    }

    /** How many credits are held by what is no call. */
    default int heldCredits() {
        return 0;
    }

    /** A call is about to be sent. */
    default void sent(PendingCall call) {}

    /** A sent call has given its credits back. */
    default void answered(PendingCall call) {}

    /** How many receives stand posted beside one for each credit. */
    default int spareReceives() {
        return 0;
    }

    /**
     * Takes a message that is no plain reply; a receive was posted in its place.
     *
     * @param buffer what it came in
     * @return whether the buffer is kept; otherwise it goes back
     */
    boolean received(MemorySegment message, SegmentPool.Lease buffer, Completion completion);

    /** Whether a reply came already, and only its results are still to come. */
    default boolean hasReply(PendingCall call) {
        return false;
    }

    /**
     * Fetches what a reply exposes.
     *
     * @param reply whose Read list is not empty
     * @param buffer what the reply came in; kept if this returns true
     * @return false if the call does not let it: the reply is no answer then
     */
    default boolean fetches(PendingCall call, ArrivedReply reply, SegmentPool.Lease buffer) {
        return false;
    }

    /** Says what cannot wait any longer. */
    default void tell() {}

    /** How long {@link #tell} may wait at the most, in nanoseconds. */
    default long tellsWithin() {
        return Long.MAX_VALUE;
    }
}
