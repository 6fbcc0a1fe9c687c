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
 * A reply as it arrived.
 *
 * @param credits that it grants, unsigned
 * @param payload the RPC message as far as it came inline, in the receive
 */
public record ArrivedReply(
        int xid, int credits, ChunkLists chunks, MemorySegment payload, Reading reading) {
    /**
     * How lengths and items of a reply are read.
     *
     * @param told the length that a responder may tell of so many bytes that it wrote
     * @param placements where the items lie, by where the bulk results in chunks do
     */
    public record Reading(LongUnaryOperator told, UnaryOperator<Placements> placements) {
        /** By RFC 8166 a length is what it says, and nothing is padded. */
        public static final Reading RFC_8166 =
                new Reading(LongUnaryOperator.identity(), UnaryOperator.identity());
    }

    /** One that is read by RFC 8166. */
    public ArrivedReply(int xid, int credits, ChunkLists chunks, MemorySegment payload) {
        this(xid, credits, chunks, payload, Reading.RFC_8166);
    }

    /**
     * Holds it against what its call offered.
     *
     * @return empty if it does not answer that
     */
    public Optional<Answer> answer(PendingCall call, Counters counters) {
        var offered = call.offered();
        // A responder that had nothing to place may leave out the lists altogether.
        var returned =
                chunks.writeList().isEmpty()
                        ? offered.writeList().stream().map(WriteChunk::unused).toList()
                        : chunks.writeList();
        if (!WriteChunkPlacements.answers(returned, offered.writeList(), reading.told)) {
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
                    case ChunkedCall chunked -> chunked.shape().pairing();
                };
        var placements =
                new WriteChunkPlacements(returned, call.resultTargets(), pairing, reading.told);
        return Optional.of(new Answer.Reply(message, reading.placements.apply(placements)));
    }
}
