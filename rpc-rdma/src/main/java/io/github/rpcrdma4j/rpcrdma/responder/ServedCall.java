package io.github.rpcrdma4j.rpcrdma.responder;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.CallHeader;
import io.github.rpcrdma4j.oncrpc.ReplyHeader;
import io.github.rpcrdma4j.oncrpc.ReverseDirection;
import io.github.rpcrdma4j.oncrpc.RpcDispatcher;
import io.github.rpcrdma4j.rpcrdma.binding.Bindings;
import io.github.rpcrdma4j.rpcrdma.binding.UpperLayerBinding.Eligibility;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionMemory;
import io.github.rpcrdma4j.rpcrdma.connection.Terms;
import io.github.rpcrdma4j.rpcrdma.connection.WorkBatch;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.PlainMessage;
import io.github.rpcrdma4j.rpcrdma.wire.PlainMessages;
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

    /** The other receives of a call of several Sends. */
    private final List<SegmentPool.Lease> receives = new ArrayList<>(0);

    private Arrival arrival = Arrival.ONE_SEND;
    private ServedState state = ServedState.FINISHED;
    private MemorySegment payload = MemorySegment.NULL;
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

    /** From now on it is a call that came in one Send. */
    void begin(
            int newXid,
            ChunkLists newChunks,
            MemorySegment inlinePayload,
            SegmentPool.Lease receiveBuffer) {
        xid = newXid;
        chunks = newChunks;
        payload = inlinePayload;
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
        arrival = Arrival.ONE_SEND;
    }

    /**
     * It came otherwise.
     *
     * @param more the receives behind the first
     */
    void came(Arrival as, List<SegmentPool.Lease> more) {
        arrival = as;
        receives.addAll(more);
    }

    /** How it came. */
    public Arrival arrival() {
        return arrival;
    }

    /**
     * What of the results goes to memory of the requester.
     *
     * @return empty if one of them has no room
     */
    public Optional<ReplyPlan.Placed> placeResults() {
        return arrival.place(chunks, reply.bulkItems(), eligibleResults);
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

    /** Octets that were fetched for it, and that its requester offers memory for. */
    public long movableBytes() {
        long bytes = fetchedBytes + arrival.offeredBytes();
        var writeList = chunks.writeList();
        for (int i = 0; i < writeList.size(); i++) {
            bytes += writeList.get(i).size();
        }
        var replyChunk = chunks.replyChunk();
        return replyChunk.isPresent() ? bytes + replyChunk.get().size() : bytes;
    }

    public int xid() {
        return xid;
    }

    /** What the requester offered. */
    public ChunkLists chunks() {
        return chunks;
    }

    /** The call message, without what was reduced; whole once it was fetched. */
    MemorySegment payload() {
        return payload;
    }

    /** The header of the call message, which was fetched; null if it is not one. */
    public CallHeader header() {
        if (header == null) {
            message.restart(payload, arrival.placements(arguments));
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
    public SegmentPool.Lease lease(long bytes) {
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
    public XdrWriter reply() {
        return asked ? reply : null;
    }

    /** Hands over the reply message; its taker closes it. */
    public XdrWriter takeReply() {
        var taken = reply;
        reply = null;
        return taken;
    }

    /** Whether the requester may have to fetch results. */
    public boolean replyReads() {
        return replyReads;
    }

    /**
     * Whether the reply is one that goes without chunks, in one piece.
     *
     * @param plain which replies without chunks do
     */
    boolean repliesPlainly(Terms terms, PlainMessages plain) {
        if (!asked || !chunks.isEmpty()) {
            return false;
        }
        long length = reply.position();
        boolean isPlain =
                switch (plain) {
                    case NONE -> false;
                    case WITHOUT_BULK_DATA -> reply.bulkItems().isEmpty();
                    case WITH_BULK_DATA -> reply.bulkItems().isEmpty() || length <= SMALL_BYTES;
                };
        return isPlain
                && length > 0
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
    public int eligibleResults() {
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

    /** Hands over the receives behind the first, to be posted again. */
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
        arrival = Arrival.ONE_SEND;
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
