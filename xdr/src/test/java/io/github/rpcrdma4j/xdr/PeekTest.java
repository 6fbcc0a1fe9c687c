package io.github.rpcrdma4j.xdr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: what a peeking reader reads stays unread in the original. */
class PeekTest {
    private static final ValueLayout.OfInt UINT32 =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static MemorySegment words(int... words) {
        var out = ByteBuffer.allocate(words.length * Integer.BYTES);
        for (int word : words) {
            out.putInt(word);
        }
        return MemorySegment.ofArray(out.array());
    }

    /** Items that are found by their position. */
    private static Placements placed(BulkItem... items) {
        return new PeekedPlacements(Placements.NONE, List.of(items));
    }

    @Test
    void readsFromWhereTheOriginalStands() throws Exception {
        var original = new XdrReader(words(1, 2, 3));
        assertEquals(1, original.uint32());
        var peek = original.peek();
        assertEquals(Integer.BYTES, peek.position());
        assertEquals(2, peek.uint32());
        assertEquals(3, peek.uint32());
        peek.finish();
        assertEquals(2, original.uint32());
        assertEquals(3, original.peek().uint32());
    }

    @Test
    void bothReadThePlacedItems() throws Exception {
        var data = words(7, 8);
        var original = new XdrReader(words(8, 5, 8, 6), placed(new BulkItem(4, data, 0)));
        var peek = original.peek();
        assertEquals(-1, peek.bulk(8).mismatch(data));
        assertEquals(5, peek.uint32());
        assertEquals(-1, original.bulk(8).mismatch(data));
        assertEquals(original.position(), peek.position() - Integer.BYTES);
        assertEquals(5, original.uint32());
    }

    @Test
    void whatIsReadOverEndsWhereWhatIsReadEnds() throws Exception {
        var words = words(8, 5, 3, 0x01020300, 6);
        var item = new BulkItem(4, words(7, 8), 0);
        for (var placements : List.of(Placements.NONE, placed(item))) {
            var message = placements == Placements.NONE ? words(8, 7, 8, 5, 3, 0, 6) : words;
            var original = new XdrReader(message, placements);
            var over = original.peek();
            assertEquals(8, original.bulk(8).byteSize());
            over.skipBulk(8);
            assertEquals(original.position(), over.position());
            assertEquals(5, over.peekUint32());
            assertEquals(5, over.uint32());
            over.skipBulk(3);
            assertEquals(6, over.uint32());
            over.finish();
            assertThrows(XdrException.class, over::peekUint32);
        }
    }

    @Test
    void whatThePeekingReaderTakesIsStillOnTheListOfTheOriginal() throws Exception {
        var first = new BulkItem(4, words(7, 8), 0);
        var second = new BulkItem(16, words(9), 0);
        var original = new XdrReader(words(8, 4), placed(first, second));
        var peek = original.peek();
        peek.skipBulk(8);
        peek.skipBulk(4);
        assertFalse(peek.hasPlacedData());
        assertTrue(original.hasPlacedData());
        assertEquals(8, original.bulk(8).byteSize());
        assertEquals(9, original.peek().bulk(4).toArray(UINT32)[0]);
        assertTrue(original.hasPlacedData());
    }

    @Test
    void aPlacedItemThatDoesNotFitIsRefused() {
        var item = new BulkItem(4, words(7), 0);
        assertThrows(
                XdrException.class, () -> new XdrReader(words(8), placed(item)).peek().bulk(8));
        assertThrows(
                XdrException.class, () -> new XdrReader(words(), placed(item)).peek().finish());
    }
}
