package io.github.rpcrdma4j.rpcrdma.responder;

import io.github.rpcrdma4j.rpcrdma.binding.UpperLayerBinding.Eligibility;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.xdr.BulkItem;
import io.github.rpcrdma4j.xdr.Placements;
import java.util.List;
import java.util.Optional;

/**
 * How a call came, and where its results may go. What a method does where a profile says nothing
 * holds for a call in one Send, with the chunk lists of RFC 8166.
 */
public interface Arrival {
    /** In one Send. */
    Arrival ONE_SEND = new Arrival() {};

    /** Bulk arguments that came with it, and lie apart. */
    default List<BulkItem> items() {
        return List.of();
    }

    /** Where its arguments lie, by where those in chunks do. */
    default Placements placements(Placements chunks) {
        return chunks;
    }

    /** How many bytes of memory it offers for results beside its chunk lists. */
    default long offeredBytes() {
        return 0;
    }

    /** Whether its reply may be inline by RFC 8166. */
    default boolean mayBeInline() {
        return true;
    }

    /**
     * What of the results goes to memory of the requester.
     *
     * @param chunks of the call
     * @param eligible which of the results may be reduced
     * @return empty if one of them has no room
     */
    default Optional<ReplyPlan.Placed> place(
            ChunkLists chunks, List<BulkItem> results, Eligibility eligible) {
        return ReplyPlan.place(chunks, results, eligible);
    }
}
