package io.github.rpcrdma4j.interop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.MemoryWindow;
import io.github.rpcrdma4j.verbs.software.SoftwareDomain;
import io.github.rpcrdma4j.verbs.software.SoftwareWindows;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Goal: OfferedMemory finds a byte written to the wrong place. Method: write bytes as a peer would.
 */
class OfferedMemoryTest {
    private static final Layout LAYOUT = Layout.of(5, 1, 7);

    private final SoftwareDomain domain = new SoftwareDomain(new Random(1));
    private final SoftwareWindows windows = domain.windows();

    private MemoryWindow open(MemorySegment memory, long offset, long length, Set<Access> access) {
        return windows.bind(domain.register(memory), offset, length, access);
    }

    private OfferedMemory sink(Layout layout) {
        return new OfferedMemory(this::open, layout, EnumSet.of(Access.REMOTE_WRITE));
    }

    /** Writes as a peer that has the address of a segment, without a check of bounds. */
    private void write(Segment target, long at, int... bytes) {
        var window = windows.find(target.handle());
        long from = window.at(target.offset() + at);
        for (int i = 0; i < bytes.length; i++) {
            window.region().segment().set(ValueLayout.JAVA_BYTE, from + i, (byte) bytes[i]);
        }
    }

    @Test
    void givesWhatWasWrittenToTheSegments() throws Mismatch {
        for (var layout : List.of(LAYOUT, LAYOUT.eachApart())) {
            var memory = sink(layout);
            var segments = memory.chunk().segments();
            write(segments.get(0), 0, 1, 2, 3, 4, 5);
            write(segments.get(1), 0, 6);
            write(segments.get(2), 0, 7, 8);
            assertArrayEquals(new byte[] {1, 2, 3, 4, 5, 6, 7, 8}, memory.take(8));
            memory.requireUntouched();
        }
    }

    @Test
    void returnsTheLengthsThatWereFilledInOrder() {
        var lengths = sink(LAYOUT).filled(8).segments().stream().map(Segment::length).toList();
        assertEquals(List.of(5, 1, 2), lengths);
    }

    @Test
    void findsAByteBehindTheWrittenOnes() {
        var memory = sink(LAYOUT);
        write(memory.chunk().segments().get(2), 2, 9);
        memory.take(8);
        assertThrows(Mismatch.class, memory::requireUntouched);
    }

    @Test
    void findsAByteBetweenTheSegments() {
        var memory = sink(LAYOUT);
        write(memory.chunk().segments().get(0), 5, 9);
        memory.take(13);
        assertThrows(Mismatch.class, memory::requireUntouched);
    }

    @Test
    void findsAChangeOfWhatWasOnlyToBeRead() {
        var memory =
                new OfferedMemory(this::open, LAYOUT, EnumSet.of(Access.REMOTE_READ))
                        .fill(new byte[13]);
        assertDoesNotThrow(memory::requireUntouched);
        write(memory.chunk().segments().get(1), 0, 9);
        assertThrows(Mismatch.class, memory::requireUntouched);
    }

    @Test
    void detectsWhichHandleWasInvalidated() throws Mismatch {
        var memory = sink(LAYOUT.eachApart());
        memory.requireValidBut(OptionalInt.empty());
        int second = memory.chunk().segments().get(1).handle();
        windows.find(second).invalidate();
        memory.requireValidBut(OptionalInt.of(second));
        assertThrows(Mismatch.class, () -> memory.requireValidBut(OptionalInt.empty()));
    }
}
