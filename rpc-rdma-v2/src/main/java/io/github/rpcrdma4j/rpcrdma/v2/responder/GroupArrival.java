package io.github.rpcrdma4j.rpcrdma.v2.responder;

import io.github.rpcrdma4j.oncrpc.UpperLayerBinding.Eligibility;
import io.github.rpcrdma4j.rpcrdma.responder.ReplyPlan.Placed;
import io.github.rpcrdma4j.rpcrdma.responder.ServedCall.Arrival;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.TransmitRequest;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.xdr.BulkItem;
import java.util.List;
import java.util.Optional;

/**
 * A call that came as a group.
 *
 * @param request what its first Send said
 * @param items bulk arguments that lie in its receives, apart from the payload
 */
record GroupArrival(TransmitRequest request, List<BulkItem> items) implements Arrival {
    @Override
    public long offeredBytes() {
        long bytes = 0;
        for (var set : request.directions()) {
            for (var item : set.items()) {
                bytes += ReplyDirections.size(item.target());
            }
        }
        return bytes;
    }

    /** A request that says where results go is answered by a group, or long. */
    @Override
    public boolean mayBeInline() {
        return request.directions().isEmpty();
    }

    @Override
    public Optional<Placed> place(ChunkLists chunks, List<BulkItem> results, Eligibility eligible) {
        return ReplyDirections.place(request, results, eligible.results());
    }
}
