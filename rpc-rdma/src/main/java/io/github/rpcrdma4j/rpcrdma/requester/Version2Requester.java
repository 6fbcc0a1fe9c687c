package io.github.rpcrdma4j.rpcrdma.requester;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.connection.FramedSends;
import io.github.rpcrdma4j.rpcrdma.connection.Framing;
import io.github.rpcrdma4j.rpcrdma.credit.CreditWindow;
import io.github.rpcrdma4j.rpcrdma.credit.OneWayCredits;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.metrics.Statistics;
import io.github.rpcrdma4j.rpcrdma.requester.RequestMessage.Way;
import io.github.rpcrdma4j.rpcrdma.requester.RequestPlan.Laid;
import io.github.rpcrdma4j.rpcrdma.requester.RequestPlan.Means;
import io.github.rpcrdma4j.rpcrdma.transmission.Complaints;
import io.github.rpcrdma4j.rpcrdma.transmission.FormChoice.Costs;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.Edition;
import io.github.rpcrdma4j.rpcrdma.wire.Frame;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.rpcrdma.wire.v2.Characteristic.Transmissions;
import io.github.rpcrdma4j.rpcrdma.wire.v2.Direction;
import io.github.rpcrdma4j.rpcrdma.wire.v2.Extension;
import io.github.rpcrdma4j.rpcrdma.wire.v2.Header;
import io.github.rpcrdma4j.rpcrdma.wire.v2.HeaderCodec;
import io.github.rpcrdma4j.rpcrdma.wire.v2.Operation;
import io.github.rpcrdma4j.rpcrdma.wire.v2.ResponseSet.Target;
import io.github.rpcrdma4j.xdr.BulkItem;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * In version 2 the way of a call is chosen when it is sent; it may take several credits, and there
 * are messages beside calls that take one and that nobody answers.
 */
final class Version2Requester implements RequesterEdition {
    /** What things cost on a processor of today, in nanoseconds; an octet in thousandths. */
    private static final long SEND_NANOS = 3000;

    private static final long PLACEMENT_NANOS = 300;
    private static final long REGISTRATION_NANOS = 4000;
    private static final long OCTET_THOUSANDTHS = 100;

    private record Sent(long number, long since, int spare) {}

    private final FramedSends framed;
    private final SegmentPool pool;
    private final Statistics statistics;
    private final ChunkOffer offers;
    private final Version2Setting means;
    private final OneWayCredits oneWay = new OneWayCredits();
    private final Complaints complaints = new Complaints();
    private final RoundTrip roundTrip = new RoundTrip();
    private final Map<PendingCall, Sent> sent = new HashMap<>();
    private final PulledReplies pulls;
    private int spareInUse;

    Version2Requester(
            Endpoint endpoint,
            SegmentPool pool,
            Statistics statistics,
            ChunkOffer offers,
            Version2Setting means,
            PulledReplies.Owner owner) {
        this.framed = new FramedSends(endpoint);
        this.pool = pool;
        this.statistics = statistics;
        this.offers = offers;
        this.means = means;
        this.pulls = new PulledReplies(endpoint, pool, statistics, means, oneWay, owner);
    }

    @Override
    public Edition edition() {
        return Edition.RFC_8166;
    }

    @Override
    public Framing framing() {
        return Framing.VERSION_2;
    }

    @Override
    public boolean tryTake(CreditWindow credits, PendingCall call) {
        int available = credits.available(oneWay.held());
        if (available < 1) {
            return false;
        }
        call.plan(plan(call, available));
        if (call.plan().lacksCredits()) {
            statistics.count(Counter.CREDIT_FALLBACKS);
        }
        return credits.tryTakeAll(call.plan().count(), oneWay.held());
    }

    private RequestPlan plan(PendingCall call, int available) {
        var exchanges = means.exchanges();
        var peer = exchanges.peer();
        if (!exchanges.known().contains(Extension.TRANSMISSIONS)
                || !peer.transmissions().has(Transmissions.REQUESTS)
                || !peer.transmissions().has(Transmissions.RESPONSES)
                || !complaints.isWorthTrying()) {
            return RequestPlan.BASE;
        }
        int spare = means.spareReceives() - spareInUse;
        return RequestPlan.of(
                call,
                new Means(
                        peer.buffer(),
                        (int) Math.min(Integer.MAX_VALUE, peer.requestTransmissionsMax()),
                        exchanges.ownBuffer(),
                        (int) Math.max(1, Math.min(peer.responseTransmissionsMax(), spare)),
                        available,
                        means.segmentMax(),
                        exchanges.known().contains(Extension.TRAILER),
                        new Costs(
                                roundTrip.nanos(),
                                SEND_NANOS,
                                PLACEMENT_NANOS,
                                REGISTRATION_NANOS,
                                OCTET_THOUSANDTHS),
                        means.carriage()));
    }

    @Override
    public boolean tryTakeReserved(CreditWindow credits) {
        return credits.tryTakeReservedBeside(oneWay.held());
    }

    /** A message was sent that takes a credit and is no call. */
    void sentOneWay() {
        oneWay.sent();
    }

    /** Replies that are fetched. */
    PulledReplies pulls() {
        return pulls;
    }

    /** The peer has got the oldest message that nobody answers. */
    void acknowledged() {
        oneWay.confirmed();
    }

    /**
     * Receives that have to stand posted beside one for each credit (RTR-4.3-4), one for each
     * message included that may be acknowledged.
     */
    int spareReceives() {
        return spareInUse + (means.fetched().isPresent() ? oneWay.held() : 0);
    }

    @Override
    public void sent(PendingCall call) {
        int allowed = call.plan().responseSends();
        int spare = allowed > 1 ? allowed : 0;
        spareInUse += spare;
        sent.put(call, new Sent(oneWay.call(), means.clock().getAsLong(), spare));
    }

    /** A response of so many Sends begins: the other receives are free (RTR-4.3-7). */
    void began(PendingCall call, long sends) {
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
        if (call.plan().message().isPresent()) {
            complaints.succeeded();
        } else if (call.offered().isEmpty()) {
            roundTrip.took(means.clock().getAsLong() - was.since());
        }
    }

    /** What to do about a call whose request the peer did not take. */
    Complaints.Reaction complained(PendingCall call) {
        return complaints.on(
                call.isResent() ? Complaints.Victim.RESENT_CALL : Complaints.Victim.WAITING_CALL);
    }

    /** Sends a call as its plan has it. */
    void send(PendingCall call, int asked) {
        statistics.count(Counter.CALLS);
        call.plan()
                .message()
                .ifPresentOrElse(laid -> sendLaid(call, laid, asked), () -> sendBase(call, asked));
    }

    private void sendBase(PendingCall call, int asked) {
        var shape = call.shape();
        var draft = call.draft();
        if (shape.longCall()) {
            pulls.tellBefore();
            var message = pool.lease(shape.messageBytes());
            draft.without(new BitSet()).copyTo(message.segment());
            var header =
                    framing()
                            .noMessage(Direction.CALL, call.xid(), asked, offers.of(call, message));
            post(call, List.of(header), List.of(List.of()), OptionalInt.empty());
            return;
        }
        var moved = new BitSet();
        moved.set(0, shape.reducedItems());
        var reduced = new ArrayList<PendingCall.ReducedItem>();
        for (var item : draft.items().subList(0, shape.reducedItems())) {
            if (item.data().byteSize() > 0) {
                reduced.add(new PendingCall.ReducedItem((int) item.position(), item.data()));
            }
        }
        call.reduces(reduced);
        var pieces = draft.without(moved);
        statistics.count(Counter.INLINE_CALL_OCTETS, pieces.length());
        var riding = pulls.riding(call.xid(), asked, offers.of(call, null), pieces.length());
        post(call, List.of(riding.header()), List.of(pieces.pieces()), riding.invalidated());
    }

    private void sendLaid(PendingCall call, Laid laid, int asked) {
        pulls.tellBefore();
        var message = laid.message();
        if (message.hasReplyChunk()) {
            call.offer(
                    ChunkLists.EMPTY,
                    call.hold(pool.lease(call.shape().replyChunkBytes())).segment());
        }
        var first = message.first(call.xid(), asked, laid.sends(), laid.responseSends());
        var request = (Operation.TransmitRequest) first.operation();
        call.directions(request.directions());
        // As a reply that is no group returns it.
        call.offer(
                new ChunkLists(
                        List.of(),
                        writeList(request),
                        request.trailer()
                                .flatMap(Operation.Trailer::replyChunk)
                                .map(WriteChunk::new)),
                message.hasReplyChunk() ? call.replyChunk() : MemorySegment.NULL);
        count(message, laid);
        var payload = message.payload();
        var items = message.items().stream().map(BulkItem::data).toList();
        var headers = new ArrayList<Frame>();
        var pieces = new ArrayList<List<MemorySegment>>();
        for (int t = 0; t < laid.sends().transmissions().size(); t++) {
            long length = laid.sends().transmissions().get(t).payloadLength();
            headers.add(
                    t == 0
                            ? first
                            : new Header.Option(
                                    call.xid(),
                                    asked,
                                    Direction.CALL,
                                    new Operation.Continuation(t, HeaderCodec.XMTREQ, length)));
            pieces.add(laid.sends().pieces(t, payload, items));
        }
        post(call, headers, pieces, OptionalInt.empty());
    }

    /** The targets that have memory. */
    private static List<WriteChunk> writeList(Operation.TransmitRequest request) {
        var writeList = new ArrayList<WriteChunk>();
        for (var set : request.directions()) {
            for (var item : set.items()) {
                if (item.target() instanceof Target.Explicit(var segments)) {
                    writeList.add(new WriteChunk(segments));
                }
            }
        }
        return writeList;
    }

    private void count(RequestMessage message, Laid laid) {
        statistics.count(Counter.INLINE_CALL_OCTETS, message.payload().length());
        if (laid.sends().transmissions().size() > 1) {
            statistics.count(Counter.CONTINUED_CALLS);
        }
        for (long length : message.lengths()) {
            boolean isPlaced = message.arguments() == Way.PLACED;
            statistics.count(isPlaced ? Counter.PLACED_ARGUMENTS : Counter.READ_CHUNKS);
            statistics.count(
                    isPlaced ? Counter.PLACED_ARGUMENT_OCTETS : Counter.READ_CHUNK_OCTETS, length);
        }
    }

    /** The memory of the message is held until its Sends have ended. */
    private void post(
            PendingCall call,
            List<? extends Frame> headers,
            List<List<MemorySegment>> pieces,
            OptionalInt invalidate) {
        var sends = new ArrayList<FramedSends.Part>(headers.size());
        for (int i = 0; i < headers.size(); i++) {
            sends.add(new FramedSends.Part(headers.get(i), pieces.get(i)));
        }
        call.draft().hold();
        framed.postAll(List.of(), sends, invalidate, _ -> call.draft().release());
    }

    @Override
    public boolean hasReply(PendingCall call) {
        return pulls.isPulling(call);
    }

    @Override
    public boolean fetches(PendingCall call, ArrivedReply reply, SegmentPool.Lease buffer) {
        pulls.arrived(call, reply, buffer);
        return true;
    }

    @Override
    public void limitReads(int most) {}
}
