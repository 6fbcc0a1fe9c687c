package io.github.rpcrdma4j.interop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.MemoryRegion;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Goal: an octet in the wrong place is found. Method: put octets there as a peer would. */
class OfferedMemoryTest {
    private static final Layout LAYOUT = Layout.of(5, 1, 7);

    private final ProtectionDomain domain = new IwarpProvider().allocateProtectionDomain();
    private final List<MemoryRegion> regions = new ArrayList<>();

    /** A domain that lets the test see what was registered. */
    private final ProtectionDomain seen =
            new ProtectionDomain() {
                @Override
                public MemoryRegion register(MemorySegment memory, Set<Access> access) {
                    regions.add(domain.register(memory, access));
                    return regions.getLast();
                }

                @Override
                public int registeredRegions() {
                    return domain.registeredRegions();
                }

                @Override
                public void close() {
                    domain.close();
                }
            };

    private OfferedMemory sink(Layout layout) {
        return new OfferedMemory(seen, layout, EnumSet.of(Access.REMOTE_WRITE));
    }

    /** Writes as a peer that has the address of a segment. */
    private void write(Segment target, long at, int... octets) {
        var region =
                regions.stream()
                        .filter(each -> each.handle() == target.handle())
                        .findFirst()
                        .orElseThrow();
        long from = target.offset() + at - region.address();
        for (int i = 0; i < octets.length; i++) {
            region.segment().set(ValueLayout.JAVA_BYTE, from + i, (byte) octets[i]);
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
    void findsAnOctetBehindTheWrittenOnes() {
        var memory = sink(LAYOUT);
        write(memory.chunk().segments().get(2), 2, 9);
        memory.take(8);
        assertThrows(Mismatch.class, memory::requireUntouched);
    }

    @Test
    void findsAnOctetBetweenTheSegments() {
        var memory = sink(LAYOUT);
        write(memory.chunk().segments().get(0), 5, 9);
        memory.take(13);
        assertThrows(Mismatch.class, memory::requireUntouched);
    }

    @Test
    void findsAChangeOfWhatWasOnlyToBeRead() {
        var memory =
                new OfferedMemory(seen, LAYOUT, EnumSet.of(Access.REMOTE_READ)).fill(new byte[13]);
        assertDoesNotThrow(memory::requireUntouched);
        write(memory.chunk().segments().get(1), 0, 9);
        assertThrows(Mismatch.class, memory::requireUntouched);
    }

    @Test
    void tellsWhichHandleWasInvalidated() throws Mismatch {
        var memory = sink(LAYOUT.eachApart());
        memory.requireValidBut(OptionalInt.empty());
        var second = regions.get(1);
        second.invalidate();
        memory.requireValidBut(OptionalInt.of(second.handle()));
        assertThrows(Mismatch.class, () -> memory.requireValidBut(OptionalInt.empty()));
    }
}
