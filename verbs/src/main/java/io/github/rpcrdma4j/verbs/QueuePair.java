package io.github.rpcrdma4j.verbs;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * One end of a reliable connection: a queue of sends and a queue of receives.
 *
 * <p>Thread-safe: any thread may post. Work completes on the {@link CompletionQueue} given at
 * creation. A queue pair connects once; after a loss a new one is made.
 */
public interface QueuePair extends AutoCloseable {
    /**
     * The most private data that fits in a connect request or reply, in bytes: the 512 of RFC 5044
     * less the four that RFC 6581 takes.
     */
    int PRIVATE_DATA_MAX = 508;

    /** The life of a queue pair. It only moves forward. */
    enum State {
        /** Receives may be posted. */
        INITIALIZED,
        /** Connected: work flows. */
        READY,
        /** Lost or closed: all posted work completes as {@link Completion.Status#FLUSHED}. */
        ERROR
    }

    /** The state, which another thread may change at any time. */
    State state();

    /**
     * Why the queue pair is in {@link State#ERROR}, in one line that says whose fault it was; empty
     * in every other state and after an orderly close by either side.
     */
    Optional<String> failure();

    /**
     * The handle that ended the connection, if the peer used one that names no region of this side.
     * Set before the state is {@link State#ERROR}; empty after every other end, and where the
     * adapter does not tell the handle.
     */
    Optional<UnknownHandle> unknownHandle();

    /** The peer's address; only when connected. */
    InetSocketAddress peer();

    /**
     * Connects to a listener and waits for its answer.
     *
     * @param privateData goes to the peer; at most {@link #PRIVATE_DATA_MAX} bytes
     * @param timeout the bound on the whole set-up
     * @return the peer's private data, a copy
     * @throws RdmaException if the peer cannot be reached, rejects, or does not speak RDMA
     * @throws IllegalArgumentException if the private data is too long
     */
    byte[] connect(InetSocketAddress peer, byte[] privateData, Duration timeout)
            throws RdmaException, InterruptedException;

    /**
     * Queues a buffer for one incoming Send. Buffers are used in the order they were posted.
     *
     * @param workRequestId comes back in the completion
     * @param region of the domain, and not read-only; what is posted of it is owned by the provider
     *     until the completion
     * @param offset where in the region the buffer starts, in bytes
     * @param length of the buffer, in bytes
     * @throws IllegalStateException if more than {@link QueuePairOptions#receiveQueueSize} are
     *     posted, or the queue pair is in {@link State#ERROR}
     * @throws IllegalArgumentException if the buffer exceeds the region, or that is not a valid one
     *     of the domain, or read-only
     */
    void postReceive(long workRequestId, MemoryRegion region, long offset, long length);

    /**
     * Opens memory to the peer of this queue pair, and to no other.
     *
     * @param region of the domain; it cannot be closed while a window on it is valid
     * @param offset where in the region the window starts, in bytes
     * @param length of the window, in bytes
     * @param access what is allowed; the least that serves
     * @throws IllegalArgumentException if the window exceeds the region, or that is not a valid one
     *     of the domain, or read-only and to be written
     * @throws IllegalStateException if the queue pair was never connected, or has its maximum of
     *     windows
     */
    MemoryWindow bind(MemoryRegion region, long offset, long length, Set<Access> access);

    /** How many windows are valid. */
    int boundWindows();

    /**
     * Queues work, in order, and starts it; several requests are put on the wire together where
     * possible. A request posted in {@link State#ERROR} completes as flushed.
     *
     * @throws IllegalStateException if the send queue is full ({@link
     *     QueuePairOptions#sendQueueSize}) or the queue pair was never connected
     * @throws IllegalArgumentException if a region is not a valid one of the domain, an RDMA Read
     *     places into one that is read-only, more is gathered than {@link
     *     QueuePairOptions#gatherMax}, or a window is of another queue pair
     */
    void post(List<WorkRequest> requests);

    /**
     * Ends the connection. What was posted before is sent if the peer takes it within the grace;
     * the rest, what is behind an unfinished RDMA Read, and all receives complete as flushed.
     * Closing twice is harmless.
     *
     * @param grace how long this thread may be held up; zero: what the peer takes at once is sent
     */
    void close(Duration grace);

    /** Ends the connection, with a grace of a second. */
    @Override
    default void close() {
        close(Duration.ofSeconds(1));
    }
}
