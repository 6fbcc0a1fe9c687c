package io.github.rpcrdma4j.xdr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: what a peeking reader reads stays unread in the original. */
class PeekTest {
    private static MemorySegment words(int... words) {
        var out = ByteBuffer.allocate(words.length * Integer.BYTES);
        for (int word : words) {
            out.putInt(word);
        }
        return MemorySegment.ofArray(out.array());
    }

    /** Items that are found by their position. */
    private static Placements placed(BulkItem... items) {
        return new PeekedPlacements(Placements.NONE, new ArrayList<>(List.of(items)));
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
    void aPlacedItemThatDoesNotFitIsRefused() {
        var item = new BulkItem(4, words(7), 0);
        assertThrows(
                XdrException.class, () -> new XdrReader(words(8), placed(item)).peek().bulk(8));
        assertThrows(
                XdrException.class, () -> new XdrReader(words(), placed(item)).peek().finish());
    }
}
