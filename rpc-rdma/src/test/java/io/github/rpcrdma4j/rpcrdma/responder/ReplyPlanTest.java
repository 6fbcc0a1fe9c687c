package io.github.rpcrdma4j.rpcrdma.responder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.oncrpc.UpperLayerBinding.Eligibility;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding.Pairing;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.xdr.BulkItem;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ReplyPlanTest {
    private static final int THRESHOLD = 1024;
    private static final WriteChunk EMPTY = new WriteChunk(List.of());

    private static WriteChunk chunk(int... lengths) {
        var segments = new ArrayList<Segment>();
        for (int length : lengths) {
            int handle = segments.size() + 1;
            segments.add(new Segment(handle, length, handle * 0x10000L));
        }
        return new WriteChunk(segments);
    }

    private static final int ABSENT = -1;

    private static ChunkLists offer(WriteChunk replyChunk, WriteChunk... writeList) {
        return new ChunkLists(List.of(), List.of(writeList), Optional.ofNullable(replyChunk));
    }

    /** Plans a reply with {@code stream} bytes in its reduced stream, bulk results at its end. */
    private static Optional<ReplyPlan> plan(
            ChunkLists offered, int eligible, int stream, int... results) {
        return plan(offered, new Eligibility(0, eligible), stream, results);
    }

    /**
     * Plans a reply with {@code stream} bytes in its reduced stream, bulk results at its end.
     *
     * @param results the length of each bulk result; {@link #ABSENT} if its union took another arm
     */
    private static Optional<ReplyPlan> plan(
            ChunkLists offered, Eligibility eligible, int stream, int... results) {
        var items = new ArrayList<BulkItem>();
        long position = stream;
        for (int i = 0; i < results.length; i++) {
            if (results[i] != ABSENT) {
                var data = MemorySegment.ofArray(new byte[results[i]]);
                items.add(new BulkItem(position, data, i));
                position += items.getLast().paddedLength();
            }
        }
        var message = MemorySegment.ofArray(new byte[stream]);
        return ReplyPlan.place(offered, items, eligible)
                .flatMap(placed -> ReplyPlan.of(offered, placed, message, items, true, THRESHOLD));
    }

    private static long inline(ReplyPlan plan) {
        return plan.inline().stream().mapToLong(MemorySegment::byteSize).sum();
    }

    private static List<Long> written(ReplyPlan plan) {
        return plan.writes().stream()
                .map(write -> write.data().stream().mapToLong(MemorySegment::byteSize).sum())
                .toList();
    }

    @Test
    @Tag("8166-3.3.2-1")
    void repliesInlineUpToTheThreshold() {
        var plan = plan(ChunkLists.EMPTY, 0, THRESHOLD - 28).orElseThrow();
        assertFalse(plan.inReplyChunk());
        assertEquals(THRESHOLD - 28, inline(plan));
        assertTrue(plan(ChunkLists.EMPTY, 0, THRESHOLD - 28 + 4).isEmpty());
    }

    @Test
    @Tag("8166-4.3.3-3")
    @Tag("8166-4.3.3-2")
    void returnsAReplyChunkUnusedWhenTheReplyIsShort() {
        var plan = plan(offer(chunk(4096)), 0, 100).orElseThrow();
        assertFalse(plan.inReplyChunk());
        assertEquals(Optional.of(chunk(0)), plan.returned().replyChunk());
    }

    @Test
    @Tag("8166-3.5.3-1")
    @Tag("8166-4.2.4-1")
    @Tag("8166-4.3.3-3")
    void fillsTheReplyChunkWhenTheReplyIsLong() {
        var plan = plan(offer(chunk(1000, 1000, 1000)), 0, 1500).orElseThrow();
        assertTrue(plan.inReplyChunk());
        assertEquals(Optional.of(chunk(1000, 500, 0)), plan.returned().replyChunk());
        assertEquals(List.of(1000L, 500L), written(plan));
        assertEquals(List.of(), plan.inline());
        assertTrue(plan(offer(chunk(1000, 499)), 0, 1500).isEmpty());
    }

    @Test
    @Tag("5666-3.6-1")
    @Tag("5666-3.6-2")
    @Tag("5667-3-2")
    @Tag("8166-3.4.6-3")
    @Tag("8166-3.4.6.2-2")
    @Tag("8166-3.4.6.2-3")
    @Tag("8166-4.3.2-2")
    void placesAResultInItsChunkExactly() {
        var plan = plan(offer(null, chunk(4096, 4096)), 1, 100, 4999).orElseThrow();
        assertEquals(List.of(chunk(4096, 903)), plan.returned().writeList());
        assertEquals(List.of(4096L, 903L), written(plan));
        assertEquals(100, inline(plan));
    }

    @Test
    @Tag("5666-3.6-1")
    @Tag("8166-4.3.2-2")
    void placesEvenASmallResultWhenAskedTo() {
        var plan = plan(offer(null, chunk(4096)), 1, 100, 1).orElseThrow();
        assertEquals(List.of(1L), written(plan));
        assertEquals(100, inline(plan));
    }

    @Test
    @Tag("5667-3-1")
    @Tag("8267-3.1-1")
    @Tag("5666-3.4-7")
    @Tag("8267-3-3")
    @Tag("8267-3.1-5")
    void truncatesNothing() {
        assertTrue(plan(offer(null, chunk(4096, 902)), 1, 100, 4999).isEmpty());
        assertTrue(plan(offer(chunk(8192), chunk(4096)), 1, 100, 4999).isEmpty());
    }

    @Test
    @Tag("5667-5-1")
    @Tag("8166-4.3.2.3-2")
    void keepsAResultInlineForAnEmptyChunk() {
        var plan = plan(offer(null, EMPTY, chunk(0)), 2, 100, 9, 10).orElseThrow();
        assertEquals(List.of(EMPTY, chunk(0)), plan.returned().writeList());
        assertEquals(List.of(), written(plan));
        assertEquals(100 + 12 + 12, inline(plan));
    }

    @Test
    @Tag("8166-4.3.2.1-1")
    @Tag("8166-4.3.2.2-3")
    @Tag("8166-3.4.6-4")
    @Tag("5666-3.4-13")
    void returnsChunksWithoutAResultUnused() {
        var plan = plan(offer(null, chunk(8), chunk(4, 4)), 2, 100, 8).orElseThrow();
        assertEquals(List.of(chunk(8), chunk(0, 0)), plan.returned().writeList());
        var nothing = plan(offer(null, chunk(8)), 1, 100, 0).orElseThrow();
        assertEquals(List.of(chunk(0)), nothing.returned().writeList());
    }

    @Test
    @Tag("8166-4.3.2.2-1")
    @Tag("8166-4.3.2.2-3")
    void movesResultsUpToChunksThatAbsentOnesLeave() {
        var offered = offer(null, chunk(8), chunk(8), chunk(8));
        var sliding = new Eligibility(0, 3);
        var plan = plan(offered, sliding, 100, ABSENT, 8, 5).orElseThrow();
        assertEquals(List.of(chunk(8), chunk(5), chunk(0)), plan.returned().writeList());
        var empty = plan(offered, sliding, 100, 0, ABSENT, 5).orElseThrow();
        assertEquals(List.of(chunk(0), chunk(5), chunk(0)), empty.returned().writeList());
        assertEquals(100, inline(plan));
    }

    @Test
    @Tag("5666-3.6-5")
    void leavesTheChunksOfAbsentResultsUnusedWhereTheBindingSaysSo() {
        var offered = offer(null, chunk(8), chunk(8), chunk(8));
        var ordinal = new Eligibility(0, 3).withPairing(Pairing.ORDINAL);
        var plan = plan(offered, ordinal, 100, ABSENT, 8, 5).orElseThrow();
        assertEquals(List.of(chunk(0), chunk(8), chunk(5)), plan.returned().writeList());
        var last = plan(offered, ordinal, 100, 8, ABSENT, ABSENT, 5).orElseThrow();
        assertEquals(List.of(chunk(8), chunk(0), chunk(0)), last.returned().writeList());
        assertEquals(100 + 8, inline(last));
    }

    @Test
    @Tag("8166-3.4.2-1")
    @Tag("8166-4.3.2.1-1")
    void keepsResultsBeyondTheChunksAndTheBindingInline() {
        var plan = plan(offer(null, chunk(8)), 2, 100, 8, 5).orElseThrow();
        assertEquals(100 + 8, inline(plan));
        var ineligible = plan(offer(null, chunk(8)), 0, 100, 8).orElseThrow();
        assertEquals(List.of(chunk(0)), ineligible.returned().writeList());
        assertEquals(100 + 8, inline(ineligible));
    }

    @Test
    @Tag("8166-3.5.3-5")
    void reducesBeforeItUsesTheReplyChunk() {
        var plan = plan(offer(chunk(4096), chunk(8192)), 1, 1500, 8192).orElseThrow();
        assertTrue(plan.inReplyChunk());
        assertEquals(List.of(8192L, 1500L), written(plan));
        assertEquals(Optional.of(chunk(1500)), plan.returned().replyChunk());
    }
}
