package io.github.rpcrdma4j.rpcrdma.v2.requester;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.connection.MessageSends;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.requester.ArrivedReply;
import io.github.rpcrdma4j.rpcrdma.requester.CallPlanner;
import io.github.rpcrdma4j.rpcrdma.requester.CreditWindow;
import io.github.rpcrdma4j.rpcrdma.requester.PendingCall;
import io.github.rpcrdma4j.rpcrdma.requester.Requester;
import io.github.rpcrdma4j.rpcrdma.requester.RequesterProfile;
import io.github.rpcrdma4j.rpcrdma.rfc5666.fetched.OneWayCredits;
import io.github.rpcrdma4j.rpcrdma.v2.connection.Version2Receiver;
import io.github.rpcrdma4j.rpcrdma.v2.options.FetchedReplies.ReplyChunks;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2Counter;
import io.github.rpcrdma4j.rpcrdma.v2.requester.RequestMessage.ItemTransfer;
import io.github.rpcrdma4j.rpcrdma.v2.requester.RequestPlan.PlannedRequest;
import io.github.rpcrdma4j.rpcrdma.v2.requester.RequestPlan.Resources;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.GroupErrors;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.TransferChoice.Costs;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.Transmissions;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Extension;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.ResponseSet.Target;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2HeaderCodec;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.TransportHeader;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.xdr.BulkItem;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * The profile of a requester in version 2. A call's plan is made when it is sent, and the call may
 * take several credits. Some other messages take a credit and have no answer.
 *
 * <p>Tests: {@code RequestsByHandTest}.
 */
public final class Version2Requester implements RequesterProfile {
    /** Assumed costs on current processors, in nanoseconds; the cost of a byte in thousandths. */
    private static final long SEND_NANOS = 3000;

    private static final long PLACEMENT_NANOS = 300;
    private static final long REGISTRATION_NANOS = 4000;
    private static final long BYTE_THOUSANDTHS = 100;

    private record Sent(long number, long since, int spare) {}

    private final Requester requester;
    private final MessageSends messageSends;
    private final SegmentPool pool;
    private final Counters counters;
    private final Version2Setting setting;
    private final OneWayCredits oneWay = new OneWayCredits();
    private final GroupErrors groupErrors = new GroupErrors();
    private final RoundTrip roundTrip = new RoundTrip();
    private final Map<PendingCall, Sent> sent = new HashMap<>();
    private final ReplyFetches fetches;
    private int spareInUse;

    /**
     * @param requester the requester; its later calls are made in version 2
     */
    public Version2Requester(
            Requester requester, Endpoint endpoint, Counters counters, Version2Setting setting) {
        this.requester = requester;
        this.messageSends = endpoint.messageSends();
        this.pool = endpoint.memory().pool();
        this.counters = counters;
        this.setting = setting;
        this.fetches = new ReplyFetches(endpoint, counters, setting, oneWay, requester);
        requester.useProfile(this);
    }

    /** Returns the receiver of replies of this requester. */
    public Version2Receiver.Replies replies() {
        return new Version2Replies(requester, this, pool, counters);
    }

    /**
     * Returns the planner of calls.
     *
     * @param replyChunks which calls offer a Reply chunk
     */
    public CallPlanner planner(ReplyChunks replyChunks) {
        return new DeferredCallPlanner(replyChunks, this::send);
    }

    @Override
    public boolean tryTake(CreditWindow credits, PendingCall call) {
        // One credit is available until a reply has granted more (V2-5-2).
        int available = credits.available(oneWay.held());
        if (available < 1) {
            return false;
        }
        var deferred = deferred(call);
        deferred.plan(plan(deferred, available));
        if (deferred.plan().lacksCredits()) {
            counters.count(Version2Counter.CREDIT_FALLBACKS);
        }
        return credits.tryTakeAll(deferred.plan().count(), oneWay.held());
    }

    /** Returns the call as a deferred call; on this connection all calls are. */
    private static DeferredCall deferred(PendingCall call) {
        if (call instanceof DeferredCall deferred) {
            return deferred;
        }
        throw new AssertionError("a call of version 1 on a connection of version 2");
    }

    private RequestPlan plan(DeferredCall call, int available) {
        var exchange = setting.exchange();
        var peer = exchange.peer();
        if (!exchange.known().contains(Extension.TRANSMISSIONS)
                || !peer.transmissions().has(Transmissions.REQUESTS)
                || !peer.transmissions().has(Transmissions.RESPONSES)
                || !groupErrors.isWorthTrying()) {
            return RequestPlan.BASE;
        }
        int spare = setting.spareReceives() - spareInUse;
        return RequestPlan.of(
                call,
                new Resources(
                        peer.buffer(),
                        (int) Math.min(Integer.MAX_VALUE, peer.requestTransmissionsMax()),
                        exchange.ownBuffer(),
                        (int) Math.max(1, Math.min(peer.responseTransmissionsMax(), spare)),
                        available,
                        setting.segmentMax(),
                        exchange.known().contains(Extension.TRAILER),
                        new Costs(
                                roundTrip.nanos(),
                                SEND_NANOS,
                                PLACEMENT_NANOS,
                                REGISTRATION_NANOS,
                                BYTE_THOUSANDTHS),
                        setting.transferPolicy()));
    }

    @Override
    public int heldCredits() {
        return oneWay.held();
    }

    /** Counts a sent message that takes a credit and is no call. */
    void sentOneWay() {
        oneWay.sent();
    }

    /** Returns the fetches of replies. */
    ReplyFetches fetches() {
        return fetches;
    }

    /**
     * Frees the credit of the oldest message without an answer, which the peer has acknowledged,
     * and sends a call that waited for it.
     */
    void acknowledged() {
        oneWay.confirmed();
        requester.sendQueued();
    }

    /**
     * Returns the number of receives to post beyond one per credit (RTR-4.3-4). It includes one for
     * each message that the peer may acknowledge.
     */
    @Override
    public int spareReceives() {
        return spareInUse + (setting.fetched().isPresent() ? oneWay.held() : 0);
    }

    @Override
    public void sent(PendingCall call) {
        int allowed = deferred(call).plan().responseSends();
        int spare = allowed > 1 ? allowed : 0;
        spareInUse += spare;
        sent.put(call, new Sent(oneWay.call(), setting.clock().getAsLong(), spare));
    }

    /** Frees the receives that a response of so many Sends does not need (RTR-4.3-7). */
    void began(DeferredCall call, long sends) {
        var was = sent.get(call);
        if (was != null && sends < was.spare()) {
            spareInUse -= (int) (was.spare() - sends);
            sent.put(call, new Sent(was.number(), was.since(), (int) sends));
        }
    }

    @Override
    public void answered(PendingCall call) {
        var was = sent.remove(call);
        if (was == null) {
            return;
        }
        oneWay.answered(was.number());
        spareInUse -= was.spare();
        var deferred = deferred(call);
        if (deferred.plan().message().isPresent()) {
            groupErrors.succeeded();
        } else if (deferred.offered().isEmpty()) {
            roundTrip.took(setting.clock().getAsLong() - was.since());
        }
    }

    /** Returns how to react when the peer did not accept the request of a call. */
    GroupErrors.Reaction complained(DeferredCall call) {
        return groupErrors.on(
                call.isResent()
                        ? GroupErrors.Subject.RESENT_CALL
                        : GroupErrors.Subject.WAITING_CALL);
    }

    /** Sends a call according to its plan. */
    void send(DeferredCall call, int asked) {
        call.plan()
                .message()
                .ifPresentOrElse(
                        planned -> sendPlanned(call, planned, asked), () -> sendBase(call, asked));
    }

    private void sendBase(DeferredCall call, int asked) {
        var plan = call.callPlan();
        if (plan.longCall()) {
            fetches.sendNoticesBeforeCall();
            var message = call.longMemory();
            call.without(new BitSet()).copyTo(message);
            var lists = call.offer(message, List.of(), counters);
            var header = new Version2Header.NoMsg(call.xid(), asked, Direction.CALL, lists);
            post(call, List.of(header), List.of(List.of()), OptionalInt.empty());
            return;
        }
        var moved = new BitSet();
        moved.set(0, plan.reducedItems());
        var reduced = call.items().subList(0, plan.reducedItems());
        var pieces = call.without(moved);
        counters.count(Counter.INLINE_CALL_BYTES, pieces.length());
        var withNotices =
                fetches.headerWithNotices(
                        call.xid(),
                        asked,
                        call.offer(MemorySegment.NULL, reduced, counters),
                        pieces.length());
        post(
                call,
                List.of(withNotices.header()),
                List.of(pieces.segments()),
                withNotices.invalidated());
    }

    private void sendPlanned(DeferredCall call, PlannedRequest planned, int asked) {
        fetches.sendNoticesBeforeCall();
        var message = planned.message();
        if (message.hasReplyChunk()) {
            call.offer(ChunkLists.EMPTY, call.replyMemory());
        }
        var first = message.first(call.xid(), asked, planned.sends(), planned.responseSends());
        var request = (Operation.TransmitRequest) first.operation();
        call.directions(request.directions());
        // A reply in one Send returns these chunks.
        call.offer(
                new ChunkLists(
                        List.of(),
                        writeList(request),
                        request.trailer()
                                .flatMap(Operation.Trailer::replyChunk)
                                .map(WriteChunk::new)),
                message.hasReplyChunk() ? call.replyChunk() : MemorySegment.NULL);
        count(message, planned);
        var payload = message.payload();
        var items = message.items().stream().map(BulkItem::data).toList();
        var headers = new ArrayList<TransportHeader>();
        var pieces = new ArrayList<List<MemorySegment>>();
        for (int t = 0; t < planned.sends().transmissions().size(); t++) {
            long length = planned.sends().transmissions().get(t).payloadLength();
            headers.add(
                    t == 0
                            ? first
                            : new Version2Header.Option(
                                    call.xid(),
                                    asked,
                                    Direction.CALL,
                                    new Operation.Continuation(
                                            t, Version2HeaderCodec.XMTREQ, length)));
            pieces.add(planned.sends().pieces(t, payload, items));
        }
        post(call, headers, pieces, OptionalInt.empty());
    }

    /** Returns the targets that have memory, as a Write list. */
    private static List<WriteChunk> writeList(Operation.TransmitRequest request) {
        var writeList = new ArrayList<WriteChunk>();
        for (var set : request.directions()) {
            for (var expected : set.results()) {
                if (expected.target() instanceof Target.Explicit(var segments)) {
                    writeList.add(new WriteChunk(segments));
                }
            }
        }
        return writeList;
    }

    private void count(RequestMessage message, PlannedRequest planned) {
        counters.count(Counter.INLINE_CALL_BYTES, message.payload().length());
        if (planned.sends().transmissions().size() > 1) {
            counters.count(Version2Counter.CONTINUED_CALLS);
        }
        for (long length : message.lengths()) {
            boolean isPlaced = message.arguments() == ItemTransfer.PLACED;
            counters.count(isPlaced ? Version2Counter.PLACED_ARGUMENTS : Counter.READ_CHUNKS);
            counters.count(
                    isPlaced ? Version2Counter.PLACED_ARGUMENT_BYTES : Counter.READ_CHUNK_BYTES,
                    length);
        }
    }

    /** Posts the Sends of a call, which hold its memory until they have completed. */
    private void post(
            DeferredCall call,
            List<? extends TransportHeader> headers,
            List<List<MemorySegment>> pieces,
            OptionalInt invalidate) {
        var sends = new ArrayList<MessageSends.OutgoingSend>(headers.size());
        for (int i = 0; i < headers.size(); i++) {
            sends.add(new MessageSends.OutgoingSend(headers.get(i), pieces.get(i)));
        }
        messageSends.postAll(List.of(), sends, invalidate, call.memory().posting());
    }

    @Override
    public boolean hasReply(PendingCall call) {
        return fetches.isFetching(call);
    }

    @Override
    public boolean fetches(PendingCall call, ArrivedReply reply, SegmentPool.Lease buffer) {
        fetches.arrived(call, reply, buffer);
        return true;
    }

    @Override
    public boolean received(
            MemorySegment message, SegmentPool.Lease buffer, Completion completion) {
        throw new AssertionError("a message of version 2 that did not arrive at its receiver");
    }

    @Override
    public void sendDue() {
        fetches.sendDueNotices();
    }

    @Override
    public long nanosUntilDue() {
        return fetches.nanosUntilDue();
    }
}
