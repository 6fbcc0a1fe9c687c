package io.github.rpcrdma4j.rpcrdma.chunk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.oncrpc.UpperLayerBinding.Pairing;
import io.github.rpcrdma4j.rpcrdma.connection.MessageSends.ChunkWrite;
import io.github.rpcrdma4j.rpcrdma.responder.ReplyPlan;
import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.xdr.BulkItem;
import io.github.rpcrdma4j.xdr.PayloadStream;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Goal: chunks of every shape work. Method: all lists of up to three small chunks. */
class ChunkShapesTest {
    private static final int MOST = 3;
    private static final int[] LENGTHS = {0, 1, 4};

    /** Returns all chunks of up to three segments of 0, 1 or 4 bytes. */
    private static List<WriteChunk> chunks() {
        var all = new ArrayList<WriteChunk>();
        extend(List.of(), all);
        return all;
    }

    private static void extend(List<Segment> segments, List<WriteChunk> all) {
        all.add(new WriteChunk(segments));
        if (segments.size() == MOST) {
            return;
        }
        for (int length : LENGTHS) {
            var longer = new ArrayList<>(segments);
            int handle = segments.size() + 1;
            longer.add(new Segment(handle, length, handle * 0x1000L));
            extend(longer, all);
        }
    }

    private static MemorySegment memory(long length) {
        return MemorySegment.ofArray(new byte[(int) length]);
    }

    /** Method: the bytes of the data are numbered, so that a misplaced byte is detected. */
    @Test
    @Tag("8166-3.4.6-2")
    void laysEveryByteIntoEveryShapeOnce() {
        for (var offered : chunks()) {
            for (long length = 0; length <= offered.size(); length++) {
                var numbered = memory(length);
                for (int i = 0; i < length; i++) {
                    numbered.set(ValueLayout.JAVA_BYTE, i, (byte) i);
                }
                var writes = new ArrayList<ChunkWrite>();
                ReplyPlan.write(offered.filled(length), PayloadStream.of(numbered), writes);
                int next = 0;
                for (var write : writes) {
                    long written = 0;
                    for (var piece : write.data()) {
                        for (byte oneByte : piece.toArray(ValueLayout.JAVA_BYTE)) {
                            assertEquals(next++, oneByte, offered::toString);
                        }
                        written += piece.byteSize();
                    }
                    assertEquals(write.target().size(), written);
                }
                assertEquals(length, next);
            }
        }
    }

    /** Goal: of all returned lengths, only those of a chunk filled in order answer the offer. */
    @Test
    void takesWhatAFillReturnsAndNothingElse() {
        for (var offered : chunks()) {
            var fills = new ArrayList<WriteChunk>();
            fills.add(new WriteChunk(List.of()));
            for (long length = 0; length <= offered.size(); length++) {
                fills.add(offered.filled(length));
            }
            for (var returned : chunks()) {
                assertEquals(
                        fills.contains(returned),
                        WriteChunkPlacements.answers(returned, offered),
                        () -> returned + " for " + offered);
            }
        }
    }

    @Test
    void bindsEveryListOfResultsByOrdinal() {
        var shapes = chunks();
        forEachList(
                shapes,
                list -> {
                    var targets = new ArrayList<MemorySegment>();
                    for (var offered : list) {
                        targets.add(memory(offered.size()));
                    }
                    assertTrue(WriteChunkPlacements.answers(list, list));
                    bindAll(list, targets);
                    bindNone(list, targets);
                });
    }

    private static void forEachList(List<WriteChunk> shapes, Consumer<List<WriteChunk>> action) {
        action.accept(List.of());
        for (var one : shapes) {
            action.accept(List.of(one));
            for (var two : shapes) {
                action.accept(List.of(one, two));
                for (var three : shapes) {
                    action.accept(List.of(one, two, three));
                }
            }
        }
    }

    private static void bindAll(List<WriteChunk> returned, List<MemorySegment> targets) {
        var placements = new WriteChunkPlacements(returned, targets, Pairing.SLIDING);
        try {
            for (int i = 0; i < returned.size(); i++) {
                long size = returned.get(i).size();
                var data = placements.take(0, size);
                assertNotNull(data);
                assertEquals(size, data.byteSize());
            }
            assertNull(placements.take(0, 1));
            placements.finish();
        } catch (XdrException unexpected) {
            throw new AssertionError(unexpected);
        }
    }

    /** Makes every result absent, which is legal only if no bytes were written. */
    private static void bindNone(List<WriteChunk> returned, List<MemorySegment> targets) {
        long written = returned.stream().mapToLong(WriteChunk::size).sum();
        var placements = new WriteChunkPlacements(returned, targets, Pairing.SLIDING);
        if (written == 0) {
            try {
                placements.finish();
            } catch (XdrException unexpected) {
                throw new AssertionError(unexpected);
            }
        } else {
            assertThrows(XdrException.class, placements::finish);
        }
    }

    /**
     * Method: up to three items of up to three segments each, with the segments of all items
     * interleaved, and with and without padding.
     */
    @Test
    @Tag("5666-3.7-2")
    @Tag("8166-3.4.5-4")
    @Tag("5666-3.5-1")
    void putsEveryReducedArgumentBackTogether() throws Exception {
        var shapes = chunks();
        for (var one : shapes) {
            for (var two : shapes) {
                putsBack(List.of(one, two), false);
                putsBack(List.of(one, two), true);
            }
            putsBack(List.of(one, one, one), true);
            putsBack(List.of(one), false);
        }
    }

    private static void putsBack(List<WriteChunk> items, boolean padded) throws XdrException {
        var stream = ByteBuffer.allocate(items.size() * 8);
        var positions = new int[items.size()];
        int position = 0;
        for (int i = 0; i < positions.length; i++) {
            int count = (int) items.get(i).size();
            positions[i] = position + 4;
            position += 8 + (int) XdrWriter.roundUp(count);
            stream.putInt(count).putInt(i);
        }
        var readList = new ArrayList<ReadSegment>();
        for (int place = 0; place < MOST; place++) {
            for (int i = 0; i < positions.length; i++) {
                if (place < items.get(i).segments().size()) {
                    readList.add(new ReadSegment(positions[i], items.get(i).segments().get(place)));
                }
            }
        }
        var fetched = new ArrayList<BulkItem>();
        for (var chunk : ReadChunk.of(readList)) {
            long size = padded ? XdrWriter.roundUp(chunk.size()) : chunk.size();
            fetched.add(new BulkItem(chunk.position(), memory(size)));
        }
        var in =
                new XdrReader(
                        MemorySegment.ofArray(stream.array()), new ReadChunkPlacements(fetched));
        for (int i = 0; i < positions.length; i++) {
            assertEquals(items.get(i).size(), in.bulk(64).byteSize());
            assertEquals(i, in.uint32());
        }
        in.finish();
        assertEquals(position, in.position());
    }

    /** Goal: a Read chunk is refused unless it is as long as its item, with or without padding. */
    @Test
    void refusesEveryOtherLength() {
        for (int count = 0; count <= 9; count++) {
            for (int length = 0; length <= 16; length++) {
                var placements = new ReadChunkPlacements(List.of(new BulkItem(4, memory(length))));
                boolean right = length == count || length == XdrWriter.roundUp(count);
                boolean taken;
                try {
                    taken = placements.take(4, count).byteSize() == count;
                } catch (XdrException refused) {
                    taken = false;
                }
                assertEquals(right, taken, count + " and " + length);
            }
        }
    }
}
