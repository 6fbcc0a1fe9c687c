package io.github.rpcrdma4j.rpcrdma.responder;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionParameters;
import io.github.rpcrdma4j.rpcrdma.connection.MessageSends.ChunkWrite;
import io.github.rpcrdma4j.rpcrdma.connection.MessageSends.Part;
import io.github.rpcrdma4j.rpcrdma.wire.PlainMessage;
import io.github.rpcrdma4j.rpcrdma.wire.TransportHeader;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import io.github.rpcrdma4j.verbs.Completion;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;

/**
 * What a responder does by the profile of its connection. Guarded by the lock of the connection.
 *
 * <p>What a method does where a profile says nothing is what RFC 8166 says: nothing of the
 * responder's memory is ever open, and the grant stays as it is.
 */
public interface ResponderProfile {
    /**
     * A reply that travels as only this profile has it.
     *
     * @param writes the RDMA Writes to make before the Sends
     * @param sends in order; one at least
     * @param sent told when the Sends are done
     */
    record Outgoing(List<ChunkWrite> writes, List<Part> sends, Runnable sent) {}

    /** Which replies without chunks travel plainly. */
    default PlainMessage.Which plain() {
        return PlainMessage.Which.WITH_BULK_DATA;
    }

    /** How many receives stand posted beside one for each credit. */
    default int spareReceives() {
        return 0;
    }

    /**
     * What is granted now.
     *
     * @param credits of the connection
     */
    default int grant(int credits) {
        return credits;
    }

    /** Takes a message that is no plain call, and the buffer that it came in. */
    void received(MemorySegment message, SegmentPool.Lease buffer, Completion completion);

    /**
     * Whether a call is one whose reply waits to be fetched, and what is to be sent again then;
     * asked when a call came.
     */
    default Optional<TransportHeader> called(int xid) {
        return Optional.empty();
    }

    /**
     * Whether one more reply may be made; otherwise all wait.
     *
     * @param call whose reply it would be
     */
    default boolean hasRoom(ServedCall call, ConnectionParameters parameters) {
        return true;
    }

    /**
     * The reply to a call as only this profile has it.
     *
     * @param plan how it would travel by RFC 8166; empty if there is no room for it
     * @return empty if it travels by the plan
     */
    default Optional<Outgoing> reply(
            ServedCall call, Optional<ReplyPlan> plan, ConnectionParameters parameters) {
        return Optional.empty();
    }

    /** The header of a reply that travels by a plan. */
    default TransportHeader header(int xid, int granted, ReplyPlan plan) {
        return plan.header(xid, granted);
    }

    /** The error that says that the chunks of a call were no good, or had no room. */
    default TransportHeader refusal(int xid, int granted) {
        return new Version1Header.ChunkError(xid, Version1Header.VERSION, granted);
    }

    /**
     * Looks after a requester that does nothing.
     *
     * @param now in nanoseconds of any origin
     * @return whether the connection was closed for that
     */
    default boolean expire(long now) {
        return false;
    }

    /** The connection is gone. */
    default void lost() {}
}
