package io.github.rpcrdma4j.rpcrdma.responder;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding.Eligibility;
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
 * A call from its arrival until its reply has left, with the memory of both; the object is used
 * again for another call. Guarded by the lock of its connection, except while its program runs:
 * then its {@link #execution} and its reply belong to the thread of the program.
 */
public final class ServedCall {
    /**
     * How a call came, and where its results may go. What a method does where a profile says
     * nothing holds for a call in one Send, with the chunk lists of RFC 8166.
     */
    public interface Arrival {
        /** In one Send. */
        Arrival ONE_SEND = new Arrival() {};

        /** Bulk arguments that came with it, and lie apart. */
        default List<BulkItem> items() {
            return List.of();
        }

        /** Where its arguments lie, by where those in chunks do. */
        default Placements placements(Placements chunks) {
            return chunks;
        }

        /** How many bytes of memory it offers for results beside its chunk lists. */
        default long offeredBytes() {
            return 0;
        }

        /** Whether its reply may be inline by RFC 8166. */
        default boolean mayBeInline() {
            return true;
        }

        /**
         * What of the results goes to memory of the requester.
         *
         * @param chunks of the call
         * @param eligible which of the results may be reduced
         * @return empty if one of them has no room
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

    /** Memory that arguments were fetched into, or copied to. */
    private final List<SegmentPool.Lease> leases = new ArrayList<>(0);

    /** The receives that it came in; one for each Send. */
    private final List<SegmentPool.Lease> receives = new ArrayList<>(1);

    /** The reply, behind room for a header; null before the first program was asked. */
    private XdrWriter reply;

    /** Where the last plain reply lay, and its length with its header. */
    private MemorySegment sentFrom = MemorySegment.NULL;

    private long sentBytes;
    private List<WorkRequest> requests = List.of();

    private int xid;
    private ChunkLists chunks = ChunkLists.EMPTY;
    private Arrival arrival = Arrival.ONE_SEND;
    private ServedState state = ServedState.FINISHED;

    /** Where it is among the calls that live. */
    private int place;

    /**
     * @param sent told when a plain reply has left
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

    /** From now on it is a call that came in one Send. */
    void begin(int newXid, ChunkLists newChunks, MemorySegment inline, SegmentPool.Lease receive) {
        xid = newXid;
        chunks = newChunks;
        receives.add(receive);
        state = ServedState.FETCHING;
        arrival = Arrival.ONE_SEND;
        execution.begin(inline);
    }

    /**
     * It came otherwise.
     *
     * @param more the receives behind the first
     */
    void came(Arrival as, List<SegmentPool.Lease> more) {
        arrival = as;
        receives.addAll(more);
        execution.arguments(execution.message(), as.placements(Placements.NONE), 0);
    }

    /** The program's side of it. */
    public Execution execution() {
        return execution;
    }

    /** What it has taken of what calls may take. */
    CallQuota.Taken taken() {
        return taken;
    }

    /** How it came. */
    public Arrival arrival() {
        return arrival;
    }

    public int xid() {
        return xid;
    }

    /** What the requester offered. */
    public ChunkLists chunks() {
        return chunks;
    }

    /** Bytes of memory that the requester offers for results. */
    long offeredBytes() {
        return chunks.resultBytes() + arrival.offeredBytes();
    }

    /** Bytes that were fetched for it, and that its requester offers memory for. */
    public long movableBytes() {
        return taken.fetched() + offeredBytes();
    }

    /** Whether arguments lie apart from its message. */
    boolean hasArgumentsApart() {
        return !chunks.readList().isEmpty() || !arrival.items().isEmpty();
    }

    /** Memory for arguments, given back with the call. */
    public SegmentPool.Lease lease(long bytes) {
        var lease = pool.lease(bytes);
        leases.add(lease);
        return lease;
    }

    /** What of the results goes to memory of the requester; empty if one of them has no room. */
    public Optional<ReplyPlan.Placed> placeResults() {
        return arrival.place(chunks, reply.bulkItems(), execution.eligibility());
    }

    /** Whether there is a reply message: a program was asked, and wrote one. */
    public boolean hasReply() {
        return execution.wasAsked() && reply != null && reply.position() > 0;
    }

    /** The reply message; null if no program was ever asked. */
    public XdrWriter reply() {
        return reply;
    }

    /** The memory for the reply message, which is empty. */
    XdrWriter beginReply() {
        if (reply == null) {
            reply = new XdrWriter(pool, PlainMessage.HEADER_BYTES);
        }
        return reply;
    }

    /** Leaves no reply message: what there is of one is no answer. */
    void clearReply() {
        if (reply != null) {
            reply.clear();
        }
    }

    /** Hands over the reply message; its taker closes it. */
    public XdrWriter takeReply() {
        var result = reply;
        reply = null;
        return result;
    }

    /**
     * Whether the reply is one that goes without chunks, in one piece.
     *
     * @param plain which replies without chunks do
     */
    boolean repliesPlainly(ConnectionParameters parameters, PlainMessage.Which plain) {
        if (!hasReply() || !chunks.isEmpty()) {
            return false;
        }
        long length = reply.position();
        return plain.takes(!reply.bulkItems().isEmpty(), length)
                && PlainMessage.HEADER_BYTES + length <= parameters.replyThreshold();
    }

    /**
     * The Send of a plain reply, with its header.
     *
     * @param local memory of the connection
     */
    WorkBatch sending(int credits, ConnectionMemory local) {
        reply.takeIn();
        var memory = reply.memory();
        long length = PlainMessage.HEADER_BYTES + reply.mark();
        PlainMessage.encode(xid, credits, memory);
        if (sentFrom != memory || sentBytes != length) {
            sentFrom = memory;
            sentBytes = length;
            requests = List.of(local.send(memory, 0, length));
        }
        return sending.of(requests);
    }

    int place() {
        return place;
    }

    void place(int index) {
        place = index;
    }

    /** Takes a step and says what must be done. */
    ServedState.Step step(ServedState.Event event) {
        var step = state.on(event);
        state = step.next();
        return step;
    }

    /** How many of the receives are left that it came in. */
    int receives() {
        return receives.size();
    }

    /** Hands over one of the receives that it came in, to be posted again. */
    SegmentPool.Lease takeReceive() {
        return receives.removeLast();
    }

    /** Gives back the memory of the arguments, except for the receives. */
    void releaseArguments() {
        for (int i = 0; i < leases.size(); i++) {
            leases.get(i).close();
        }
        leases.clear();
        execution.releaseArguments();
    }

    /** Gives back all memory but what the next reply can be written to. */
    void release() {
        releaseArguments();
        while (receives() > 0) {
            takeReceive().close();
        }
        arrival = Arrival.ONE_SEND;
        clearReply();
    }

    /** Whether it holds a lease when it was released. */
    boolean keepsMemory() {
        return reply != null;
    }

    /** Whether it is worth keeping, once released. */
    boolean isSmall() {
        return reply == null || reply.memory().byteSize() <= PlainMessage.SMALL_BYTES;
    }

    /** Gives back the rest; the call is not used again. */
    void dispose() {
        if (reply != null) {
            reply.close();
        }
    }
}
