package io.github.rpcrdma4j.rpcrdma.v2.responder;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionParameters;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.connection.MessageSends.ChunkWrite;
import io.github.rpcrdma4j.rpcrdma.connection.MessageSends.OutgoingSend;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.responder.ReplyPlan;
import io.github.rpcrdma4j.rpcrdma.responder.Responder;
import io.github.rpcrdma4j.rpcrdma.responder.ResponderProfile;
import io.github.rpcrdma4j.rpcrdma.responder.ServedCall;
import io.github.rpcrdma4j.rpcrdma.v2.connection.CharacteristicsExchange;
import io.github.rpcrdma4j.rpcrdma.v2.connection.Version2Receiver;
import io.github.rpcrdma4j.rpcrdma.v2.options.FetchedReplies;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2Counter;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.GroupErrors;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.ResponseGroups;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.ResponsePlacement;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.ResponsePlacement.Preference;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.ResponsePlacement.Result;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.ResponsePlacement.ResultTransfer;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.SendPlan;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.TransmitRequest;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.TransmitResponse;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2HeaderCodec;
import io.github.rpcrdma4j.rpcrdma.wire.PlainMessage;
import io.github.rpcrdma4j.rpcrdma.wire.TransportHeader;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.xdr.BulkItem;
import io.github.rpcrdma4j.xdr.PayloadStream;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The profile of a responder in version 2. A response may have several Sends, and its bulk results
 * lie where the request wants them. An XMTREQ is answered by an XMTRESP if that fits. Of what a
 * request offers, the responder uses the first that suffices (RTR-4.3-6, XCH-3.1-3, RPR-5.3.2-1).
 *
 * <pre>
 *   fits one Send, or the Sends that are allowed   a group, or a message as in version 1
 *   fits the Reply chunk                           that, as in version 1
 *   both sides fetch replies                       a Read chunk
 *   else                                           an error for good
 * </pre>
 *
 * <p>Tests: {@code ResponsesByHandTest}, {@code DirectionsByHandTest}.
 */
public final class Version2Responder implements ResponderProfile {
    /** The bytes that a header has in addition to one of version 1. */
    static final int DIRECTION_BYTES = Integer.BYTES;

    private final Responder responder;
    private final CharacteristicsExchange exchange;
    private final Counters counters;
    private final ReadChunkReplies readChunks;
    private final ResponseGroups groups;

    /**
     * @param responder the responder; its later calls arrive in version 2
     * @param fetched how replies are fetched
     * @param segmentMax the longest segment to offer, in bytes
     */
    public Version2Responder(
            Responder responder,
            Endpoint endpoint,
            CharacteristicsExchange exchange,
            FetchedReplies fetched,
            long segmentMax,
            Counters counters) {
        this.responder = responder;
        this.exchange = exchange;
        this.counters = counters;
        this.groups = new ResponseGroups(responder.credits());
        this.readChunks =
                new ReadChunkReplies(
                        endpoint, exchange, fetched, responder.quota(), counters, segmentMax);
        responder.useProfile(this);
    }

    /** Returns the receiver of calls of this responder. */
    public Version2Receiver.Calls calls() {
        return new Version2Calls(responder, this);
    }

    @Override
    public PlainMessage.Rule plain() {
        return PlainMessage.Rule.NONE;
    }

    @Override
    public void received(MemorySegment message, SegmentPool.Lease buffer, Completion completion) {
        throw new AssertionError("a message of version 2 that did not arrive at its receiver");
    }

    @Override
    public TransportHeader header(int xid, int granted, ReplyPlan plan) {
        return plan.inReplyChunk()
                ? new Version2Header.NoMsg(xid, granted, Direction.REPLY, plan.returned())
                : new Version2Header.Msg(xid, granted, Direction.REPLY, plan.returned());
    }

    /** Returns an error of version 2 (V2-4.2.3-2). */
    @Override
    public TransportHeader refusal(int xid, int granted) {
        return new Version2Header.BadHeader(xid, granted);
    }

    /**
     * Handles the complaint of a requester that did not accept a response as a group. A response is
     * not kept and cannot be sent again, so an error takes its place (RTR-X-3). A complaint about
     * another response is dropped (RTR-9.5-11).
     */
    void complained(int xid) {
        if (groups.complained(xid) == GroupErrors.Reaction.SEND_ERROR) {
            responder.refuse(xid);
        } else {
            counters.count(Counter.DISCARDED);
        }
    }

    /** Releases replies that the requester has finished with. */
    void fetched(List<Integer> xids, OptionalInt invalidated) {
        // An XID without a waiting reply is ignored (RPR-4.1.3-3).
        if (!readChunks.done(xids, invalidated)) {
            counters.count(Counter.DISCARDED);
        }
    }

    @Override
    public int spareReceives() {
        return readChunks.receives();
    }

    @Override
    public boolean hasRoom(ServedCall call, ConnectionParameters parameters) {
        return readChunks.hasRoom(call, parameters);
    }

    @Override
    public Optional<Outgoing> reply(
            ServedCall call, Optional<ReplyPlan> plan, ConnectionParameters parameters) {
        if (!call.hasReply()) {
            return Optional.empty();
        }
        // After too many complaints groups are used only if nothing else is possible.
        var group =
                plan.isPresent() && !groups.isWorthTrying()
                        ? Optional.<Outgoing>empty()
                        : group(call, plan);
        return group.isPresent() || plan.isPresent()
                ? group
                : readChunks.reply(call, parameters, responder.credits());
    }

    /** Returns the response to an XMTREQ; empty if the call was no group or needs no group. */
    private Optional<Outgoing> group(ServedCall call, Optional<ReplyPlan> plan) {
        if (!(call.arrival() instanceof GroupArrival(var request, _))) {
            return Optional.empty();
        }
        boolean isShort = plan.isPresent() && !plan.get().inReplyChunk();
        if (request.directions().isEmpty() && isShort) {
            return Optional.empty();
        }
        var results =
                ReplyDirections.results(
                        call.reply().bulkItems(), call.execution().eligibility().results());
        boolean takesPlacement = exchange.peer().buffer().takesPlacement();
        return group(call, request, results, takesPlacement)
                .or(() -> group(call, request, results, false));
    }

    /** Returns the response as a group; empty if it does not fit the Sends that it may have. */
    private Optional<Outgoing> group(
            ServedCall call, TransmitRequest request, List<Result> results, boolean canPlace) {
        var placement =
                ResponsePlacement.of(request.directions(), results, canPlace, Preference.SEND);
        if (placement.isEmpty()) {
            return Optional.empty();
        }
        var transfers = placement.get().transfers();
        var moved = new BitSet();
        var placed = new ArrayList<BulkItem>();
        var writes = new ArrayList<ChunkWrite>();
        for (int i = 0; i < transfers.size(); i++) {
            var item = call.reply().bulkItems().get(i);
            switch (transfers.get(i)) {
                case ResultTransfer.BySend() -> {
                    moved.set(i);
                    placed.add(item);
                }
                case ResultTransfer.ByWrite(var segments) -> {
                    moved.set(i);
                    var data = PayloadStream.of(item.data());
                    ReplyPlan.write(new WriteChunk(segments), data, writes);
                }
                case ResultTransfer.Inline(), ResultTransfer.TooShort() -> {}
            }
        }
        var payload =
                PayloadStream.of(call.reply().reducedStream(), call.reply().bulkItems(), moved);
        // RTR-5.2-3, RTR-8.5-1.
        long max = Math.min(request.responseMax(), exchange.local().responseMax());
        return SendPlan.of(
                        exchange.peer().buffer(),
                        payload.length(),
                        placed.stream().map(item -> item.data().byteSize()).toList(),
                        counts -> headerLength(placement.get(), results, counts),
                        (int) Math.min(Integer.MAX_VALUE, max))
                .map(
                        plan ->
                                outgoing(
                                        call.xid(),
                                        plan,
                                        placement.get(),
                                        results,
                                        payload,
                                        placed,
                                        writes));
    }

    private static long headerLength(
            ResponsePlacement placement, List<Result> results, List<Integer> counts) {
        var numbers = counts.stream().map(count -> Collections.nCopies(count, 0L)).toList();
        return Version2HeaderCodec.encodedLength(
                new Version2Header.Option(
                        0,
                        0,
                        Direction.REPLY,
                        new TransmitResponse(placement.moved(results, numbers), 0, 0)));
    }

    private Outgoing outgoing(
            int xid,
            SendPlan plan,
            ResponsePlacement placement,
            List<Result> results,
            PayloadStream payload,
            List<BulkItem> placed,
            List<ChunkWrite> writes) {
        var sends = new ArrayList<OutgoingSend>();
        var data = placed.stream().map(BulkItem::data).toList();
        int count = plan.transmissions().size();
        for (int t = 0; t < count; t++) {
            long length = plan.transmissions().get(t).payloadLength();
            Operation operation =
                    t == 0
                            ? new TransmitResponse(
                                    placement.moved(results, plan.numbers()), count, length)
                            : new Operation.Continuation(t, Version2HeaderCodec.XMTRESP, length);
            TransportHeader header =
                    new Version2Header.Option(xid, responder.credits(), Direction.REPLY, operation);
            sends.add(new OutgoingSend(header, plan.pieces(t, payload, data)));
        }
        count(sends.size(), placed);
        groups.sent(xid);
        return new Outgoing(writes, sends, () -> {});
    }

    private void count(int sends, List<BulkItem> placed) {
        if (sends > 1) {
            counters.count(Version2Counter.CONTINUED_REPLIES);
        }
        for (var item : placed) {
            counters.count(Version2Counter.PLACED_RESULTS);
            counters.count(Version2Counter.PLACED_RESULT_BYTES, item.data().byteSize());
        }
    }

    @Override
    public Optional<TransportHeader> called(int xid) {
        return readChunks.called(xid);
    }

    @Override
    public boolean awaitsRequester() {
        return readChunks.isWaiting();
    }

    @Override
    public boolean expire(long now, int timeoutDivisor) {
        return readChunks.expire(now, timeoutDivisor);
    }

    @Override
    public void lost() {
        readChunks.lost();
    }
}
