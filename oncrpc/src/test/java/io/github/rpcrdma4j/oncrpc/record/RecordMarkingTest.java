package io.github.rpcrdma4j.oncrpc.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.Golden;
import io.github.rpcrdma4j.oncrpc.record.RecordMarking.Step;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RecordMarkingTest {
    private static final int RECORD_MAX = 1 << 20;
    private static final int SMALL = 100_000;

    /**
     * Three records: one with an empty fragment between two others, an empty one, and one with a
     * single fragment.
     */
    private static final String STREAM =
            "00000003aabbcc" + "00000000" + "80000001dd" + "80000000" + "8000000411223344";

    private static final List<String> RECORDS = List.of("aabbccdd", "", "11223344");

    private final SegmentPool pool = new SegmentPool(8 << 20);
    private final RecordMarking.Decoder decoder = new RecordMarking.Decoder(pool, RECORD_MAX);

    @AfterEach
    void everythingIsGivenBack() {
        decoder.close();
        decoder.close();
        assertEquals(0, pool.leased());
    }

    @Test
    void decodesRecordsOfSeveralFragments() {
        assertEquals(RECORDS, decode(bytes(STREAM)));
        assertFalse(decoder.inRecord());
    }

    /**
     * Goal: the segmentation of the stream makes no difference. Method: cut it at every pair of
     * places.
     */
    @Test
    void decodesTheSameWhereverTheStreamIsCut() {
        var stream = bytes(STREAM);
        for (int first = 0; first <= stream.byteSize(); first++) {
            for (int second = first; second <= stream.byteSize(); second++) {
                var records = new ArrayList<String>();
                records.addAll(decode(stream.asSlice(0, first)));
                records.addAll(decode(stream.asSlice(first, second - first)));
                records.addAll(decode(stream.asSlice(second)));
                assertEquals(RECORDS, records, first + ", " + second);
            }
        }
    }

    @Test
    void knowsWhetherARecordHasBegun() {
        var stream = bytes("00000001aa" + "80000001bb");
        for (int i = 0; i < stream.byteSize() - 1; i++) {
            assertInstanceOf(Step.More.class, decoder.take(stream.asSlice(i, 1)));
            assertTrue(decoder.inRecord());
        }
        assertEquals(List.of("aabb"), decode(stream.asSlice(stream.byteSize() - 1)));
        assertFalse(decoder.inRecord());
    }

    @Test
    void takesTheLongestRecordAndNoLonger() {
        var longest = MemorySegment.ofArray(new byte[4 + RECORD_MAX]);
        longest.copyFrom(bytes("80100000"));
        assertEquals(
                List.of(2 * RECORD_MAX), decode(longest).stream().map(String::length).toList());
        long all = Integer.MAX_VALUE;
        for (var mark :
                Map.of("80100001", 1048577L, "ffffffff", all, "00100001", 1048577L).entrySet()) {
            try (var fresh = new RecordMarking.Decoder(pool, RECORD_MAX)) {
                var broken = assertInstanceOf(Step.Broken.class, fresh.take(bytes(mark.getKey())));
                assertEquals(
                        "a record of at least "
                                + mark.getValue()
                                + " bytes is longer than the limit of 1048576 bytes",
                        broken.why());
                assertEquals(broken, fresh.take(bytes("80000000")));
            }
        }
    }

    @Test
    void countsAllFragmentsOfARecordTogether() {
        decode(MemorySegment.ofArray(new byte[4 + RECORD_MAX]).copyFrom(bytes("00100000")));
        assertEquals(1, pool.leased());
        assertInstanceOf(Step.Broken.class, decoder.take(bytes("80000001")));
        assertEquals(0, pool.leased());
    }

    @Test
    void refusesEndlessEmptyFragments() {
        var empty = MemorySegment.ofArray(new byte[4 * RecordMarking.FRAGMENTS_MAX]);
        assertInstanceOf(Step.More.class, decoder.take(empty));
        var broken = assertInstanceOf(Step.Broken.class, decoder.take(bytes("80000000")));
        assertEquals("a record has more than 4096 fragments", broken.why());
    }

    /**
     * Goal: an announced length reserves little memory. Method: announce a long record and send one
     * byte.
     */
    @Test
    void reservesMemoryForWhatCameOnly() {
        var large = new RecordMarking.Decoder(pool, 1 << 30);
        decodeWith(large, bytes("c0000000"));
        assertEquals(0, pool.leased());
        decodeWith(large, bytes("00"));
        large.close();
        assertEquals(16 << 10, pool.kept());
    }

    @Test
    void encodesOneMarkedFragmentFromWhereItLies() {
        try (var message = new XdrWriter(pool)) {
            var data = MemorySegment.ofArray(new byte[] {1, 2, 3});
            message.uint32(7).bulk(data).uint32(8);
            var pieces = RecordMarking.encode(message);
            assertEquals(
                    "80000010" + "00000007" + "00000003" + "01020300" + "00000008", joined(pieces));
            assertTrue(pieces.contains(data));
        }
    }

    @Test
    void refusesAMessageThatNoFragmentHolds() {
        var part = MemorySegment.ofArray(new byte[1 << 24]);
        try (var message = new XdrWriter(pool)) {
            for (int i = 0; i < 128; i++) {
                message.bulk(part);
            }
            assertThrows(IllegalArgumentException.class, () -> RecordMarking.encode(message));
        }
    }

    @Test
    void decodesRandomRecordsInRandomPieces() {
        var given = System.getProperty("seed", "");
        long seed = given.isEmpty() ? System.nanoTime() : Long.parseLong(given);
        System.out.println("seed=" + seed);
        var random = new Random(seed);
        var records = new ArrayList<String>();
        var stream = new ByteArrayOutputStream();
        for (int i = 0; i < 30; i++) {
            byte[] record = new byte[random.nextInt(SMALL)];
            random.nextBytes(record);
            records.add(HexFormat.of().formatHex(record));
            int at = 0;
            while (random.nextInt(4) > 0) {
                int count = random.nextInt(record.length - at + 1);
                stream.writeBytes(ByteBuffer.allocate(4).putInt(count).array());
                stream.write(record, at, count);
                at += count;
            }
            int count = record.length - at;
            stream.writeBytes(ByteBuffer.allocate(4).putInt(count | 1 << 31).array());
            stream.write(record, at, count);
        }
        var whole = MemorySegment.ofArray(stream.toByteArray());
        var decoded = new ArrayList<String>();
        long at = 0;
        while (at < whole.byteSize()) {
            long count = Math.min(whole.byteSize() - at, random.nextLong(70_000));
            decoded.addAll(decode(whole.asSlice(at, count)));
            at += count;
        }
        assertEquals(records, decoded);
    }

    private List<String> decode(MemorySegment bytes) {
        return decodeWith(decoder, bytes);
    }

    private static List<String> decodeWith(RecordMarking.Decoder decoder, MemorySegment bytes) {
        var records = new ArrayList<String>();
        var left = bytes;
        while (true) {
            switch (decoder.take(left)) {
                case Step.More() -> {
                    return records;
                }
                case Step.Complete(var taken, var received) -> {
                    try (received) {
                        records.add(Golden.hex(received.message()));
                    }
                    left = left.asSlice(taken);
                }
                case Step.Broken(var why, _) -> throw new AssertionError(why);
            }
        }
    }

    private static String joined(List<MemorySegment> pieces) {
        var hex = new StringBuilder();
        pieces.forEach(piece -> hex.append(Golden.hex(piece)));
        return hex.toString();
    }

    private static MemorySegment bytes(String hex) {
        return MemorySegment.ofArray(HexFormat.of().parseHex(hex));
    }
}
