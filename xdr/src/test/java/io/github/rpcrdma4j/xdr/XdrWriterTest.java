package io.github.rpcrdma4j.xdr;

import static java.nio.channels.FileChannel.MapMode.READ_WRITE;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.memory.SegmentPool;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class XdrWriterTest {
    private final SegmentPool pool = new SegmentPool(1 << 20);

    @AfterEach
    void checkNothingLeaks() {
        assertEquals(0, pool.leased());
    }

    @Test
    void writesEveryItemInOrder() {
        try (var out = new XdrWriter(pool)) {
            out.uint32(-2).uint64(0x0102030405060708L).bool(true).bool(false);
            out.fixedOpaque(bytes("aabbccddee")).opaque(bytes("aabbcc")).string("h\u00e9\u00e9");
            assertEquals(
                    "fffffffe"
                            + "0102030405060708"
                            + "00000001"
                            + "00000000"
                            + "aabbccddee000000"
                            + "00000003aabbcc00"
                            + "0000000568c3a9c3a9000000",
                    hex(out));
        }
    }

    @Test
    void overwritesALengthThatWasNotKnownBefore() {
        try (var out = new XdrWriter(pool, 8)) {
            out.uint32(7);
            long length = out.reducedLength();
            out.uint32(0).uint64(5).overwrite(length, 8);
            assertEquals("00000007" + "00000008" + "0000000000000005", hex(out));
            assertThrows(IllegalArgumentException.class, () -> out.overwrite(-1, 0));
            assertThrows(IllegalArgumentException.class, () -> out.overwrite(13, 0));
            assertEquals("00000007" + "00000008" + "0000000000000005", hex(out.overwrite(12, 5)));
        }
    }

    @Test
    void discardsItsLastItems() {
        try (var out = new XdrWriter(pool)) {
            out.uint32(1).opaque(bytes("aabb")).shorten(4).uint32(2);
            assertEquals("00000001" + "00000002", hex(out));
            assertThrows(IllegalArgumentException.class, () -> out.shorten(9));
            assertThrows(IllegalArgumentException.class, () -> out.shorten(-1));
            assertEquals("", hex(out.shorten(0)));
        }
    }

    /** Goal: bulk items stay, and so do the places of absent ones. */
    @Test
    void discardsNoBulkItem() {
        try (var out = new XdrWriter(pool)) {
            out.uint32(1).bulk(MemorySegment.ofArray(bytes("aabb"))).uint32(2);
            assertThrows(IllegalArgumentException.class, () -> out.shorten(4));
            out.shorten(8).uint32(3).absentBulk();
            assertEquals("00000001" + "00000002" + "00000003", hex(out));
            assertEquals(16, out.position());
            assertThrows(IllegalArgumentException.class, () -> out.shorten(8));
            out.inlineBulkItems();
            assertThrows(IllegalArgumentException.class, () -> out.shorten(12));
            out.clear();
            assertEquals("", hex(out.shorten(0)));
        }
    }

    /** Goal: the writer writes padding, because the pool does not clear memory. */
    @Test
    void padsWithZerosOverOldContent() {
        try (var dirt = pool.lease(1024)) {
            dirt.whole().fill((byte) 0xff);
        }
        for (int length = 0; length <= 8; length++) {
            try (var out = new XdrWriter(pool)) {
                out.opaque(new byte[length]).uint32(-1);
                int padded = (int) XdrWriter.roundUp(length);
                assertEquals(
                        "0000000" + length + "00".repeat(padded) + "ffffffff",
                        hex(out),
                        "" + length);
                out.reducedStream().fill((byte) 0xff);
            }
        }
    }

    @Test
    void roundsUpToWholeWords() {
        assertEquals(0, XdrWriter.roundUp(0));
        assertEquals(4, XdrWriter.roundUp(1));
        assertEquals(4, XdrWriter.roundUp(4));
        assertEquals(8, XdrWriter.roundUp(5));
        assertEquals(1L << 32, XdrWriter.roundUp(0xffff_ffffL));
    }

    @Test
    void growsAndKeepsTheWrittenItems() throws Exception {
        try (var out = new XdrWriter(pool)) {
            for (int i = 0; i < 10_000; i++) {
                out.uint32(i);
            }
            out.fixedOpaque(new byte[300_000]);
            assertEquals(340_000, out.position());
            var in = new XdrReader(out.reducedStream());
            for (int i = 0; i < 10_000; i++) {
                assertEquals(i, in.uint32());
            }
            assertEquals(1, pool.leased());
        }
    }

    /**
     * Method: the arithmetic of a WRITE of 8191 bytes in the middle of a COMPOUND. The data starts
     * at 164, and the next item at 164 + 8192 (RFC 8166, Section 3.4.5).
     */
    @Test
    void countsThePositionOfOneItemInTheMiddle() {
        try (var out = new XdrWriter(pool)) {
            out.fixedOpaque(new byte[160]).bulk(MemorySegment.ofArray(new byte[8191]));
            assertEquals(8356, out.position());
            out.fixedOpaque(new byte[16]);
            assertEquals(8372, out.position());
            var item = out.bulkItems().getFirst();
            assertEquals(164, item.position());
            assertEquals(List.of(164L), offsets(out));
            assertEquals(8192, item.paddedLength());
            assertEquals(180, out.reducedStream().byteSize());
        }
    }

    /** Returns where in the reduced stream the data of each item would start. */
    private static List<Long> offsets(XdrWriter out) {
        var offsets = new ArrayList<Long>();
        long apart = 0;
        for (var item : out.bulkItems()) {
            offsets.add(item.position() - apart);
            apart += item.paddedLength();
        }
        return offsets;
    }

    /** The second position: 128 + 4093 + 3 (padding) + 36 = 4260; 164 bytes stay in the stream. */
    @Test
    @Tag("8166-3.4.5-1")
    @Tag("5666-3.4-11")
    void countsThePositionsOfTwoItems() {
        try (var out = new XdrWriter(pool)) {
            out.fixedOpaque(new byte[124]).bulk(MemorySegment.ofArray(new byte[4093]));
            out.fixedOpaque(new byte[32]).bulk(MemorySegment.ofArray(new byte[512]));
            var items = out.bulkItems();
            assertEquals(List.of(128L, 4260L), items.stream().map(BulkItem::position).toList());
            assertEquals(List.of(128L, 164L), offsets(out));
            assertEquals(164, out.reducedStream().byteSize());
            assertEquals(4260 + 512, out.position());
        }
    }

    @Test
    @Tag("8166-3.4.4.1-1")
    void keepsBulkItemsInPlace() {
        byte[] data = {1, 2, 3};
        try (var out = new XdrWriter(pool)) {
            out.bulk(MemorySegment.ofArray(data));
            data[0] = 9;
            assertArrayEquals(
                    data, out.bulkItems().getFirst().data().toArray(ValueLayout.JAVA_BYTE));
            assertEquals("00000003", hex(out));
        }
    }

    @Test
    void runsEachReleaseOnce() {
        var released = new ArrayList<Integer>();
        var out = new XdrWriter(pool);
        out.bulk(MemorySegment.NULL, () -> released.add(1));
        out.bulk(MemorySegment.NULL, () -> released.add(2));
        out.clear();
        assertEquals(List.of(2, 1), released);
        assertEquals(0, out.position());
        assertEquals(List.of(), out.bulkItems());
        out.bulk(MemorySegment.NULL, () -> released.add(3));
        out.close();
        out.close();
        assertEquals(List.of(2, 1, 3), released);
    }

    /** Goal: inlined items lie at their positions. Method: random messages and their streams. */
    @Test
    void inlinesBulkItemsAtTheirPositions() {
        for (int seed = 0; seed < 2000; seed++) {
            var random = new Random(seed);
            var released = new ArrayList<Integer>();
            try (var out = new XdrWriter(pool, 28)) {
                int items = random.nextInt(4);
                for (int i = 0; i < items; i++) {
                    words(out, random);
                    int number = i;
                    var data = new byte[random.nextInt(random.nextBoolean() ? 9 : 2000)];
                    random.nextBytes(data);
                    out.bulk(MemorySegment.ofArray(data), () -> released.add(number));
                }
                words(out, random);
                var payload = PayloadStream.of(out);
                var whole = new byte[(int) payload.length()];
                payload.copyTo(MemorySegment.ofArray(whole));
                int kept = random.nextInt(items + 1);
                var apart = new BitSet();
                apart.set(0, kept);
                var reduced = PayloadStream.of(out.reducedStream(), out.bulkItems(), apart);
                var inPart = new byte[(int) reduced.length()];
                reduced.copyTo(MemorySegment.ofArray(inPart));
                String drawn = "seed " + seed;
                out.inlineBulkItems(kept);
                assertArrayEquals(
                        inPart, out.reducedStream().toArray(ValueLayout.JAVA_BYTE), drawn);
                assertEquals(kept, out.bulkItems().size(), drawn);
                assertEquals(whole.length, out.position(), drawn);
                out.inlineBulkItems();
                assertArrayEquals(whole, out.reducedStream().toArray(ValueLayout.JAVA_BYTE), drawn);
                assertEquals(List.of(), out.bulkItems(), drawn);
                assertEquals(items, released.size(), drawn);
                assertEquals(out.reducedLength(), out.position(), drawn);
                out.uint32(7);
                assertEquals(whole.length + Integer.BYTES, out.position(), drawn);
            }
        }
    }

    private static void words(XdrWriter out, Random random) {
        for (int i = random.nextInt(5); i > 0; i--) {
            out.uint32(random.nextInt());
        }
    }

    @Test
    void leavesRoomOfAnyLengthInFront() {
        for (int room : new int[] {0, 1023, 1024, 1025, 100_000}) {
            try (var out = new XdrWriter(pool, room)) {
                assertEquals("", hex(out));
                out.uint32(7);
                assertEquals("00000007", hex(out));
                assertEquals(7, out.memory().get(ValueLayout.JAVA_BYTE, room + 3L));
            }
        }
        assertThrows(IllegalArgumentException.class, () -> new XdrWriter(pool, -1));
    }

    @Test
    void leasesNothingAfterItWasClosed() {
        var out = new XdrWriter(pool);
        out.uint32(1).close();
        assertThrows(IllegalStateException.class, () -> out.uint32(2));
    }

    @Test
    void refusesItemsThatNoStreamHolds(@TempDir Path directory) throws Exception {
        try (var arena = Arena.ofConfined();
                var file = FileChannel.open(directory.resolve("sparse"), CREATE, READ, WRITE)) {
            var sparse = file.map(READ_WRITE, 0, 1L << 32, arena);
            try (var out = new XdrWriter(pool)) {
                assertThrows(IllegalArgumentException.class, () -> out.bulk(sparse));
                out.bulk(sparse.asSlice(1));
                assertEquals("ffffffff", hex(out));
                assertThrows(
                        IllegalArgumentException.class,
                        () -> out.fixedOpaque(sparse.asSlice(0, 1L << 31)));
            }
        }
    }

    private static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex);
    }

    private static String hex(XdrWriter out) {
        return HexFormat.of().formatHex(out.reducedStream().toArray(ValueLayout.JAVA_BYTE));
    }
}
