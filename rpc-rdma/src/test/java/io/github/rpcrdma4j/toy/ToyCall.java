package io.github.rpcrdma4j.toy;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.connection.FramedSends;
import io.github.rpcrdma4j.rpcrdma.metrics.Statistics;
import io.github.rpcrdma4j.rpcrdma.requester.CallShape;
import io.github.rpcrdma4j.rpcrdma.requester.ChunkOffer;
import io.github.rpcrdma4j.rpcrdma.requester.EncodedCall;
import io.github.rpcrdma4j.rpcrdma.requester.ProfileCall;
import io.github.rpcrdma4j.rpcrdma.requester.StandIns;
import io.github.rpcrdma4j.rpcrdma.wire.TransportHeader;
import io.github.rpcrdma4j.xdr.PayloadPieces;
import java.util.BitSet;
import java.util.List;
import java.util.OptionalInt;

/** A call with a {@link ToyHeader}. */
final class ToyCall extends ProfileCall {
    private final Endpoint endpoint;
    private final Statistics statistics;
    private final List<ReducedItem> reduced;
    private SegmentPool.Lease message;

    ToyCall(
            EncodedCall encoded,
            CallShape shape,
            StandIns standIns,
            List<ReducedItem> reduced,
            Endpoint endpoint,
            Statistics statistics) {
        super(
                encoded.xid(),
                shape,
                shape.offersWriteChunks()
                        ? standIns.writable(encoded.call().resultTargets())
                        : List.of(),
                standIns.leases(),
                encoded.exposed());
        this.endpoint = endpoint;
        this.statistics = statistics;
        this.reduced = reduced;
        var moved = new BitSet();
        moved.set(0, shape.reducedItems());
        var pieces =
                PayloadPieces.of(
                        encoded.message().reducedStream(), encoded.message().bulkItems(), moved);
        message = encoded.memory().pool().lease(pieces.length());
        pieces.copyTo(message.segment());
    }

    @Override
    protected int credits() {
        return 1;
    }

    @Override
    protected void send(int credits) {
        boolean isLong = shape().longCall();
        var body = message;
        message = null;
        var pool = endpoint.memory().pool();
        var lists = new ChunkOffer(pool, statistics).of(this, body, reduced);
        var header =
                isLong
                        ? new TransportHeader.NoMsg(xid(), credits, lists)
                        : new TransportHeader.Msg(xid(), credits, lists);
        var part =
                new FramedSends.Part(
                        new ToyHeader(header), isLong ? List.of() : List.of(body.segment()));
        new FramedSends(endpoint)
                .postAll(
                        List.of(),
                        List.of(part),
                        OptionalInt.empty(),
                        _ -> {
                            if (!isLong) {
                                body.close();
                            }
                        });
    }

    @Override
    public void release() {
        if (message != null) {
            message.close();
            message = null;
        }
        super.release();
    }
}
