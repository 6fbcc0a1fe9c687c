package io.github.rpcrdma4j.rpcrdma.responder;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.CallHeader;
import io.github.rpcrdma4j.oncrpc.ReplyHeader;
import io.github.rpcrdma4j.oncrpc.ReverseDirection;
import io.github.rpcrdma4j.oncrpc.RpcDispatcher;
import io.github.rpcrdma4j.rpcrdma.binding.Bindings;
import io.github.rpcrdma4j.rpcrdma.binding.UpperLayerBinding.Eligibility;
import io.github.rpcrdma4j.rpcrdma.chunk.AlignedPlacements;
import io.github.rpcrdma4j.rpcrdma.chunk.ReadChunkPlacements.Fetched;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionMemory;
import io.github.rpcrdma4j.rpcrdma.connection.Framing;
import io.github.rpcrdma4j.rpcrdma.connection.Terms;
import io.github.rpcrdma4j.rpcrdma.connection.WorkBatch;
import io.github.rpcrdma4j.rpcrdma.wire.Alignment;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.PlainMessage;
import io.github.rpcrdma4j.rpcrdma.wire.v2.Operation.TransmitRequest;
import io.github.rpcrdma4j.verbs.WorkRequest;
import io.github.rpcrdma4j.xdr.Placements;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * A call between its arrival and the end of its reply, and then another. Guarded by the lock of its
 * connection, but while its program has it: then the thread that runs the program calls {@link
 * #execute} and nobody else touches the arguments and the reply.
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

    /**
     * Of calls with more memory than this for their replies, none is kept, and no bulk data is
     * copied into any.
     */
    private static final int SMALL_BYTES = 8192;

    private final SegmentPool pool;
    private final WorkBatch sending;
    private final List<SegmentPool.Lease> leases = new ArrayList<>(0);
    private final XdrReader message = new XdrReader(MemorySegment.NULL);

    /** The reply, behind room for a header; null before the first program was asked. */
    private XdrWriter reply;

    /** Where the last plain reply lay, and its length with its header. */
    private MemorySegment sentFrom = MemorySegment.NULL;

    private long sentBytes;
    private List<WorkRequest> requests = List.of();

    private int xid;
    private ChunkLists chunks = ChunkLists.EMPTY;
    private SegmentPool.Lease receive;

    /** The other receives of a call of several Sends, and what that said. */
    private final List<SegmentPool.Lease> receives = new ArrayList<>(0);

    private TransmitRequest request;
    private List<Fetched> placed = List.of();
    private ServedState state = ServedState.FINISHED;
    private MemorySegment payload = MemorySegment.NULL;
    private Alignment alignment = Alignment.NONE;
    private Placements arguments = Placements.NONE;
    private int argumentChunks;
    private CallHeader header;
    private long fetchedBytes;
    private boolean inProgress;
    private long charge;
    private boolean asked;
    private int eligibleResults;
    private boolean replyReads;

    /** Where it is among the calls that live. */
    private int place;

    /**
     * @param sent told when a plain reply has left, or never will
     */
    ServedCall(SegmentPool pool, BiConsumer<ServedCall, Boolean> sent) {
        this.pool = pool;
        this.sending = new WorkBatch(succeeded -> sent.accept(this, succeeded));
    }

    /** From now on it is that call. */
    void begin(
            int newXid,
            ChunkLists newChunks,
            MemorySegment inlinePayload,
            Alignment inlineAlignment,
            SegmentPool.Lease receiveBuffer) {
        xid = newXid;
        chunks = newChunks;
        payload = inlinePayload;
        alignment = inlineAlignment;
        receive = receiveBuffer;
        state = ServedState.FETCHING;
        arguments = Placements.NONE;
        argumentChunks = 0;
        header = null;
        fetchedBytes = 0;
        inProgress = false;
        charge = 0;
        asked = false;
        eligibleResults = 0;
        replyReads = false;
        request = null;
        placed = List.of();
    }

    /**
     * It came as a group.
     *
     * @param more the receives behind the first
     * @param items that lie in these, apart from the payload
     */
    void grouped(TransmitRequest initial, List<SegmentPool.Lease> more, List<Fetched> items) {
        request = initial;
        receives.addAll(more);
        placed = items;
    }

    /** What an XMTREQ said; null if it came otherwise. */
    TransmitRequest request() {
        return request;
    }

    /** Arguments that came with it, and lie apart. */
    List<Fetched> placed() {
        return placed;
    }

    /**
     * What of the results goes to Write chunks, or to what stands for them in a request that came
     * as a group.
     *
     * @return empty if one of them has no room
     */
    Optional<ReplyPlan.Placed> placeResults() {
        return request == null
                ? ReplyPlan.place(chunks, reply.bulkItems(), eligibleResults)
                : Directed.place(request, reply.bulkItems(), eligibleResults);
    }

    /** Tells that its results have no room, if there are some. */
    void tellOfNoRoom(int threshold, Guard guard) {
        if (asked && reply.position() > 0) {
            guard.hasNoRoom(
                    header,
                    NoRoom.words(
                            chunks,
                            reply.bulkItems(),
                            eligibleResults,
                            reply.reducedStream().byteSize(),
                            threshold));
        }
    }

    /** Whether its request says where results go: then it is answered by a group, or long. */
    boolean isDirected() {
        return request != null && !request.directions().isEmpty();
    }

    /** Octets of memory that are offered for results by the directions of a group. */
    long directedBytes() {
        long bytes = 0;
        if (request != null) {
            for (var set : request.directions()) {
                for (var item : set.items()) {
                    bytes += Directed.size(item.target());
                }
            }
        }
        return bytes;
    }

    /** Octets that were fetched for it, and that its requester offers memory for. */
    public long movableBytes() {
        long bytes = fetchedBytes + directedBytes();
        var writeList = chunks.writeList();
        for (int i = 0; i < writeList.size(); i++) {
            bytes += writeList.get(i).size();
        }
        var replyChunk = chunks.replyChunk();
        return replyChunk.isPresent() ? bytes + replyChunk.get().size() : bytes;
    }

    int xid() {
        return xid;
    }

    /** What the requester offered. */
    ChunkLists chunks() {
        return chunks;
    }

    /** The call message, without what was reduced; whole once it was fetched. */
    MemorySegment payload() {
        return payload;
    }

    /** The header of the call message, which was fetched; null if it is not one. */
    public CallHeader header() {
        if (header == null) {
            message.restart(payload, AlignedPlacements.of(arguments, alignment));
            try {
                header = CallHeader.decode(message);
            } catch (XdrException _) {
                return null;
            }
        }
        return header;
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
        var call = header();
        if (call == null || call.xid() != xid) {
            return Outcome.UNANSWERABLE;
        }
        boolean wrapped = dispatcher.wrapsData(call);
        // Nothing of what is wrapped is an item of its own (RFC 8166-8.2.2.3-1).
        var eligible =
                wrapped
                        ? Eligibility.NONE
                        : bindings.eligibility(call.program(), call.version(), call.procedure());
        eligibleResults = eligible.results();
        replyReads = eligible.replyReads();
        asked = true;
        if (reply == null) {
            reply = new XdrWriter(pool, PlainMessage.HEADER_BYTES);
        }
        if (!wrapped && argumentChunks > eligible.arguments()) {
            // An argument was reduced that its binding keeps in the stream (RFC 8166-6.1-2,
            // 8166-4.5.2-2; V2-4.2.3-9).
            new ReplyHeader.Refused(xid, AcceptStatus.GARBAGE_ARGS).encode(reply);
            return Outcome.ANSWERED;
        }
        // Where something was reduced of what is wrapped, it is not found in the stream.
        return dispatcher.dispatch(call, message, peer, pool, reverse, reply)
                ? Outcome.ANSWERED
                : Outcome.DROPPED;
    }

    /** The reply message; null if no program was asked. */
    XdrWriter reply() {
        return asked ? reply : null;
    }

    /** The same, and whoever takes it closes it. */
    XdrWriter takeReply() {
        var taken = reply;
        reply = null;
        return taken;
    }

    /** Whether the requester may have to fetch results. */
    boolean replyReads() {
        return replyReads;
    }

    /**
     * Whether the reply is one that goes without chunks, in one piece. A little bulk data is copied
     * for less than a Send of several pieces costs.
     *
     * @param mayCopy whether bulk data travels by RFC 8166, and so neither padded nor fetched
     */
    boolean repliesPlainly(Terms terms, boolean mayCopy) {
        if (!asked || terms.framing() != Framing.VERSION_1 || !chunks.isEmpty()) {
            return false;
        }
        long length = reply.position();
        return length > 0
                && (reply.bulkItems().isEmpty() || mayCopy && length <= SMALL_BYTES)
                && PlainMessage.HEADER_BYTES + length <= terms.replyThreshold();
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
            requests = List.of(local.send(memory, length));
        }
        return sending.of(requests);
    }

    int place() {
        return place;
    }

    void place(int index) {
        place = index;
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

    /** The same without the first. */
    void takeMoreReceives(Consumer<SegmentPool.Lease> poster) {
        receives.forEach(poster);
        receives.clear();
    }

    /** Hands over the receives that the call came in, to be posted again. */
    void takeReceives(Consumer<SegmentPool.Lease> poster) {
        if (receive != null) {
            poster.accept(receive);
            receive = null;
        }
        if (!receives.isEmpty()) {
            takeMoreReceives(poster);
        }
        placed = List.of();
    }

    /** Gives back the memory of the arguments, but for the receive: nobody looks at it any more. */
    void releaseArguments() {
        for (int i = 0; i < leases.size(); i++) {
            leases.get(i).close();
        }
        leases.clear();
        payload = MemorySegment.NULL;
    }

    /** Gives back all memory but what the next reply can be written to. */
    void release() {
        releaseArguments();
        takeReceives(SegmentPool.Lease::close);
        if (reply != null) {
            reply.clear();
        }
    }

    /** Whether it holds a lease when it was released. */
    boolean keepsMemory() {
        return reply != null;
    }

    /** Whether it is worth keeping, once released. */
    boolean isSmall() {
        return reply == null || reply.memory().byteSize() <= SMALL_BYTES;
    }

    /** Gives back the rest; the call is not used again. */
    void dispose() {
        if (reply != null) {
            reply.close();
        }
    }
}
