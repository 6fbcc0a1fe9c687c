package io.github.rpcrdma4j.rpcrdma.responder;

import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.ReplyHeader;
import io.github.rpcrdma4j.oncrpc.ReverseDirection;
import io.github.rpcrdma4j.oncrpc.RpcDispatcher;
import io.github.rpcrdma4j.rpcrdma.Bindings;
import io.github.rpcrdma4j.rpcrdma.UpperLayerBinding.Eligibility;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.verbs.MemoryRegion;
import io.github.rpcrdma4j.xdr.Placements;
import io.github.rpcrdma4j.xdr.SegmentPool;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A call between its arrival and the end of its reply. Guarded by the lock of its connection, but
 * while its program has it: then the thread that runs the program calls {@link #execute} and nobody
 * else touches the arguments and the reply.
 */
public final class ServedCall {
    /** What came of a call, for its requester. */
    public enum Outcome {
        /** There is a reply. */
        ANSWERED,
        /** Nothing can be answered at the level of RPC. */
        UNANSWERABLE,
        /** Nothing is owed: it was a replay, or pretended to be one. */
        DROPPED
    }

    private final int xid;
    private final ChunkLists chunks;
    private final SegmentPool pool;
    private final List<SegmentPool.Lease> leases = new ArrayList<>(2);
    private final List<MemoryRegion> sinks = new ArrayList<>(0);
    private ServedState state = ServedState.FETCHING;
    private MemorySegment payload;
    private Placements arguments = Placements.NONE;
    private int argumentChunks;
    private long fetchedBytes;
    private boolean inProgress;
    private long charge;
    private XdrWriter reply;
    private int eligibleResults;

    ServedCall(
            int xid,
            ChunkLists chunks,
            MemorySegment inlinePayload,
            SegmentPool pool,
            SegmentPool.Lease receiveBuffer) {
        this.xid = xid;
        this.chunks = chunks;
        this.payload = inlinePayload;
        this.pool = pool;
        leases.add(receiveBuffer);
    }

    int xid() {
        return xid;
    }

    /** What the requester offered. */
    ChunkLists chunks() {
        return chunks;
    }

    /** The call message, without what was reduced; whole once it was fetched. */
    public MemorySegment payload() {
        return payload;
    }

    /** Sets what was fetched apart. */
    void fetched(MemorySegment message, Placements placements, int dataChunks) {
        payload = message;
        arguments = placements;
        argumentChunks = dataChunks;
    }

    /** Memory to fetch into, given back with the call. */
    SegmentPool.Lease lease(long bytes) {
        var lease = pool.lease(bytes);
        leases.add(lease);
        return lease;
    }

    void sink(MemoryRegion region) {
        sinks.add(region);
    }

    void closeSinks() {
        sinks.forEach(MemoryRegion::invalidate);
        sinks.clear();
    }

    long fetchedBytes() {
        return fetchedBytes;
    }

    void fetches(long bytes) {
        fetchedBytes = bytes;
    }

    /** Whether it is taken from what its client may have in progress. */
    boolean isInProgress() {
        return inProgress;
    }

    /** Octets that are taken for it from what its client may hold. */
    long charge() {
        return charge;
    }

    void charge(boolean callInProgress, long bytes) {
        inProgress = callInProgress;
        charge = bytes;
    }

    /**
     * Has the program carry it out.
     *
     * @param reverse the way back to the requester
     */
    public Outcome execute(
            RpcDispatcher dispatcher,
            Bindings bindings,
            InetSocketAddress peer,
            Optional<ReverseDirection> reverse)
            throws InterruptedException {
        var header = RpcDispatcher.peek(payload);
        if (header.isEmpty() || header.get().xid() != xid) {
            return Outcome.UNANSWERABLE;
        }
        var call = header.get();
        boolean wrapped = dispatcher.wrapsData(call);
        // Nothing of what is wrapped is an item of its own (RFC 8166-8.2.2.3-1).
        var eligible =
                wrapped
                        ? Eligibility.NONE
                        : bindings.eligibility(call.program(), call.version(), call.procedure());
        eligibleResults = eligible.results();
        reply = new XdrWriter(pool);
        if (!wrapped && argumentChunks > eligible.arguments()) {
            // An argument was reduced that its binding keeps in the stream (RFC 8166-6.1-2,
            // 8166-4.5.2-2).
            new ReplyHeader.Refused(xid, AcceptStatus.GARBAGE_ARGS).encode(reply);
            return Outcome.ANSWERED;
        }
        // Where something was reduced of what is wrapped, it is not found in the stream.
        return dispatcher.dispatch(new XdrReader(payload, arguments), peer, pool, reverse, reply)
                ? Outcome.ANSWERED
                : Outcome.DROPPED;
    }

    /** The reply message; null before the program was asked. */
    XdrWriter reply() {
        return reply;
    }

    /** How many results of the procedure may be reduced. */
    int eligibleResults() {
        return eligibleResults;
    }

    ServedState state() {
        return state;
    }

    /** Takes a step and says what must be done. */
    ServedState.Step step(ServedState.Event event) {
        var step = state.on(event);
        state = step.next();
        return step;
    }

    /** Gives back the memory of the arguments: nobody looks at them any more. */
    void releaseArguments() {
        closeSinks();
        leases.forEach(SegmentPool.Lease::close);
        leases.clear();
        payload = MemorySegment.NULL;
    }

    /** Gives back all memory. */
    void release() {
        releaseArguments();
        if (reply != null) {
            reply.close();
        }
    }
}
