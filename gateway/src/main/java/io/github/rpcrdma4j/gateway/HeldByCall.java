package io.github.rpcrdma4j.gateway;

import io.github.rpcrdma4j.memory.AwaitedMemory;
import io.github.rpcrdma4j.memory.BudgetExhaustedException;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * What a call holds from before it is sent until its reply was passed on: first room, then memory
 * for its result targets, at last its reply. A call that waits for room holds nothing. Not
 * thread-safe.
 *
 * <p>Tests: {@code PassedCallsTest}.
 */
final class HeldByCall implements AutoCloseable {
    private final CallRoom.Share share;
    private final SegmentPool pool;
    private final List<SegmentPool.Lease> targets = new ArrayList<>();

    /** The bytes of the room; negative while there is none. */
    private long roomBytes = -1;

    /** Null while there is none. */
    private RpcReply reply;

    /**
     * @param share the room for calls of the client's connection
     * @param pool lends the memory for result targets
     */
    HeldByCall(CallRoom.Share share, SegmentPool pool) {
        this.share = share;
        this.pool = pool;
    }

    /** Makes a call on the other connection. */
    interface Sending {
        /**
         * Makes the call and waits for its reply.
         *
         * @param targets the memory for bulk results
         * @throws BudgetExhaustedException if there is no memory for the call; nothing was sent
         */
        RpcReply call(List<MemorySegment> targets) throws RpcException, InterruptedException;
    }

    /**
     * Makes a call when there is room for its reply, and then memory for it.
     *
     * @param room the room for its results
     * @return the reply, which is closed with this object
     * @throws RpcException.ConnectionLost if the connection of the client has ended
     * @throws BudgetExhaustedException if there was no memory in time; nothing was sent
     */
    RpcReply call(PlannedCall.Room room, Sending sending)
            throws RpcException, InterruptedException {
        takeRoom(bytes(room));
        reply = AwaitedMemory.await(() -> send(room, sending), share::isEnded);
        return reply;
    }

    /** Begins a call on the other connection. */
    interface Beginning {
        /**
         * Begins the call.
         *
         * @param targets the memory for bulk results
         * @return false if it cannot begin without a wait; nothing was sent
         * @throws BudgetExhaustedException if there is no memory for the call; nothing was sent
         */
        boolean begin(List<MemorySegment> targets);
    }

    /**
     * Begins a call if there is room for its reply now, and memory for it.
     *
     * @param room the room for its results
     * @return false if the call has to wait; then nothing was sent, and this object holds nothing
     */
    boolean begin(PlannedCall.Room room, Beginning beginning) {
        long bytes = bytes(room);
        if (!share.tryTake(bytes)) {
            return false;
        }
        roomBytes = bytes;
        boolean isBegun = false;
        try {
            isBegun = beginning.begin(leaseTargets(room));
        } catch (BudgetExhaustedException _) {
            // A thread has to wait for memory.
        } finally {
            if (!isBegun) {
                close();
            }
        }
        return isBegun;
    }

    /** Keeps the reply to a begun call, which is closed with this object. */
    void keep(RpcReply received) {
        reply = received;
    }

    /** Returns the most bytes of the reply to a call. */
    private static long bytes(PlannedCall.Room room) {
        return GatewayLimits.HEADER_BYTES + room.resultsMax() + room.targetBytes();
    }

    private void takeRoom(long bytes) throws RpcException, InterruptedException {
        if (!share.take(bytes)) {
            throw new RpcException.ConnectionLost("the client has gone", null);
        }
        roomBytes = bytes;
    }

    private RpcReply send(PlannedCall.Room room, Sending sending)
            throws RpcException, InterruptedException {
        try {
            return sending.call(leaseTargets(room));
        } catch (BudgetExhaustedException none) {
            releaseTargets();
            throw none;
        }
    }

    private List<MemorySegment> leaseTargets(PlannedCall.Room room) {
        var segments = new ArrayList<MemorySegment>();
        for (long length : room.targets()) {
            var lease = pool.lease(length);
            targets.add(lease);
            segments.add(lease.whole().asSlice(0, length));
        }
        return segments;
    }

    private void releaseTargets() {
        targets.forEach(SegmentPool.Lease::close);
        targets.clear();
    }

    /** Gives everything back. Another call may follow. Closing twice is harmless. */
    @Override
    public void close() {
        if (reply != null) {
            reply.close();
            reply = null;
        }
        releaseTargets();
        if (roomBytes >= 0) {
            share.give(roomBytes);
            roomBytes = -1;
        }
    }
}
