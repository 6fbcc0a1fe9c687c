package io.github.rpcrdma4j.rpcrdma.requester;

import io.github.rpcrdma4j.oncrpc.UpperLayerBinding.Pairing;
import io.github.rpcrdma4j.rpcrdma.chunk.WriteChunkPlacements;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.requester.PendingCall.Answer;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.xdr.Placements;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.function.LongUnaryOperator;
import java.util.function.UnaryOperator;

/**
 * An arrived reply, with its chunk lists and inline data.
 *
 * @param credits the credits that it grants, unsigned
 * @param payload the inline data of the RPC message, in the receive
 */
public record ArrivedReply(
        int xid, int credits, ChunkLists chunks, MemorySegment payload, Reading reading) {
    /**
     * The rules by which the lengths and items of a reply are read.
     *
     * @param reportedLength maps the bytes that a responder wrote to the length that it may report
     * @param placements maps the placements of results in chunks to those of all items
     */
    public record Reading(LongUnaryOperator reportedLength, UnaryOperator<Placements> placements) {
        /** The rules of RFC 8166: lengths are exact, and chunks have no padding. */
        public static final Reading RFC_8166 =
                new Reading(LongUnaryOperator.identity(), UnaryOperator.identity());
    }

    /** Creates a reply that is read by RFC 8166. */
    public ArrivedReply(int xid, int credits, ChunkLists chunks, MemorySegment payload) {
        this(xid, credits, chunks, payload, Reading.RFC_8166);
    }

    /**
     * Matches the reply against the offer of its call, and counts its chunks.
     *
     * @return the answer; empty if the reply does not match the offer
     */
    public Optional<Answer> answer(PendingCall call, Counters counters) {
        var offered = call.offered();
        // A responder without bulk results may omit the Write list.
        var returned =
                chunks.writeList().isEmpty()
                        ? offered.writeList().stream().map(WriteChunk::unused).toList()
                        : chunks.writeList();
        if (!WriteChunkPlacements.answers(returned, offered.writeList(), reading.reportedLength)) {
            return Optional.empty();
        }
        MemorySegment message = payload;
        if (chunks.replyChunk().isPresent()) {
            if (offered.replyChunk().isEmpty()
                    || !WriteChunkPlacements.answers(
                            chunks.replyChunk().get(), offered.replyChunk().get())) {
                return Optional.empty();
            }
            long length = chunks.replyChunk().get().size();
            if (length > 0) {
                message = call.replyChunk().asSlice(0, length);
                counters.countChunk(
                        Counter.REPLY_CHUNKS, Counter.REPLY_CHUNK_BYTES, call.xid(), length);
            }
        }
        for (var chunk : returned) {
            if (chunk.size() > 0) {
                counters.countChunk(
                        Counter.WRITE_CHUNKS, Counter.WRITE_CHUNK_BYTES, call.xid(), chunk.size());
            }
        }
        var pairing =
                switch (call) {
                    case ShortCall _ -> Pairing.SLIDING;
                    case ChunkedCall chunked -> chunked.callPlan().pairing();
                };
        var placements =
                new WriteChunkPlacements(
                        returned, call.resultTargets(), pairing, reading.reportedLength);
        return Optional.of(new Answer.Reply(message, reading.placements.apply(placements)));
    }
}
