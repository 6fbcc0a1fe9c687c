package io.github.rpcrdma4j.rpcrdma.requester;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionMemory;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.connection.ExposedMemory;
import io.github.rpcrdma4j.rpcrdma.connection.Framing;
import io.github.rpcrdma4j.rpcrdma.connection.Terms;
import io.github.rpcrdma4j.rpcrdma.connection.WorkBatch;
import io.github.rpcrdma4j.rpcrdma.transmission.BufferLayout;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.PlainMessage;
import io.github.rpcrdma4j.rpcrdma.wire.v2.ResponseSet;
import io.github.rpcrdma4j.verbs.WorkRequest;
import io.github.rpcrdma4j.xdr.Placements;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A call between its encoding and its end. Guarded by the lock of its connection, but for {@link
 * #release}, which belongs to the thread that made the call.
 *
 * <p>A short call, one without chunks in either direction, is used again and again ({@link
 * ShortCalls}), with its memory, its work request and its answer.
 */
public final class PendingCall implements Endpoint.Ending {
    /** What came of a call. */
    public sealed interface Answer {
        /**
         * A reply.
         *
         * @param payload the RPC message, in memory of the call
         * @param placements where its bulk results lie
         */
        record Reply(MemorySegment payload, Placements placements) implements Answer {}

        /** No reply will come. */
        record Failure(RpcException reason) implements Answer {}
    }

    /** Who made a call. */
    @FunctionalInterface
    public interface Caller {
        /** The call has its answer; told once, with the lock of the connection held. */
        void answered();
    }

    /**
     * A bulk argument that moves as a Read chunk.
     *
     * @param position of its data in the unreduced payload stream
     * @param data native memory that any thread may touch
     */
    record ReducedItem(int position, MemorySegment data) {}

    /** Of calls with more memory than this, none is kept, and no bulk data is copied into any. */
    private static final int SMALL_BYTES = 8192;

    /** Of calls that expose nothing. */
    private static final ExposedMemory NOTHING = new ExposedMemory(null, 0);

    /** Where a short call is kept for later; null for others, which are made for one use. */
    private final ShortCalls home;

    /** The message of a short call, behind room for its header; later what answers it. */
    private final XdrWriter writer;

    private final List<SegmentPool.Lease> leases;

    /** What a short call keeps beside its message; null for others. */
    private final WorkBatch sending;

    private final View replied;
    private List<WorkRequest> requests = List.of();
    private MemorySegment sentFrom = MemorySegment.NULL;
    private long sentBytes;
    private Answer.Reply reply;

    /** The receive that a reply was left in, kept for the next; null if there is none. */
    private SegmentPool.Lease receive;

    private int xid;

    /** What it was made of; null once it was released. */
    private RpcCall asked;

    private CallShape shape;
    private List<ReducedItem> reducedItems = List.of();
    private List<MemorySegment> resultTargets = List.of();
    private ExposedMemory exposed = NOTHING;
    private SegmentPool.Lease message;
    private CallState state = CallState.WAITING;
    private ChunkLists offered = ChunkLists.EMPTY;
    private MemorySegment replyChunk = MemorySegment.NULL;

    /** Null in version 1. */
    private CallDraft draft;

    private RequestPlan plan = RequestPlan.BASE;
    private List<ResponseSet> directions = List.of();
    private boolean isResent;
    private Answer answer;
    private Caller caller;

    /** Whether the Send of a short call is posted; guarded by this. */
    private boolean posted;

    /** Whether a short call was released too early to be used again; guarded by this. */
    private boolean retired;

    /** A part of memory from its start on, made anew only where memory or length are others. */
    private static final class View {
        private MemorySegment memory = MemorySegment.NULL;
        private MemorySegment part = MemorySegment.NULL;

        /** Whether it is another view than before. */
        boolean set(MemorySegment whole, long length) {
            if (whole == memory && part.byteSize() == length) {
                return false;
            }
            memory = whole;
            part = whole.asSlice(0, length);
            return true;
        }

        void forget() {
            memory = MemorySegment.NULL;
            part = MemorySegment.NULL;
        }
    }

    /**
     * @param message the RPC message behind room for the transport header; for a long call without
     *     that room
     * @param resultTargets native memory for the Write chunks
     * @param standIns memory that holds copies of what the caller passed on the heap
     */
    PendingCall(
            int xid,
            CallShape shape,
            SegmentPool.Lease message,
            List<ReducedItem> reducedItems,
            List<MemorySegment> resultTargets,
            List<SegmentPool.Lease> standIns,
            ExposedMemory exposed) {
        this.home = null;
        this.writer = null;
        this.sending = null;
        this.replied = null;
        this.xid = xid;
        this.shape = shape;
        this.message = message;
        this.reducedItems = reducedItems;
        this.resultTargets = resultTargets;
        this.leases = new ArrayList<>(standIns);
        this.exposed = exposed;
    }

    /** A call of version 2 whose way is chosen when it is sent. */
    PendingCall(
            int xid,
            CallShape shape,
            CallDraft draft,
            List<MemorySegment> resultTargets,
            ExposedMemory exposed) {
        this(xid, shape, null, List.of(), resultTargets, List.of(), exposed);
        this.draft = draft;
    }

    /** A short call, to be used again and again. */
    PendingCall(ShortCalls home, SegmentPool pool) {
        this.home = home;
        this.writer = new XdrWriter(pool, PlainMessage.HEADER_BYTES);
        this.sending = new WorkBatch(this);
        this.replied = new View();
        this.leases = new ArrayList<>(0);
    }

    /** Where the message of a short call is written. */
    public XdrWriter writer() {
        return writer;
    }

    /**
     * Whether what was written is a short call. Bulk data may be part of it, and of its reply: a
     * little of it is copied for less than it is registered.
     *
     * @param replyVerifierMax the longest verifier body of the reply, in octets
     * @param mayCopy whether bulk data travels by RFC 8166, and so neither padded nor fetched
     */
    public boolean fits(RpcCall call, int replyVerifierMax, Terms terms, boolean mayCopy) {
        var targets = call.resultTargets();
        boolean isPlain = writer.bulkItems().isEmpty() && targets.isEmpty();
        return terms.framing() == Framing.VERSION_1
                && (isPlain || mayCopy && writer.position() <= SMALL_BYTES)
                && CallShape.isShort(
                        call.resultsMax() + CallShape.paddedBytes(targets),
                        replyVerifierMax,
                        writer.position(),
                        terms);
    }

    /** From now on it is a call whose message was written, with that XID. */
    public PendingCall begin(int newXid) {
        writer.takeIn();
        xid = newXid;
        state = CallState.WAITING;
        answer = null;
        caller = null;
        return this;
    }

    /** Says what it was made of. */
    public PendingCall of(RpcCall call) {
        asked = call;
        return this;
    }

    /** What it was made of; empty once it was released. */
    Optional<RpcCall> asked() {
        return Optional.ofNullable(asked);
    }

    /** Whether neither the call nor its reply has chunks. */
    boolean isShort() {
        return writer != null;
    }

    /**
     * The Send of a short call, with its header; its octets cannot change until it has ended.
     *
     * @param memory of the connection
     */
    WorkBatch sending(int credits, ConnectionMemory memory) {
        PlainMessage.encode(xid, credits, writer.memory());
        long length = PlainMessage.HEADER_BYTES + writer.mark();
        if (sentFrom != writer.memory() || sentBytes != length) {
            sentFrom = writer.memory();
            sentBytes = length;
            requests = List.of(memory.send(sentFrom, length));
        }
        synchronized (this) {
            posted = true;
        }
        return sending.of(requests);
    }

    @Override
    public void ended(boolean succeeded) {
        synchronized (this) {
            posted = false;
            if (!retired) {
                return;
            }
        }
        dispose();
    }

    /**
     * Answers a short call with a copy of a short reply, in the memory that its message left.
     *
     * @return false if that is not possible
     */
    boolean answerWithCopy(MemorySegment buffer, long from, long length) {
        synchronized (this) {
            if (posted || length > writer.memory().byteSize()) {
                return false;
            }
        }
        MemorySegment.copy(buffer, from, writer.memory(), 0, length);
        if (replied.set(writer.memory(), length)) {
            reply = new Answer.Reply(replied.part, Placements.NONE);
        }
        return true;
    }

    /**
     * Answers a short call with a reply where it lies: from now on the receive is the call's.
     *
     * @return the receive that the call had before, for another reply; null if it had none
     */
    SegmentPool.Lease answerWithReceive(SegmentPool.Lease buffer, long from, long length) {
        var before = receive;
        receive = buffer;
        reply = new Answer.Reply(buffer.segment().asSlice(from, length), Placements.NONE);
        // The next one that is copied is another view.
        replied.forget();
        return before;
    }

    /** The answer that a short call was given. */
    Answer shortAnswer() {
        return reply;
    }

    /** Whether it is worth keeping. */
    boolean isSmall() {
        return writer.memory().byteSize() <= SMALL_BYTES
                && (receive == null || receive.whole().byteSize() <= SMALL_BYTES);
    }

    /** Gives back the memory of the message and of the answer; the call is not used again. */
    void dispose() {
        writer.close();
        if (receive != null) {
            receive.close();
            receive = null;
        }
    }

    int xid() {
        return xid;
    }

    CallShape shape() {
        return shape;
    }

    List<ReducedItem> reducedItems() {
        return reducedItems;
    }

    /** Says what of a call of version 2 is to be fetched. */
    void reduces(List<ReducedItem> items) {
        reducedItems = items;
    }

    List<MemorySegment> resultTargets() {
        return resultTargets;
    }

    ExposedMemory exposed() {
        return exposed;
    }

    /** Hands the encoded message over: from now on whoever sends it gives it back. */
    SegmentPool.Lease takeMessage() {
        var taken = message;
        message = null;
        return taken;
    }

    /** Memory that is given back when the call is released. */
    SegmentPool.Lease hold(SegmentPool.Lease lease) {
        leases.add(lease);
        return lease;
    }

    /** What was offered to the responder. */
    ChunkLists offered() {
        return offered;
    }

    /** The memory of the Reply chunk; empty if none was offered. */
    MemorySegment replyChunk() {
        return replyChunk;
    }

    void offer(ChunkLists chunks, MemorySegment replyMemory) {
        offered = chunks;
        replyChunk = replyMemory;
    }

    CallState state() {
        return state;
    }

    CallDraft draft() {
        return draft;
    }

    /** Whether Sends with the caller's memory are under way. */
    public boolean isBeingSent() {
        return draft != null && draft.isBeingSent();
    }

    /** How it travels, and how many credits it holds. */
    RequestPlan plan() {
        return plan;
    }

    void plan(RequestPlan chosen) {
        plan = chosen;
    }

    /** Where it wants its bulk results. */
    List<ResponseSet> directions() {
        return directions;
    }

    void directions(List<ResponseSet> asked) {
        directions = asked;
    }

    /** Whether it went out a second time, after a complaint. */
    boolean isResent() {
        return isResent;
    }

    void resent() {
        isResent = true;
    }

    /**
     * Sends that the longest response takes; 0 if that are more than there may be.
     *
     * @param placed whether its bulk results lie in receives of this side, or in the payload
     */
    int responsePlan(BufferLayout own, boolean placed, int max) {
        long stream = draft.expected().stream();
        return placed
                ? RequestMessage.responseSends(
                        own,
                        stream,
                        resultTargets.stream()
                                .map(MemorySegment::byteSize)
                                .filter(length -> length > 0)
                                .toList(),
                        max)
                : RequestMessage.responseSends(
                        own, stream + draft.expected().bulk(), List.of(), max);
    }

    /** Takes a step and says what must be done. */
    CallState.Step step(CallState.Event event) {
        var step = state.on(event);
        state = step.next();
        return step;
    }

    void complete(Answer given) {
        answer = given;
    }

    /** What came of it; null while nothing has. */
    public Answer answer() {
        return answer;
    }

    /** Says who is to be told of the answer. */
    public void tells(Caller told) {
        caller = told;
    }

    /** Tells whoever made the call. */
    public void tellCaller() {
        caller.answered();
    }

    /**
     * Gives back the memory of the call, once it has its answer and nobody looks at that; to be
     * called once.
     */
    public void release() {
        asked = null;
        if (message != null) {
            takeMessage().close();
        }
        for (int i = 0; i < leases.size(); i++) {
            leases.get(i).close();
        }
        leases.clear();
        if (draft != null) {
            draft.release();
        }
        if (writer != null) {
            releaseShort();
        }
    }

    /** One that the peer may still answer, or whose Send is still posted, is not used again. */
    private void releaseShort() {
        boolean unused = state == CallState.FINISHED || state == CallState.WAITING;
        synchronized (this) {
            retired = posted || !unused;
            if (posted) {
                return;
            }
        }
        writer.clear();
        if (retired) {
            dispose();
        } else {
            home.giveBack(this);
        }
    }
}
