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
        takeRoom(GatewayLimits.HEADER_BYTES + room.resultsMax() + room.targetBytes());
        reply = AwaitedMemory.await(() -> send(room, sending), share::isEnded);
        return reply;
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
            var segments = new ArrayList<MemorySegment>();
            for (long length : room.targets()) {
                var lease = pool.lease(length);
                targets.add(lease);
                segments.add(lease.whole().asSlice(0, length));
            }
            return sending.call(segments);
        } catch (BudgetExhaustedException none) {
            releaseTargets();
            throw none;
        }
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
