package io.github.rpcrdma4j.verbs;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * One end of a reliable connection: a queue of sends and a queue of receives.
 *
 * <p>Thread-safe: any thread may post. Work completes on the {@link CompletionQueue} given at
 * creation. A queue pair connects once. After the loss of the connection, the caller creates
 * another one.
 */
public interface QueuePair extends AutoCloseable {
    /**
     * The most private data that fits in a connect request or reply, in bytes: the 512 of RFC 5044
     * less the four that RFC 6581 takes.
     */
    int PRIVATE_DATA_MAX = 508;

    /**
     * The states of a queue pair, in their order. A queue pair never returns to an earlier state.
     */
    enum State {
        /** Not connected yet. Receives may be posted. */
        INITIALIZED,
        /** Connected. All work may be posted. */
        READY,
        /** Lost or closed. All posted work completes as {@link Completion.Status#FLUSHED}. */
        ERROR
    }

    /** Returns the state. Another thread may change it at any time. */
    State state();

    /**
     * Returns why the queue pair is in {@link State#ERROR}, in one line that names the side at
     * fault. Empty in every other state, and after an orderly close by either side.
     */
    Optional<String> failure();

    /**
     * Returns the invalid handle of the peer that ended the connection. It is set before the state
     * becomes {@link State#ERROR}. Empty if the connection ended otherwise, or if the adapter does
     * not report the handle.
     */
    Optional<UnknownHandle> unknownHandle();

    /** Returns the peer's address. Only available once the queue pair is connected. */
    InetSocketAddress peer();

    /**
     * Returns the address and port of this side of the connection, as the kernel knows it; empty if
     * the queue pair is not connected, or if its connection is none of the kernel's TCP.
     */
    default Optional<InetSocketAddress> local() {
        return Optional.empty();
    }

    /**
     * Connects to a listener and waits for its answer.
     *
     * @param privateData the private data for the peer; at most {@link #PRIVATE_DATA_MAX} bytes
     * @param timeout the time limit for the whole connection setup
     * @return a copy of the peer's private data
     * @throws RdmaException if the peer cannot be reached, rejects, or does not speak RDMA
     * @throws IllegalArgumentException if the private data is too long
     */
    byte[] connect(InetSocketAddress peer, byte[] privateData, Duration timeout)
            throws RdmaException, InterruptedException;

    /**
     * Queues a buffer for one incoming Send. Sends fill the buffers in the order in which they were
     * posted.
     *
     * @param workRequestId an id of the caller's choice, which the completion returns
     * @param region a writable region of the domain; the provider owns the posted part until the
     *     completion
     * @param offset the start of the buffer in the region, in bytes
     * @param length the length of the buffer, in bytes
     * @throws IllegalStateException if more than {@link QueuePairOptions#receiveQueueSize} are
     *     posted, or the queue pair is in {@link State#ERROR}
     * @throws IllegalArgumentException if the buffer exceeds the region, or the region is read-only
     *     or not a valid region of the domain
     */
    void postReceive(long workRequestId, MemoryRegion region, long offset, long length);

    /**
     * Opens memory to the peer of this queue pair, and to no other peer.
     *
     * @param region a region of the domain; it cannot be closed while a window on it is valid
     * @param offset the start of the window in the region, in bytes
     * @param length the length of the window, in bytes
     * @param access the allowed kinds of access; should be no more than necessary
     * @throws IllegalArgumentException if the window exceeds the region, the region is not a valid
     *     region of the domain, or remote writes to a read-only region are requested
     * @throws IllegalStateException if the queue pair was never connected, or has its maximum of
     *     windows
     * @throws NoResourceException if the adapter has no room for the window
     */
    MemoryWindow bind(MemoryRegion region, long offset, long length, Set<Access> access);

    /** Returns the number of valid windows. */
    int boundWindows();

    /**
     * Queues work, in order, and starts it. The provider sends several requests together where
     * possible. A request that is posted in {@link State#ERROR} completes as flushed.
     *
     * @throws IllegalStateException if the send queue is full ({@link
     *     QueuePairOptions#sendQueueSize}) or the queue pair was never connected
     * @throws IllegalArgumentException if a region is not a valid region of the domain, the sink of
     *     an RDMA Read is read-only, a request gathers more than {@link QueuePairOptions#gatherMax}
     *     elements, or a window belongs to another queue pair
     */
    void post(List<WorkRequest> requests);

    /**
     * Returns how many bytes the peer has accepted or sent so far, for work posted here and for
     * RDMA Reads of the peer. Bytes of an unfinished work request count, so they show that a slow
     * peer makes progress. Messages that the peer sends do not count. The number only grows. The
     * provider may send bytes that the peer has room for by now.
     *
     * @return empty if the provider learns only of whole work requests
     */
    default OptionalLong bytesMoved() {
        return OptionalLong.empty();
    }

    /**
     * Ends the connection. The provider still sends earlier work that the peer accepts within the
     * grace period. The remaining work, work after an unfinished RDMA Read, and all receives
     * complete as flushed. Closing twice is harmless.
     *
     * @param grace the longest time for which this method blocks; with zero, the provider sends
     *     only the bytes that the peer accepts at once
     */
    void close(Duration grace);

    /** Ends the connection, with a grace period of one second. */
    @Override
    default void close() {
        close(Duration.ofSeconds(1));
    }
}
