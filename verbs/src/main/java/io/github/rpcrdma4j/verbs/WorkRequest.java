package io.github.rpcrdma4j.verbs;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.OptionalInt;

/**
 * Work for the send queue. Every request completes exactly once on the completion queue.
 *
 * <p>The memory of a request belongs to the provider until then. The total length of a request is
 * at most 2^32-1 octets.
 */
public sealed interface WorkRequest {
    /** Chosen by the caller; comes back in the {@link Completion}. */
    long id();

    /** How many bytes it moves. */
    default long bytes() {
        return switch (this) {
            case Send send -> bytes(send.gather);
            case Write write -> bytes(write.gather);
            case Read read -> Integer.toUnsignedLong(read.length);
        };
    }

    private static long bytes(List<MemorySegment> gather) {
        return gather.stream().mapToLong(MemorySegment::byteSize).sum();
    }

    /**
     * A message for one receive of the peer. It completes when its octets have left the caller's
     * memory; the peer may not have seen them yet.
     *
     * @param gather where the message lies, piece by piece; may be empty
     * @param invalidate a handle of the peer that its provider invalidates before the receive
     *     completes (Send With Invalidate)
     */
    record Send(long id, List<MemorySegment> gather, OptionalInt invalidate)
            implements WorkRequest {
        /** A plain Send. */
        public Send(long id, List<MemorySegment> gather) {
            this(id, gather, OptionalInt.empty());
        }
    }

    /**
     * Places octets in the peer's memory, unseen by it until a later Send. Completes like a Send.
     *
     * @param gather where the octets lie; a total of 0 octets touches no memory of the peer
     * @param handle the peer's handle
     * @param address where in the peer's region, in the peer's terms
     */
    record Write(long id, List<MemorySegment> gather, int handle, long address)
            implements WorkRequest {}

    /**
     * Fetches octets from the peer's memory. Completes when all of them are placed.
     *
     * @param sink a region of this side's domain with {@link Access#LOCAL_WRITE}
     * @param sinkOffset where in {@code sink} the octets go, counted from its start
     * @param length how many octets, unsigned 32 bits
     * @param handle the peer's handle
     * @param address where in the peer's region, in the peer's terms
     */
    record Read(long id, MemoryRegion sink, long sinkOffset, int length, int handle, long address)
            implements WorkRequest {}
}
