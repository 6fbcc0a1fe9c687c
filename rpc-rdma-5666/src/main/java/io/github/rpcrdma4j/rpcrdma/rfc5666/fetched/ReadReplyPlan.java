package io.github.rpcrdma4j.rpcrdma.rfc5666.fetched;

import io.github.rpcrdma4j.oncrpc.UpperLayerBinding.Eligibility;
import io.github.rpcrdma4j.rpcrdma.responder.ReplyPlan.Placed;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.rpcrdma.wire.Version1HeaderCodec;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.xdr.BulkItem;
import io.github.rpcrdma4j.xdr.PayloadStream;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.function.LongToIntFunction;

/**
 * The plan of a reply that does not fit into the memory and the Send that its call offered. The
 * requester fetches all of it, or some of its bulk results (RFC 5666, Sections 3.4, 5.1 and 5.2).
 * Pure.
 *
 * @param whole whether the requester fetches all of the message; otherwise the rest is inline
 * @param items the indexes of the bulk results that are fetched apart; none if {@code whole}
 * @param pieces the message without those results, and without what Write chunks take
 */
public record ReadReplyPlan(boolean whole, BitSet items, PayloadStream pieces) {
    private static final int READ_ENTRY_BYTES = Integer.BYTES + ReadSegment.BYTES;

    /**
     * Plans a reply: bulk results are fetched until the rest fits inline, or else the whole
     * message.
     *
     * @param offered the chunks that the call offered
     * @param placed the results that go to Write chunks
     * @param stream the reply message without its bulk results
     * @param results its bulk results
     * @param eligible says which of them may be reduced
     * @param threshold the longest Send that carries a reply, in bytes
     * @return empty if not even the header fits
     */
    public static Optional<ReadReplyPlan> of(
            ChunkLists offered,
            Placed placed,
            MemorySegment stream,
            List<BulkItem> results,
            Eligibility eligible,
            int threshold) {
        long header = Version1HeaderCodec.encodedLength(rest(offered, placed));
        var reduced = (BitSet) placed.reduced().clone();
        var fetched = new BitSet();
        // A result with a chunk, even an empty one, is not fetched (RFC 5666-3.6-1).
        for (int i = 0; i < results.size(); i++) {
            int chunk = eligible.pairing().chunk(i, results.get(i).ordinal());
            if (chunk >= offered.writeList().size()
                    && chunk < eligible.results()
                    && results.get(i).data().byteSize() > 0) {
                reduced.set(i);
                fetched.set(i);
                header += READ_ENTRY_BYTES;
                var pieces = PayloadStream.of(stream, results, reduced);
                if (header + pieces.length() <= threshold) {
                    return Optional.of(new ReadReplyPlan(false, fetched, pieces));
                }
            }
        }
        // RFC 5666-5.1-3, 5666-5.2-3.
        return whole(offered, placed, stream, results, threshold, _ -> 1);
    }

    /**
     * Plans a reply that is fetched as a whole, except for what goes to Write chunks.
     *
     * @param segments the number of segments that a given number of bytes takes
     * @return empty if the header does not fit
     */
    public static Optional<ReadReplyPlan> whole(
            ChunkLists offered,
            Placed placed,
            MemorySegment stream,
            List<BulkItem> results,
            int threshold,
            LongToIntFunction segments) {
        var pieces = PayloadStream.of(stream, results, placed.reduced());
        long header =
                Version1HeaderCodec.encodedLength(rest(offered, placed))
                        + (long) READ_ENTRY_BYTES * segments.applyAsInt(pieces.length());
        return header > threshold
                ? Optional.empty()
                : Optional.of(new ReadReplyPlan(true, new BitSet(), pieces));
    }

    private static ChunkLists rest(ChunkLists offered, Placed placed) {
        return new ChunkLists(
                List.of(), placed.writeList(), offered.replyChunk().map(WriteChunk::unused));
    }
}
