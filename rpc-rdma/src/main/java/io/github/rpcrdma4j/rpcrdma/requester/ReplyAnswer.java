package io.github.rpcrdma4j.rpcrdma.requester;

import io.github.rpcrdma4j.rpcrdma.binding.UpperLayerBinding.Pairing;
import io.github.rpcrdma4j.rpcrdma.chunk.WriteChunkPlacements;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.metrics.Statistics;
import io.github.rpcrdma4j.rpcrdma.requester.PendingCall.Answer;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import java.lang.foreign.MemorySegment;

/** Holds a reply against what its call offered. */
public final class ReplyAnswer {
    private ReplyAnswer() {}

    /**
     * The answer that a reply makes.
     *
     * @return null if it does not answer what was offered
     */
    public static Answer of(PendingCall call, ArrivedReply reply, Statistics statistics) {
        var offered = call.offered();
        var chunks = reply.chunks();
        var reading = reply.reading();
        // A responder that had nothing to place may leave out the lists altogether.
        var returned =
                chunks.writeList().isEmpty()
                        ? offered.writeList().stream().map(WriteChunk::unused).toList()
                        : chunks.writeList();
        if (!WriteChunkPlacements.answers(returned, offered.writeList(), reading.told())) {
            return null;
        }
        MemorySegment payload = reply.payload();
        if (chunks.replyChunk().isPresent()) {
            if (offered.replyChunk().isEmpty()
                    || !WriteChunkPlacements.answers(
                            chunks.replyChunk().get(), offered.replyChunk().get())) {
                return null;
            }
            long length = chunks.replyChunk().get().size();
            if (length > 0) {
                payload = call.replyChunk().asSlice(0, length);
                statistics.count(Counter.REPLY_CHUNKS);
                statistics.count(Counter.REPLY_CHUNK_OCTETS, length);
            }
        }
        for (var chunk : returned) {
            if (chunk.size() > 0) {
                statistics.count(Counter.WRITE_CHUNKS);
                statistics.count(Counter.WRITE_CHUNK_OCTETS, chunk.size());
            }
        }
        var pairing =
                switch (call) {
                    case ShortCall _ -> Pairing.SLIDING;
                    case OfferingCall offering -> offering.shape().pairing();
                };
        var placements =
                new WriteChunkPlacements(returned, call.resultTargets(), pairing, reading.told());
        return new Answer.Reply(payload, reading.placements().apply(placements));
    }
}
