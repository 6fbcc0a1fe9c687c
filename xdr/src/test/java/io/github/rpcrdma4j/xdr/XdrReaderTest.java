package io.github.rpcrdma4j.xdr;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class XdrReaderTest {
    private static final int MAX = 1 << 20;

    @Test
    void readsEveryItemInOrder() throws Exception {
        var in =
                reader(
                        "fffffffe", // uint32
                        "0102030405060708", // uint64
                        "00000001", // bool
                        "00000000", // bool
                        "aabbccddee000000", // fixed opaque of 5
                        "00000003aabbcc00", // opaque
                        "0000000568c3a9c3a9000000", // string
                        "00000002" + "00000001" + "00000002"); // array
        assertEquals(-2, in.uint32());
        assertEquals(0x0102030405060708L, in.uint64());
        assertTrue(in.bool());
        assertFalse(in.bool());
        assertArrayEquals(bytes("aabbccddee"), array(in.fixedOpaque(5)));
        assertArrayEquals(bytes("aabbcc"), array(in.opaque(3)));
        assertEquals("h\u00e9\u00e9", in.string(5));
        assertEquals(2, in.count(4, 2));
        assertEquals(8, in.remaining());
        assertEquals(1, in.uint32());
        assertEquals(2, in.uint32());
        in.finish();
    }

    /** Goal: no item is read past the end. Method: items of each kind, cut at every length. */
    @Test
    void refusesEveryTruncation() {
        record Kind(String hex, Take take) {}
        var kinds =
                List.of(
                        new Kind("00000000", XdrReader::uint32),
                        new Kind("0000000000000000", XdrReader::uint64),
                        new Kind("00000001", XdrReader::bool),
                        new Kind("aabbccddee000000", in -> in.fixedOpaque(5)),
                        new Kind("00000005aabbccddee000000", in -> in.opaque(MAX)),
                        new Kind("00000005aabbccddee000000", in -> in.bytes(MAX)),
                        new Kind("00000005aabbccddee000000", in -> in.bulk(MAX)),
                        new Kind("000000056162636465000000", in -> in.string(MAX)),
                        new Kind("000000020000000000000000", in -> in.count(4, MAX)));
        for (var kind : kinds) {
            byte[] whole = bytes(kind.hex());
            for (int length = 0; length < whole.length; length++) {
                var in = new XdrReader(MemorySegment.ofArray(whole).asSlice(0, length));
                assertThrows(XdrException.class, () -> kind.take().from(in), kind.hex());
            }
        }
    }

    @Test
    void refusesLengthsBeyondTheirLimitBeforeItReadsTheData() {
        for (var length : List.of("00000009", "7fffffff", "80000000", "ffffffff")) {
            assertThrows(XdrException.class, () -> reader(length).opaque(8));
            assertThrows(XdrException.class, () -> reader(length).bytes(8));
            assertThrows(XdrException.class, () -> reader(length).string(8));
            assertThrows(XdrException.class, () -> reader(length).bulk(8));
            assertThrows(XdrException.class, () -> reader(length).opaque(0xffff_ffffL));
            assertThrows(XdrException.class, () -> reader(length).count(1, 8));
            assertThrows(XdrException.class, () -> reader(length).count(1 << 20, MAX));
        }
    }

    @Test
    void refusesBooleansThatAreNeitherZeroNorOne() {
        for (var word : List.of("00000002", "00000100", "ffffffff", "80000001")) {
            assertThrows(XdrException.class, () -> reader(word).bool(), word);
        }
    }

    @Test
    void acceptsOnlyUtf8InStrings() throws Exception {
        assertEquals("\ufffd", reader("00000003efbfbd00").string(3));
        assertEquals("\ud83d\ude00", reader("00000004f09f9880").string(4));
        for (var bad :
                List.of("00000001ff000000", "00000002c0800000", "00000003eda08000", "00000001c3")) {
            assertThrows(XdrException.class, () -> reader(bad).string(8), bad);
        }
    }

    @Test
    void ignoresTheContentOfPadding() throws Exception {
        var in = reader("00000001aaffffff", "00000007");
        assertArrayEquals(bytes("aa"), array(in.opaque(1)));
        assertEquals(7, in.uint32());
    }

    @Test
    void refusesBytesAfterTheLastItem() throws Exception {
        var in = reader("00000001", "00");
        in.uint32();
        var left = assertThrows(XdrException.class, in::finish);
        assertEquals("the message has 1 bytes after its last item", left.getMessage());
    }

    @Test
    void refusesAFixedLengthThatNoStreamHas() {
        var in = reader("00000001");
        assertThrows(XdrException.class, () -> in.fixedOpaque(Long.MAX_VALUE));
        assertThrows(XdrException.class, () -> in.fixedOpaque(Long.MAX_VALUE - 3));
    }

    /**
     * RFC 8166, Section 3.4.5: a Position counts the bytes of the unreduced stream. That includes
     * data and padding that are absent from the reduced stream.
     */
    @Test
    @Tag("5666-3.7-2")
    void countsPositionsOfTheUnreducedStream() throws Exception {
        var asked = new ArrayList<Long>();
        var placed = MemorySegment.ofArray(new byte[4093]);
        var placements = new Recorded(asked, List.of(placed));
        var in =
                new XdrReader(
                        MemorySegment.ofArray(bytes("00000001" + "00000ffd" + "00000002")),
                        placements);
        in.uint32();
        assertEquals(placed, in.bulk(MAX));
        assertEquals(8 + 4096, in.position());
        assertEquals(2, in.uint32());
        assertEquals(12 + 4096, in.position());
        in.finish();
        assertEquals(List.of(8L, 4093L), asked);
    }

    @Test
    void readsABulkItemInTheStream() throws Exception {
        var asked = new ArrayList<Long>();
        var in =
                new XdrReader(
                        MemorySegment.ofArray(bytes("00000002aabb0000")),
                        new Recorded(asked, List.of()));
        assertArrayEquals(bytes("aabb"), array(in.bulk(2)));
        assertEquals(8, in.position());
        in.finish();
    }

    @Test
    void passesOnFaultsOfThePlacements() throws Exception {
        var placements = new Recorded(new ArrayList<>(), List.of(MemorySegment.NULL));
        var in = new XdrReader(MemorySegment.ofArray(new byte[0]), placements);
        assertThrows(XdrException.class, in::finish);
        in.absentBulk();
        in.finish();
    }

    @Test
    void viewsShareTheMemoryOfTheStream() throws Exception {
        byte[] message = "\0\0\0\4abcd".getBytes(StandardCharsets.US_ASCII);
        var view = new XdrReader(MemorySegment.ofArray(message)).opaque(4);
        message[4] = 'x';
        assertArrayEquals("xbcd".getBytes(StandardCharsets.US_ASCII), array(view));
    }

    private interface Take {
        void from(XdrReader in) throws XdrException;
    }

    /** Returns segments in order, and records the arguments of each {@link #take}. */
    private static final class Recorded implements Placements {
        private final List<Long> asked;
        private final ArrayList<MemorySegment> left;

        Recorded(List<Long> asked, List<MemorySegment> placed) {
            this.asked = asked;
            this.left = new ArrayList<>(placed);
        }

        @Override
        public MemorySegment take(long position, long count) {
            asked.add(position);
            asked.add(count);
            return left.isEmpty() ? null : left.removeFirst();
        }

        @Override
        public void skipAbsent() {
            left.removeFirst();
        }

        @Override
        public void finish() throws XdrException {
            if (!left.isEmpty()) {
                throw new XdrException("a placed item was not read");
            }
        }
    }

    private static XdrReader reader(String... hex) {
        return new XdrReader(MemorySegment.ofArray(bytes(String.join("", hex))));
    }

    private static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex);
    }

    private static byte[] array(MemorySegment segment) {
        return segment.toArray(ValueLayout.JAVA_BYTE);
    }
}
