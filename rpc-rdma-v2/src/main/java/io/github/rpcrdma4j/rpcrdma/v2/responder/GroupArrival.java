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
 * A call that arrived as a group.
 *
 * @param request the operation of its first Send
 * @param items bulk arguments that lie in its receives, apart from the payload
 */
record GroupArrival(TransmitRequest request, List<BulkItem> items) implements Arrival {
    @Override
    public long offeredBytes() {
        long bytes = 0;
        for (var set : request.directions()) {
            for (var expected : set.results()) {
                bytes += ReplyDirections.size(expected.target());
            }
        }
        return bytes;
    }

    /** Returns false for a request with directions: its reply is a group, or long. */
    @Override
    public boolean mayBeInline() {
        return request.directions().isEmpty();
    }

    @Override
    public Optional<Placed> place(ChunkLists chunks, List<BulkItem> results, Eligibility eligible) {
        return ReplyDirections.place(request, results, eligible.results());
    }
}
