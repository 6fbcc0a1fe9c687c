package io.github.rpcrdma4j.xdr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.memory.SegmentPool;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Method: a message of a word, a bulk item of three bytes, a word, and an empty bulk item. */
class PayloadStreamTest {
    private static final String WHOLE = "000000010000000311223300" + "00000002" + "00000000";

    private final SegmentPool pool = new SegmentPool(1 << 20);
    private XdrWriter message;

    @BeforeEach
    void write() {
        message = new XdrWriter(pool);
        message.uint32(1).bulk(MemorySegment.ofArray(new byte[] {0x11, 0x22, 0x33}));
        message.uint32(2).bulk(MemorySegment.ofArray(new byte[0]));
    }

    @AfterEach
    void checkNothingLeaks() {
        message.close();
        assertEquals(0, pool.leased());
    }

    @Test
    @Tag("8166-3.5.3-6")
    void putsBulkItemsAndTheirPaddingBack() {
        var payload = PayloadStream.of(message);
        assertEquals(message.position(), payload.length());
        assertEquals(WHOLE, hex(payload));
        assertTrue(payload.segments().stream().noneMatch(segment -> segment.byteSize() == 0));
    }

    @Test
    @Tag("8166-3.4.4.4-2")
    @Tag("8166-3.4.4.1-1")
    @Tag("5666-3.4-8")
    void leavesReducedItemsOutWithTheirPadding() {
        var items = message.bulkItems();
        var stream = message.reducedStream();
        var first = new BitSet();
        first.set(0);
        assertEquals(
                "000000010000000300000002" + "00000000",
                hex(PayloadStream.of(stream, items, first)));
        var both = new BitSet();
        both.set(0, 2);
        assertEquals(List.of(stream), PayloadStream.of(stream, items, both).segments());
    }

    @Test
    void cutsEveryRange() {
        var payload = PayloadStream.of(message);
        for (int from = 0; from <= payload.length(); from++) {
            for (int to = from; to <= payload.length(); to++) {
                var cut = new StringBuilder();
                payload.range(from, to - from).forEach(segment -> cut.append(hex(segment)));
                assertEquals(WHOLE.substring(2 * from, 2 * to), cut.toString());
            }
        }
    }

    private static String hex(PayloadStream payload) {
        var whole = MemorySegment.ofArray(new byte[(int) payload.length()]);
        payload.copyTo(whole);
        return hex(whole);
    }

    private static String hex(MemorySegment bytes) {
        return HexFormat.of().formatHex(bytes.toArray(ValueLayout.JAVA_BYTE));
    }
}
