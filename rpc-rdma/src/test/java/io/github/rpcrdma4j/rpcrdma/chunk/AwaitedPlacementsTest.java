package io.github.rpcrdma4j.rpcrdma.chunk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.xdr.Placements;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: a call can be read over before its Read chunks are fetched (RFC 8166, Section 3.4.5). */
class AwaitedPlacementsTest {
    private static ReadSegment segment(int position, int length) {
        return new ReadSegment(position, new Segment(1, length, 0));
    }

    private static XdrReader words(Placements placements, int... words) {
        var out = ByteBuffer.allocate(words.length * Integer.BYTES);
        for (int word : words) {
            out.putInt(word);
        }
        return new XdrReader(MemorySegment.ofArray(out.array()), placements);
    }

    @Test
    void aCallWithoutChunksAwaitsNothing() {
        assertSame(Placements.NONE, AwaitedPlacements.of(List.of()));
    }

    @Test
    void anItemIsAwaitedAtThePositionOfItsChunkWithOrWithoutPadding() {
        var awaited = AwaitedPlacements.of(List.of(segment(8, 3), segment(40, 9), segment(8, 3)));
        assertTrue(awaited.awaits(8, 6));
        assertTrue(awaited.awaits(40, 9));
        assertFalse(awaited.awaits(8, 5));
        assertFalse(awaited.awaits(8, 7));
        assertFalse(awaited.awaits(12, 6));
        var padded = AwaitedPlacements.of(List.of(segment(-4, 8)));
        assertTrue(padded.awaits(0xfffffffcL, 5));
        assertTrue(padded.awaits(0xfffffffcL, 8));
        assertFalse(padded.awaits(0xfffffffcL, 4));
        assertFalse(padded.awaits(-4, 8));
    }

    @Test
    void theMessageItselfIsNoItem() {
        assertFalse(AwaitedPlacements.of(List.of(segment(0, 8))).awaits(0, 8));
    }

    @Test
    void aReaderReadsOverWhatIsAwaitedAndNeverReadsTheStreamInItsPlace() throws Exception {
        var awaited = AwaitedPlacements.of(List.of(segment(4, 6), segment(16, 4)));
        for (var in : List.of(words(awaited, 6, 4, 4, 7), words(awaited, 6, 4, 4, 7).peek())) {
            assertThrows(XdrException.class, () -> in.peek().bulk(6));
            in.skipBulk(6);
            in.skipBulk(4);
            assertEquals(Integer.BYTES + 8 + Integer.BYTES + 4, in.position());
            // This one is in the stream.
            in.skipBulk(4);
            assertEquals(0, in.remaining());
        }
    }
}
