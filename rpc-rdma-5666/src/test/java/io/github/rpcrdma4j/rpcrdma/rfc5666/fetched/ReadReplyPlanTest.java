package io.github.rpcrdma4j.rpcrdma.rfc5666.fetched;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.oncrpc.UpperLayerBinding.Eligibility;
import io.github.rpcrdma4j.rpcrdma.responder.ReplyPlan;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.xdr.BulkItem;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** In these tests an empty header has 28 bytes; an entry of a Read list adds 24. */
class ReadReplyPlanTest {
    private static final int THRESHOLD = 1024;

    private static ChunkLists offer(int... writeChunks) {
        var chunks =
                IntStream.of(writeChunks)
                        .mapToObj(length -> new WriteChunk(List.of(new Segment(1, length, 0))))
                        .toList();
        return new ChunkLists(List.of(), chunks, Optional.empty());
    }

    /**
     * Describes how a reply travels: what is fetched of it, and the length of the rest in bytes.
     *
     * @param stream the length of the stream in bytes; the results are at its end
     */
    private static String plan(ChunkLists offered, int eligible, int stream, int... results) {
        var items = new ArrayList<BulkItem>();
        long position = stream;
        for (int i = 0; i < results.length; i++) {
            var data = MemorySegment.ofArray(new byte[results[i]]);
            items.add(new BulkItem(position, data, i));
            position += items.getLast().paddedLength();
        }
        var eligibility = new Eligibility(0, eligible);
        return ReplyPlan.place(offered, items, eligibility)
                .flatMap(
                        placed ->
                                ReadReplyPlan.of(
                                        offered,
                                        placed,
                                        MemorySegment.ofArray(new byte[stream]),
                                        items,
                                        eligibility,
                                        THRESHOLD))
                .map(
                        plan ->
                                (plan.whole() ? "whole" : plan.items().toString())
                                        + " "
                                        + plan.pieces().length())
                .orElse("none");
    }

    @Test
    @Tag("5666-3.4-3")
    @Tag("5666-5.1-3")
    void exposesResultsAsFarAsNeeded() {
        assertEquals("{0} 40", plan(ChunkLists.EMPTY, 1, 40, 5001));
        // The second result stays inline, with its padding.
        assertEquals("{0} 540", plan(ChunkLists.EMPTY, 2, 40, 5001, 497));
        assertEquals("{0, 1} 40", plan(ChunkLists.EMPTY, 2, 40, 5001, 5001));
        assertEquals("{0} " + (THRESHOLD - 52), plan(ChunkLists.EMPTY, 1, THRESHOLD - 52, 99));
    }

    @Test
    @Tag("5666-5.1-3")
    @Tag("5666-5.2-3")
    void exposesTheWholeReplyWhereThatIsNotEnough() {
        assertEquals("whole 976", plan(ChunkLists.EMPTY, 1, THRESHOLD - 48));
        assertEquals("whole 1076", plan(ChunkLists.EMPTY, 1, THRESHOLD - 48, 99));
        // A result that is not eligible stays in the stream.
        assertEquals("whole 5044", plan(ChunkLists.EMPTY, 0, 40, 5001));
    }

    @Test
    void exposesNothingThatHasAWriteChunk() {
        assertEquals("{1} 40", plan(offer(8192), 2, 40, 5000, 6000));
        assertEquals("whole 5040", plan(offer(8192, 0), 2, 40, 6000, 5000));
        // This Write chunk is too short.
        assertEquals("none", plan(offer(4096), 2, 40, 5000, 6000));
    }

    @Test
    void exposesNothingWhereNotEvenTheHeaderFits() {
        assertEquals("none", plan(offer(new int[42]), 0, 2000));
        assertEquals("whole 2000", plan(offer(new int[40]), 0, 2000));
    }
}
