package io.github.rpcrdma4j.verbs;

import java.util.List;
import java.util.OptionalInt;

/**
 * Work for the send queue. Every request completes at most once on the completion queue, as its
 * {@link Signal} says.
 *
 * <p>The memory of a request belongs to the provider until it is done. The total length of a
 * request is at most 2^32-1 bytes.
 */
public sealed interface WorkRequest {
    /** Chosen by the caller; comes back in the {@link Completion}. */
    long id();

    /** What its success leads to. */
    Signal signal();

    /** This request, with a completion that wakes a thread. */
    default WorkRequest signaled() {
        return switch (this) {
            case Send send -> new Send(send.id, send.gather, send.invalidate);
            case Write write -> new Write(write.id, write.gather, write.handle, write.address);
            case Read read -> new Read(read.id, read.sink, read.handle, read.address);
            case Invalidate invalidate -> new Invalidate(invalidate.id, invalidate.window);
        };
    }

    /** How many bytes it moves. */
    default long bytes() {
        return switch (this) {
            case Send send -> bytes(send.gather);
            case Write write -> bytes(write.gather);
            case Read read -> read.sink.length();
            case Invalidate _ -> 0;
        };
    }

    private static long bytes(List<Sge> gather) {
        long sum = 0;
        for (int i = 0; i < gather.size(); i++) {
            sum += gather.get(i).length();
        }
        return sum;
    }

    /**
     * A message for one receive of the peer. It is done when its bytes have left the caller's
     * memory; the peer may not have seen them yet.
     *
     * @param gather where the message lies, piece by piece; may be empty
     * @param invalidate a handle of the peer that its provider invalidates before the receive
     *     completes (Send With Invalidate)
     */
    record Send(long id, List<Sge> gather, OptionalInt invalidate, Signal signal)
            implements WorkRequest {
        /** A signaled Send. */
        public Send(long id, List<Sge> gather, OptionalInt invalidate) {
            this(id, gather, invalidate, Signal.SIGNALED);
        }

        /** A plain signaled Send. */
        public Send(long id, List<Sge> gather) {
            this(id, gather, OptionalInt.empty());
        }
    }

    /**
     * Places bytes in the peer's memory, unseen by it until a later Send. It is done when a Send
     * would be.
     *
     * @param gather where the bytes lie; a total of 0 bytes touches no memory of the peer
     * @param handle the peer's handle
     * @param address where in the peer's window, in the peer's terms
     */
    record Write(long id, List<Sge> gather, int handle, long address, Signal signal)
            implements WorkRequest {
        /** A signaled RDMA Write. */
        public Write(long id, List<Sge> gather, int handle, long address) {
            this(id, gather, handle, address, Signal.SIGNALED);
        }
    }

    /**
     * Fetches bytes from the peer's memory. It is done when all of them are placed.
     *
     * @param sink where they go, and how many they are; not read-only
     * @param handle the peer's handle
     * @param address where in the peer's window, in the peer's terms
     */
    record Read(long id, Sge sink, int handle, long address, Signal signal) implements WorkRequest {
        /** A signaled RDMA Read. */
        public Read(long id, Sge sink, int handle, long address) {
            this(id, sink, handle, address, Signal.SIGNALED);
        }
    }

    /**
     * Ends a window, behind all work that was posted before it. When it is done nothing of the
     * peer's reaches the memory any more. A window that is invalid already may be named.
     *
     * <p>RPC-over-RDMA does not post it, as a call goes on only once its memory is fenced and then
     * uses {@link MemoryWindow#invalidate}; an adapter has no other way to end a window of type 2.
     *
     * @param window of this queue pair
     */
    record Invalidate(long id, MemoryWindow window, Signal signal) implements WorkRequest {
        /** A signaled invalidation. */
        public Invalidate(long id, MemoryWindow window) {
            this(id, window, Signal.SIGNALED);
        }
    }
}
