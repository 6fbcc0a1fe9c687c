package io.github.rpcrdma4j.verbs;

import java.util.List;
import java.util.OptionalInt;

/**
 * Work for the send queue. Every request has at most one completion on the completion queue,
 * according to its {@link Signal}.
 *
 * <p>The provider owns the memory of a request until the request is done. The total length of a
 * request is at most 2^32-1 bytes.
 */
public sealed interface WorkRequest {
    /** Returns the id that the caller chose, and that the {@link Completion} returns. */
    long id();

    /** Returns the kind of completion that the request has if it succeeds. */
    Signal signal();

    /** Returns this request, with a completion that wakes a thread. */
    default WorkRequest signaled() {
        return switch (this) {
            case Send send -> new Send(send.id, send.gather, send.invalidate);
            case Write write -> new Write(write.id, write.gather, write.handle, write.address);
            case Read read -> new Read(read.id, read.sink, read.handle, read.address);
            case Invalidate invalidate -> new Invalidate(invalidate.id, invalidate.window);
        };
    }

    /** Returns the number of bytes that the request moves. */
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
     * memory. The peer may not have received them yet.
     *
     * @param gather the memory of the message, element by element; may be empty
     * @param invalidate a handle of the peer that its provider invalidates before the receive
     *     completes (Send With Invalidate)
     */
    record Send(long id, List<Sge> gather, OptionalInt invalidate, Signal signal)
            implements WorkRequest {
        /** Creates a signaled Send. */
        public Send(long id, List<Sge> gather, OptionalInt invalidate) {
            this(id, gather, invalidate, Signal.SIGNALED);
        }

        /** Creates a signaled Send without invalidation. */
        public Send(long id, List<Sge> gather) {
            this(id, gather, OptionalInt.empty());
        }
    }

    /**
     * Places bytes in the peer's memory. The peer learns of them only by a later Send. The request
     * is done when its bytes have left the caller's memory.
     *
     * @param gather the memory of the bytes; a total of 0 bytes accesses no memory of the peer
     * @param handle the peer's handle
     * @param address the address in the peer's window, as the peer gave it
     */
    record Write(long id, List<Sge> gather, int handle, long address, Signal signal)
            implements WorkRequest {
        /** Creates a signaled RDMA Write. */
        public Write(long id, List<Sge> gather, int handle, long address) {
            this(id, gather, handle, address, Signal.SIGNALED);
        }
    }

    /**
     * Fetches bytes from the peer's memory. The request is done when all of them are placed.
     *
     * @param sink the memory for the bytes, which gives their number; not read-only
     * @param handle the peer's handle
     * @param address the address in the peer's window, as the peer gave it
     */
    record Read(long id, Sge sink, int handle, long address, Signal signal) implements WorkRequest {
        /** Creates a signaled RDMA Read. */
        public Read(long id, Sge sink, int handle, long address) {
            this(id, sink, handle, address, Signal.SIGNALED);
        }
    }

    /**
     * Ends a window, after all work that was posted earlier. When it is done, the peer can no
     * longer reach the memory. The window may already be invalid.
     *
     * <p>RPC-over-RDMA does not post it: a call waits for its fence, so it uses {@link
     * MemoryWindow#invalidate}. An adapter needs this request, because it cannot end a window of
     * type 2 otherwise.
     *
     * @param window a window of this queue pair
     */
    record Invalidate(long id, MemoryWindow window, Signal signal) implements WorkRequest {
        /** Creates a signaled invalidation. */
        public Invalidate(long id, MemoryWindow window) {
            this(id, window, Signal.SIGNALED);
        }
    }
}
