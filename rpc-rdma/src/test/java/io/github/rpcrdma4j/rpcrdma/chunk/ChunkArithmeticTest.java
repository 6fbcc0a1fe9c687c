package io.github.rpcrdma4j.rpcrdma.chunk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.oncrpc.UpperLayerBinding.Pairing;
import io.github.rpcrdma4j.rpcrdma.connection.MessageSends.ChunkWrite;
import io.github.rpcrdma4j.rpcrdma.responder.ReplyPlan;
import io.github.rpcrdma4j.rpcrdma.wire.Golden;
import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.rpcrdma.wire.Received;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.xdr.BulkItem;
import io.github.rpcrdma4j.xdr.PayloadStream;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ChunkArithmeticTest {
    private static final int NFS3_WRITE_BEFORE_DATA = 40 + 36 + 8 + 4 + 4;

    private static Segment segment(int handle, long length) {
        return new Segment(handle, (int) length, handle * 0x1000L);
    }

    private static WriteChunk chunk(long... lengths) {
        var segments = new ArrayList<Segment>();
        for (long length : lengths) {
            segments.add(segment(segments.size() + 1, length));
        }
        return new WriteChunk(segments);
    }

    private static Received.Call call(String example) {
        return (Received.Call) Received.byResponder(MemorySegment.ofArray(Golden.bytes(example)));
    }

    /** Decodes an NFSv3 WRITE whose data is in Read chunks; returns the length of the data. */
    private static long dataOf(String example) throws XdrException {
        var call = call(example);
        var fetched = new ArrayList<BulkItem>();
        for (var chunk : ReadChunk.of(call.chunks().readList())) {
            fetched.add(
                    new BulkItem(
                            chunk.position(), MemorySegment.ofArray(new byte[(int) chunk.size()])));
        }
        var in = new XdrReader(call.payload(), new ReadChunkPlacements(fetched));
        in.fixedOpaque(NFS3_WRITE_BEFORE_DATA);
        var data = in.bulk(1 << 20);
        in.finish();
        return data.byteSize();
    }

    @Test
    @Tag("5666-3.7-1")
    @Tag("5666-3.7-4")
    void findsTheDataOfAWriteWithAndWithoutItsPadding() throws Exception {
        assertEquals(4093, dataOf("EX-03"));
        assertEquals(4093, dataOf("EX-04"));
    }

    @Test
    @Tag("5666-3.4-9")
    void refusesAReadChunkOfAnyOtherLength() {
        assertThrows(XdrException.class, () -> dataOf("BAD-16"));
    }

    @Test
    @Tag("5666-3.7-2")
    void countsPositionsInTheUnreducedStream() throws Exception {
        var call = call("EX-06");
        var chunks = ReadChunk.of(call.chunks().readList());
        var in =
                new XdrReader(
                        call.payload(),
                        new ReadChunkPlacements(
                                List.of(
                                        new BulkItem(
                                                chunks.get(0).position(),
                                                MemorySegment.ofArray(new byte[4093])),
                                        new BulkItem(
                                                chunks.get(1).position(),
                                                MemorySegment.ofArray(new byte[512])))));
        in.fixedOpaque(40 + 12 + 40 + 4 + 16 + 8 + 4);
        assertEquals(4093, in.bulk(1 << 20).byteSize());
        in.fixedOpaque(4 + 16 + 8 + 4);
        assertEquals(512, in.bulk(1 << 20).byteSize());
        in.finish();
    }

    @Test
    @Tag("8166-3.4.1-1")
    void readsOnAfterAReducedItem() throws Exception {
        var call = call("EX-05");
        var in =
                new XdrReader(
                        call.payload(),
                        new ReadChunkPlacements(
                                List.of(new BulkItem(164, MemorySegment.ofArray(new byte[8191])))));
        in.fixedOpaque(160);
        assertEquals(8191, in.bulk(1 << 20).byteSize());
        assertEquals(8356, in.position());
        assertEquals(9, in.uint32());
    }

    @Test
    @Tag("8166-6.1-2")
    void refusesAReadChunkThatBelongsToNoItem() {
        var placements =
                new ReadChunkPlacements(
                        List.of(new BulkItem(8, MemorySegment.ofArray(new byte[4]))));
        assertThrows(XdrException.class, placements::finish);
    }

    @Test
    @Tag("8166-3.4.5-4")
    void gathersSegmentsOfOnePositionWhereverTheyStand() {
        var list =
                List.of(
                        new ReadSegment(96, segment(1, 10)),
                        new ReadSegment(200, segment(2, 0xffff_ffffL)),
                        new ReadSegment(96, segment(3, 5)),
                        new ReadSegment(200, segment(4, 0xffff_ffffL)));
        var chunks = ReadChunk.of(list);
        assertEquals(2, chunks.size());
        assertEquals(15, chunks.get(0).size());
        assertEquals(List.of(segment(1, 10), segment(3, 5)), chunks.get(0).segments());
        assertEquals(2 * 0xffff_ffffL, chunks.get(1).size());
    }

    /** Goal: chunks of every shape are filled in order. Method: segments of 0, 1 and 4 bytes. */
    @Test
    @Tag("8166-3.4.6-2")
    @Tag("8166-3.4.6-3")
    void fillsEveryShapeInOrder() {
        long[] lengths = {0, 1, 4};
        for (long one : lengths) {
            for (long two : lengths) {
                for (long three : lengths) {
                    fillsInOrder(chunk(one, two, three));
                }
            }
        }
    }

    private static void fillsInOrder(WriteChunk offered) {
        for (long length = 0; length <= offered.size(); length++) {
            var filled = offered.filled(length);
            assertEquals(length, filled.size());
            assertTrue(WriteChunkPlacements.answers(filled, offered));
            var writes = new ArrayList<ChunkWrite>();
            var data = MemorySegment.ofArray(new byte[(int) length]);
            ReplyPlan.write(filled, PayloadStream.of(data), writes);
            long next = 0;
            for (var write : writes) {
                assertTrue(write.target().size() > 0);
                next += write.target().size();
            }
            assertEquals(length, next);
        }
        assertThrows(IllegalArgumentException.class, () -> offered.filled(offered.size() + 1));
    }

    @Test
    @Tag("8166-3.4.6.1-1")
    void takesOnlyAnswersThatFillInOrder() {
        var offered = chunk(4, 4, 4);
        assertTrue(WriteChunkPlacements.answers(chunk(4, 4, 0), offered));
        assertTrue(WriteChunkPlacements.answers(chunk(4, 1, 0), offered));
        assertTrue(WriteChunkPlacements.answers(offered.unused(), offered));
        assertTrue(WriteChunkPlacements.answers(new WriteChunk(List.of()), offered));
        assertFalse(WriteChunkPlacements.answers(chunk(4, 0, 4), offered));
        assertFalse(WriteChunkPlacements.answers(chunk(1, 4, 0), offered));
        assertFalse(WriteChunkPlacements.answers(chunk(5, 0, 0), offered));
        assertFalse(WriteChunkPlacements.answers(chunk(4, 4), offered));
        var foreign = new WriteChunk(List.of(segment(9, 4), segment(2, 4), segment(3, 4)));
        assertFalse(WriteChunkPlacements.answers(foreign, offered));
        assertFalse(WriteChunkPlacements.answers(List.of(), List.of(offered)));
    }

    private static MemorySegment target(int length) {
        return MemorySegment.ofArray(new byte[length]);
    }

    @Test
    @Tag("5666-3.6-5")
    @Tag("5666-3.6-4")
    void bindsResultsToChunksByOrdinal() throws Exception {
        // Like EX-12 and EX-13: a full chunk, an unused chunk, and a result without a chunk.
        var first = target(8192);
        var placements =
                new WriteChunkPlacements(
                        List.of(chunk(4096, 4096), chunk(4096).unused()),
                        List.of(first, target(4096)),
                        Pairing.ORDINAL);
        assertEquals(first.byteSize(), placements.take(0, 8192).byteSize());
        assertEquals(0, placements.take(0, 0).byteSize());
        assertNull(placements.take(0, 9));
        placements.finish();
    }

    /** In EX-10 the chunk and the count say 4999 bytes; in EX-11 the chunk is rounded up. */
    @Test
    @Tag("5666-3.4-9")
    @Tag("5666-3.6-3")
    void takesExactLengthsOnly() throws Exception {
        var offered = call("EX-09").chunks().writeList();
        assertTrue(WriteChunkPlacements.answers(returned("EX-10"), offered));
        assertTrue(WriteChunkPlacements.answers(returned("EX-11"), offered));
        var targets = List.of(target(8192));
        var exact = new WriteChunkPlacements(returned("EX-10"), targets, Pairing.ORDINAL);
        assertEquals(4999, exact.take(0, 4999).byteSize());
        var rounded = new WriteChunkPlacements(returned("EX-11"), targets, Pairing.ORDINAL);
        assertThrows(XdrException.class, () -> rounded.take(0, 4999));
    }

    private static List<WriteChunk> returned(String example) {
        var message = MemorySegment.ofArray(Golden.bytes(example));
        return ((Received.Reply) Received.byRequester(message)).chunks().writeList();
    }

    @Test
    void leavesTheChunkOfAnArmWithoutDataToIt() throws Exception {
        var second = target(16);
        var placements =
                new WriteChunkPlacements(
                        List.of(chunk(8).unused(), chunk(16)),
                        List.of(target(8), second),
                        Pairing.ORDINAL);
        placements.skipAbsent();
        assertEquals(16, placements.take(0, 16).byteSize());
        placements.finish();
    }

    @Test
    @Tag("8166-4.3.2.2-1")
    void findsAResultInTheChunkThatAnAbsentOneLeft() throws Exception {
        var first = target(16);
        var placements =
                new WriteChunkPlacements(
                        List.of(chunk(16), chunk(16).unused()),
                        List.of(first, target(16)),
                        Pairing.SLIDING);
        placements.skipAbsent();
        assertEquals(first, placements.take(0, 16));
        placements.finish();
    }

    @Test
    @Tag("5666-3.4-9")
    @Tag("8166-6.1-3")
    @Tag("8166-6.1-4")
    void refusesResultsThatDisagreeWithTheirChunks() {
        assertThrows(
                XdrException.class,
                () ->
                        new WriteChunkPlacements(
                                        List.of(chunk(8)), List.of(target(8)), Pairing.SLIDING)
                                .take(0, 7));
        // The result arrived inline although it had a chunk (RFC 8166, Section 6.1).
        assertThrows(
                XdrException.class,
                () ->
                        new WriteChunkPlacements(
                                        List.of(chunk(8).unused()),
                                        List.of(target(8)),
                                        Pairing.SLIDING)
                                .take(0, 7));
        assertThrows(
                XdrException.class,
                () ->
                        new WriteChunkPlacements(
                                        List.of(chunk(8)), List.of(target(8)), Pairing.SLIDING)
                                .finish());
    }
}
