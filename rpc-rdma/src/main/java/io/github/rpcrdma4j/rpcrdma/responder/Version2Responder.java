package io.github.rpcrdma4j.rpcrdma.responder;

import io.github.rpcrdma4j.rpcrdma.chunk.ChunkFill;
import io.github.rpcrdma4j.rpcrdma.connection.ChunkWrite;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.connection.Exchanges;
import io.github.rpcrdma4j.rpcrdma.connection.FramedSends.Part;
import io.github.rpcrdma4j.rpcrdma.connection.Framing;
import io.github.rpcrdma4j.rpcrdma.connection.Terms;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.metrics.Statistics;
import io.github.rpcrdma4j.rpcrdma.options.FetchedReplies;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.options.Version2;
import io.github.rpcrdma4j.rpcrdma.transmission.ResponsePlacement;
import io.github.rpcrdma4j.rpcrdma.transmission.ResponsePlacement.Preference;
import io.github.rpcrdma4j.rpcrdma.transmission.ResponsePlacement.Result;
import io.github.rpcrdma4j.rpcrdma.transmission.ResponsePlacement.Way;
import io.github.rpcrdma4j.rpcrdma.transmission.SendPlan;
import io.github.rpcrdma4j.rpcrdma.wire.Edition;
import io.github.rpcrdma4j.rpcrdma.wire.Frame;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.rpcrdma.wire.v2.Direction;
import io.github.rpcrdma4j.rpcrdma.wire.v2.Header;
import io.github.rpcrdma4j.rpcrdma.wire.v2.HeaderCodec;
import io.github.rpcrdma4j.rpcrdma.wire.v2.Operation;
import io.github.rpcrdma4j.rpcrdma.wire.v2.Operation.TransmitRequest;
import io.github.rpcrdma4j.rpcrdma.wire.v2.Operation.TransmitResponse;
import io.github.rpcrdma4j.xdr.BulkItem;
import io.github.rpcrdma4j.xdr.PayloadPieces;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * In version 2 a response may have several Sends, and bulk results where its request wants them:
 * what was asked for by an XMTREQ is answered by an XMTRESP, if it fits. Of what a request offers
 * the first that will do is used (RTR-4.3-6, XCH-3.1-3, RPR-5.3.2-1).
 *
 * <pre>
 *   fits one Send, or the Sends that are allowed   a group, or a message as in version 1
 *   fits the Reply chunk                           that, as in version 1
 *   both sides fetch replies                       a Read chunk
 *   else                                           an error for good
 * </pre>
 */
final class Version2Responder implements ResponderEdition {
    private final Exchanges exchanges;
    private final Statistics statistics;
    private final ReadChunkReplies readChunks;

    Version2Responder(Exchanges exchanges, Statistics statistics, ReadChunkReplies readChunks) {
        this.exchanges = exchanges;
        this.statistics = statistics;
        this.readChunks = readChunks;
    }

    /**
     * @param allowance of the client
     */
    static Version2Responder of(
            Endpoint endpoint,
            Exchanges exchanges,
            RpcRdmaOptions options,
            Allowance allowance,
            Statistics statistics) {
        var fetched = options.version2().flatMap(Version2::fetchedReplies);
        return new Version2Responder(
                exchanges,
                statistics,
                new ReadChunkReplies(
                        endpoint,
                        exchanges,
                        fetched.orElse(FetchedReplies.DEFAULT),
                        allowance,
                        statistics,
                        options.segmentMax()));
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
    public int spareReceives() {
        return readChunks.receives();
    }

    @Override
    public int grant(int credits) {
        return credits;
    }

    @Override
    public boolean hasRoom(ServedCall call, Terms terms) {
        return readChunks.hasRoom(call, terms);
    }

    @Override
    public Optional<Outgoing> reply(ServedCall call, Optional<ReplyPlan> plan, Terms terms) {
        if (call.reply() == null || call.reply().position() == 0) {
            return Optional.empty();
        }
        var group = group(call, plan);
        return group.isPresent() || plan.isPresent()
                ? group
                : readChunks.reply(call, terms, exchanges.credits());
    }

    /** The response to an XMTREQ, where it is one. */
    private Optional<Outgoing> group(ServedCall call, Optional<ReplyPlan> plan) {
        var request = call.request();
        if (request == null) {
            return Optional.empty();
        }
        boolean isShort = plan.isPresent() && !plan.get().inReplyChunk();
        if (request.directions().isEmpty() && isShort) {
            return Optional.empty();
        }
        var results = Directed.results(call.reply().bulkItems(), call.eligibleResults());
        boolean takesPlacement = exchanges.peer().buffer().takesPlacement();
        return group(call, request, results, takesPlacement)
                .or(() -> group(call, request, results, false));
    }

    /** The response as a group; empty if it does not fit the Sends that it may have. */
    private Optional<Outgoing> group(
            ServedCall call, TransmitRequest request, List<Result> results, boolean canPlace) {
        var placement =
                ResponsePlacement.of(request.directions(), results, canPlace, Preference.SEND);
        if (placement.isEmpty()) {
            return Optional.empty();
        }
        var ways = placement.get().ways();
        var moved = new BitSet();
        var placed = new ArrayList<BulkItem>();
        var writes = new ArrayList<ChunkWrite>();
        for (int i = 0; i < ways.size(); i++) {
            var item = call.reply().bulkItems().get(i);
            switch (ways.get(i)) {
                case Way.BySend() -> {
                    moved.set(i);
                    placed.add(item);
                }
                case Way.ByWrite(var segments) -> {
                    moved.set(i);
                    var fill = ChunkFill.of(new WriteChunk(segments), item.data().byteSize());
                    var data = PayloadPieces.of(item.data(), List.of(), new BitSet());
                    ReplyPlan.write(fill, data, writes);
                }
                case Way.Inline(), Way.TooShort() -> {}
            }
        }
        var payload =
                PayloadPieces.of(call.reply().reducedStream(), call.reply().bulkItems(), moved);
        // RTR-5.2-3, RTR-8.5-1.
        long max = Math.min(request.responseMax(), exchanges.own().responseMax());
        return SendPlan.of(
                        exchanges.peer().buffer(),
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
        return HeaderCodec.encodedLength(
                new Header.Option(
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
            PayloadPieces payload,
            List<BulkItem> placed,
            List<ChunkWrite> writes) {
        var sends = new ArrayList<Part>();
        var data = placed.stream().map(BulkItem::data).toList();
        int count = plan.transmissions().size();
        for (int t = 0; t < count; t++) {
            long length = plan.transmissions().get(t).payloadLength();
            Operation operation =
                    t == 0
                            ? new TransmitResponse(
                                    placement.moved(results, plan.numbers()), count, length)
                            : new Operation.Continuation(t, HeaderCodec.XMTRESP, length);
            Frame header = new Header.Option(xid, exchanges.credits(), Direction.REPLY, operation);
            sends.add(new Part(header, plan.pieces(t, payload, data)));
        }
        count(sends.size(), placed);
        return new Outgoing(writes, sends, () -> {});
    }

    private void count(int sends, List<BulkItem> placed) {
        if (sends > 1) {
            statistics.count(Counter.CONTINUED_REPLIES);
        }
        for (var item : placed) {
            statistics.count(Counter.PLACED_RESULTS);
            statistics.count(Counter.PLACED_RESULT_OCTETS, item.data().byteSize());
        }
    }

    @Override
    public boolean done(List<Integer> xids, OptionalInt invalidated) {
        return readChunks.done(xids, invalidated);
    }

    @Override
    public Optional<Frame> called(int xid) {
        return readChunks.called(xid);
    }

    @Override
    public boolean expire(long now) {
        return readChunks.expire(now);
    }

    @Override
    public void lost() {
        readChunks.lost();
    }
}
