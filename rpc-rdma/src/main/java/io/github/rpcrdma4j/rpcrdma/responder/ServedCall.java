package io.github.rpcrdma4j.rpcrdma.responder;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding.Eligibility;
import io.github.rpcrdma4j.rpcrdma.chunk.AwaitedPlacements;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionMemory;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionParameters;
import io.github.rpcrdma4j.rpcrdma.connection.WorkBatch;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.PlainMessage;
import io.github.rpcrdma4j.verbs.WorkRequest;
import io.github.rpcrdma4j.xdr.BulkItem;
import io.github.rpcrdma4j.xdr.Placements;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A call from its arrival until its reply is sent, with the memory of both. The object is reused
 * for other calls. Guarded by the lock of its connection. While its program runs, its {@link
 * #execution} and its reply belong to the thread of the program.
 *
 * <p>Tests: {@code CallQuotaTest}, {@code RepliesOnTheWireTest}.
 */
public final class ServedCall {
    /**
     * The form in which a call arrived, and the memory for its results. The default methods
     * describe a call in one Send, with the chunk lists of RFC 8166.
     */
    public interface Arrival {
        /** A call in one Send. */
        Arrival ONE_SEND = new Arrival() {};

        /** Returns the bulk arguments that arrived with the call, separate from its message. */
        default List<BulkItem> items() {
            return List.of();
        }

        /** Returns the placements of all arguments, from those of arguments in chunks. */
        default Placements placements(Placements chunks) {
            return chunks;
        }

        /** Returns how many bytes the call offers for results in addition to its chunk lists. */
        default long offeredBytes() {
            return 0;
        }

        /** Returns whether the reply may be inline by RFC 8166. */
        default boolean mayBeInline() {
            return true;
        }

        /**
         * Places results in memory of the requester.
         *
         * @param chunks the chunk lists of the call
         * @param eligible the results that may be reduced
         * @return empty if a result has no room
         */
        default Optional<ReplyPlan.Placed> place(
                ChunkLists chunks, List<BulkItem> results, Eligibility eligible) {
            return ReplyPlan.place(chunks, results, eligible);
        }
    }

    private final SegmentPool pool;
    private final WorkBatch sending;
    private final Execution execution;
    private final CallQuota.Taken taken = new CallQuota.Taken();

    /** The memory of fetched or copied arguments. */
    private final List<SegmentPool.Lease> leases = new ArrayList<>(0);

    /** The receives that the call arrived in, one for each Send. */
    private final List<SegmentPool.Lease> receives = new ArrayList<>(1);

    /** The reply, after room for a header; null before the first dispatch. */
    private XdrWriter reply;

    /** The memory of the last plain reply, and its length with its header in bytes. */
    private MemorySegment sentFrom = MemorySegment.NULL;

    private long sentBytes;
    private List<WorkRequest> requests = List.of();

    private int xid;
    private ChunkLists chunks = ChunkLists.EMPTY;
    private Arrival arrival = Arrival.ONE_SEND;
    private ServedState state = ServedState.FINISHED;

    /** The index of the call among the unfinished calls. */
    private int index;

    /**
     * @param sent called when a plain reply was sent
     */
    ServedCall(SegmentPool pool, Consumer<ServedCall> sent) {
        this.pool = pool;
        this.execution = new Execution(this, pool);
        this.sending =
                new WorkBatch(
                        succeeded -> {
                            if (succeeded) {
                                sent.accept(this);
                            }
                        });
    }

    /** Turns this object into a call that arrived in one Send. */
    void begin(int newXid, ChunkLists newChunks, MemorySegment inline, SegmentPool.Lease receive) {
        xid = newXid;
        chunks = newChunks;
        receives.add(receive);
        state = ServedState.FETCHING;
        arrival = Arrival.ONE_SEND;
        execution.begin(inline, AwaitedPlacements.of(chunks.readList()));
    }

    /**
     * Sets another form of arrival.
     *
     * @param more the receives after the first
     */
    void arrivedAs(Arrival form, List<SegmentPool.Lease> more) {
        arrival = form;
        receives.addAll(more);
        var awaited = AwaitedPlacements.of(chunks.readList());
        execution.arguments(execution.message(), form.placements(awaited), 0);
    }

    /** Returns the execution of the call by its program. */
    public Execution execution() {
        return execution;
    }

    /** Returns the quota that the call has taken. */
    CallQuota.Taken taken() {
        return taken;
    }

    /**
     * Notes that the program has passed the arguments on. The thread of the program calls it,
     * without the lock.
     *
     * @return whether another call waits for that: then {@link Responder#resume} is due
     */
    public boolean passedOn() {
        return taken.passedOn();
    }

    /** Returns the form in which the call arrived. */
    public Arrival arrival() {
        return arrival;
    }

    public int xid() {
        return xid;
    }

    /** Returns the mark of the call, whose arguments were not fetched yet. */
    public CallMark mark() {
        return CallMark.of(xid, chunks, execution.message());
    }

    /** Returns the chunk lists of the requester. */
    public ChunkLists chunks() {
        return chunks;
    }

    /** Returns how many bytes the requester offers for results. */
    long offeredBytes() {
        return chunks.resultBytes() + arrival.offeredBytes();
    }

    /** Returns the bytes that were fetched for the call, plus those offered for its results. */
    public long movableBytes() {
        return taken.fetchedBytes() + offeredBytes();
    }

    /** Returns whether arguments are separate from the message. */
    boolean hasSeparateArguments() {
        return !chunks.readList().isEmpty() || !arrival.items().isEmpty();
    }

    /** Leases memory for arguments, which is freed with the arguments of the call. */
    public SegmentPool.Lease lease(long bytes) {
        var lease = pool.lease(bytes);
        leases.add(lease);
        return lease;
    }

    /** Places results in memory of the requester; returns empty if a result has no room. */
    public Optional<ReplyPlan.Placed> placeResults() {
        return arrival.place(chunks, reply.bulkItems(), execution.eligibility());
    }

    /** Returns whether there is a reply message: the call was dispatched, and wrote one. */
    public boolean hasReply() {
        return execution.wasDispatched() && reply != null && reply.position() > 0;
    }

    /** Returns the reply message; null before the first dispatch. */
    public XdrWriter reply() {
        return reply;
    }

    /** Returns the writer of the reply message, which is empty. */
    XdrWriter beginReply() {
        if (reply == null) {
            reply = new XdrWriter(pool, PlainMessage.HEADER_BYTES);
        }
        return reply;
    }

    /** Clears the reply message, because its content is no answer. */
    void clearReply() {
        if (reply != null) {
            reply.clear();
        }
    }

    /** Hands over the reply message. The caller closes it. */
    public XdrWriter takeReply() {
        var result = reply;
        reply = null;
        return result;
    }

    /**
     * Returns whether the reply is a plain message without chunks.
     *
     * @param plain decides which replies without chunks are plain
     */
    boolean repliesPlainly(ConnectionParameters parameters, PlainMessage.Rule plain) {
        if (!hasReply() || !chunks.isEmpty()) {
            return false;
        }
        long length = reply.position();
        return plain.includes(!reply.bulkItems().isEmpty(), length)
                && PlainMessage.HEADER_BYTES + length <= parameters.replyThreshold();
    }

    /**
     * Returns the Send of a plain reply, with its header.
     *
     * @param local the memory of the connection
     */
    WorkBatch sending(int credits, ConnectionMemory local) {
        reply.inlineBulkItems();
        var memory = reply.memory();
        long length = PlainMessage.HEADER_BYTES + reply.reducedLength();
        PlainMessage.encode(xid, credits, memory);
        if (sentFrom != memory || sentBytes != length) {
            sentFrom = memory;
            sentBytes = length;
            requests = List.of(local.send(memory, 0, length));
        }
        return sending.requests(requests);
    }

    int index() {
        return index;
    }

    void index(int changed) {
        index = changed;
    }

    /** Takes a step for an event and returns it with its actions. */
    ServedState.Step step(ServedState.Event event) {
        var step = state.on(event);
        state = step.next();
        return step;
    }

    /** Returns how many receives the call still holds. */
    int receives() {
        return receives.size();
    }

    /** Hands over one receive of the call, to be posted again. */
    SegmentPool.Lease takeReceive() {
        return receives.removeLast();
    }

    /** Frees the memory of the arguments, except for the receives. */
    void releaseArguments() {
        for (int i = 0; i < leases.size(); i++) {
            leases.get(i).close();
        }
        leases.clear();
        execution.releaseArguments();
    }

    /** Frees all memory except that for the next reply. */
    void release() {
        releaseArguments();
        while (receives() > 0) {
            takeReceive().close();
        }
        arrival = Arrival.ONE_SEND;
        clearReply();
    }

    /** Returns whether the released call still holds a lease. */
    boolean keepsMemory() {
        return reply != null;
    }

    /** Returns whether the released call is small enough to keep. */
    boolean isSmall() {
        return reply == null || reply.memory().byteSize() <= PlainMessage.SMALL_BYTES;
    }

    /** Frees the remaining memory. The call is not used again. */
    void dispose() {
        if (reply != null) {
            reply.close();
        }
    }
}
