package io.github.rpcrdma4j.rpcrdma.responder;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionParameters;
import io.github.rpcrdma4j.rpcrdma.connection.MessageSends.ChunkWrite;
import io.github.rpcrdma4j.rpcrdma.connection.MessageSends.OutgoingSend;
import io.github.rpcrdma4j.rpcrdma.wire.PlainMessage;
import io.github.rpcrdma4j.rpcrdma.wire.TransportHeader;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import io.github.rpcrdma4j.verbs.Completion;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;

/**
 * The part of a wire profile that a responder calls. Guarded by the lock of the connection.
 *
 * <p>The default methods behave as RFC 8166 says: no memory of the responder is ever open, and the
 * grant does not change.
 */
public interface ResponderProfile {
    /**
     * A reply in the form of this profile.
     *
     * @param writes the RDMA Writes to post before the Sends
     * @param sends the Sends in order; at least one
     * @param sent runs when the Sends are done
     */
    record Outgoing(List<ChunkWrite> writes, List<OutgoingSend> sends, Runnable sent) {}

    /** Returns which replies without chunks are sent as plain messages. */
    default PlainMessage.Rule plain() {
        return PlainMessage.Rule.WITH_BULK_DATA;
    }

    /** Returns how many receives are posted in addition to one per credit. */
    default int spareReceives() {
        return 0;
    }

    /**
     * Returns the present grant.
     *
     * @param credits the credits of the connection
     */
    default int grant(int credits) {
        return credits;
    }

    /** Handles a message that is not a plain call, and takes over the memory of its receive. */
    void received(MemorySegment message, SegmentPool.Lease buffer, Completion completion);

    /**
     * Returns the header to send again if an arrived call repeats one whose reply waits to be
     * fetched.
     */
    default Optional<TransportHeader> called(int xid) {
        return Optional.empty();
    }

    /**
     * Returns whether one more reply may be sent. If not, all replies wait.
     *
     * @param call the call of the reply
     */
    default boolean hasRoom(ServedCall call, ConnectionParameters parameters) {
        return true;
    }

    /**
     * Returns the reply to a call in the form of this profile.
     *
     * @param plan the plan by RFC 8166; empty if the reply has no room
     * @return empty if the reply follows the plan
     */
    default Optional<Outgoing> reply(
            ServedCall call, Optional<ReplyPlan> plan, ConnectionParameters parameters) {
        return Optional.empty();
    }

    /** Returns the header of a reply that follows a plan. */
    default TransportHeader header(int xid, int granted, ReplyPlan plan) {
        return plan.header(xid, granted);
    }

    /** Returns the error for a call whose chunks were invalid or too short. */
    default TransportHeader refusal(int xid, int granted) {
        return new Version1Header.ChunkError(xid, Version1Header.VERSION, granted);
    }

    /**
     * Checks whether the requester stalls an exchange of the profile.
     *
     * @param now the time in nanoseconds of any origin
     * @param timeoutDivisor the divisor of the timeout, above 1 if others wait for memory
     * @return whether the connection was closed because it does
     */
    default boolean expire(long now, int timeoutDivisor) {
        return false;
    }

    /**
     * Returns whether memory is kept until the requester does something, though no work request
     * waits for it.
     */
    default boolean awaitsRequester() {
        return false;
    }

    /** Handles the end of the connection. */
    default void lost() {}
}
