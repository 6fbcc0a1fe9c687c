package io.github.rpcrdma4j.rpcrdma.requester;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.verbs.Completion;
import java.lang.foreign.MemorySegment;

/**
 * The part of a wire profile that a requester calls. Guarded by the lock of the connection.
 *
 * <p>The default methods behave as RFC 8166 says: a reply ends its call, and only calls take
 * credits.
 */
public interface RequesterProfile {
    /** Takes the credits for a call that is about to be sent, and for messages after its reply. */
    default boolean tryTake(CreditWindow credits, PendingCall call) {
        return credits.tryTake(heldCredits());
    }

    /** Returns how many credits are held by messages that are not calls. */
    default int heldCredits() {
        return 0;
    }

    /** Notes that a call is about to be sent. */
    default void sent(PendingCall call) {}

    /** Notes that a sent call has returned its credits. */
    default void answered(PendingCall call) {}

    /** Returns how many receives are posted in addition to one per credit. */
    default int spareReceives() {
        return 0;
    }

    /**
     * Handles a message that is not a plain reply. A receive was posted in its place.
     *
     * @param buffer the memory of its receive
     * @return whether the profile keeps the buffer; otherwise the requester closes it
     */
    boolean received(MemorySegment message, SegmentPool.Lease buffer, Completion completion);

    /** Returns whether the reply of a call has arrived, and only its results are missing. */
    default boolean hasReply(PendingCall call) {
        return false;
    }

    /**
     * Starts to fetch the results that a reply exposes.
     *
     * @param reply a reply with a Read list that is not empty
     * @param buffer the memory of its receive; kept if this returns true
     * @return false if the call does not allow it; the reply is then no answer
     */
    default boolean fetches(PendingCall call, ArrivedReply reply, SegmentPool.Lease buffer) {
        return false;
    }

    /** Sends the overdue messages of the profile. */
    default void sendDue() {}

    /** Returns within how many nanoseconds {@link #sendDue} must be called. */
    default long nanosUntilDue() {
        return Long.MAX_VALUE;
    }
}
