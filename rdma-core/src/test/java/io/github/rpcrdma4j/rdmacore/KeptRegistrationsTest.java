package io.github.rpcrdma4j.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class KeptRegistrationsTest {
    private static final int ACCESS = 1;
    private static final int COUNT_MAX = 4;
    private static final long BYTES_MAX = 1000;

    private final List<Long> unpinned = new ArrayList<>();
    private final KeptRegistrations kept =
            new KeptRegistrations(COUNT_MAX, BYTES_MAX, unpinned::add);

    /** Returns memory at the same address and with the same length, of another arena. */
    @SuppressWarnings("restricted")
    private static MemorySegment again(MemorySegment memory, Arena arena) {
        return MemorySegment.ofAddress(memory.address())
                .reinterpret(memory.byteSize(), arena, null);
    }

    @Test
    void aRegistrationIsTakenOnce() {
        try (var arena = Arena.ofShared()) {
            var memory = arena.allocate(100);
            assertEquals(0, kept.take(memory, ACCESS));
            kept.give(memory, ACCESS, 7);
            assertEquals(7, kept.take(memory, ACCESS));
            assertEquals(0, kept.take(memory, ACCESS));
            assertEquals(List.of(), unpinned);
        }
    }

    @Test
    void aRegistrationIsForItsMemoryAndItsAccess() {
        try (var arena = Arena.ofShared()) {
            var memory = arena.allocate(100);
            kept.give(memory, ACCESS, 7);
            assertEquals(0, kept.take(memory, 0));
            assertEquals(0, kept.take(memory.asSlice(0, 99), ACCESS));
            assertEquals(0, kept.take(memory.asSlice(1), ACCESS));
            assertEquals(7, kept.take(memory.asSlice(0, 100), ACCESS));
        }
    }

    @Test
    void theMemoryOfAClosedArenaIsForgotten() {
        try (var next = Arena.ofShared()) {
            MemorySegment memory;
            try (var arena = Arena.ofShared()) {
                memory = arena.allocate(100);
                kept.give(memory, ACCESS, 7);
                kept.tidy();
                assertEquals(1, kept.size());
            }
            assertEquals(0, kept.take(again(memory, next), ACCESS));
            assertEquals(List.of(7L), unpinned);
            assertEquals(0, kept.size());
        }
    }

    @Test
    void tidyingEndsTheRegistrationsOfClosedArenas() {
        try (var open = Arena.ofShared()) {
            kept.give(open.allocate(10), ACCESS, 8);
            try (var arena = Arena.ofShared()) {
                kept.give(arena.allocate(100), ACCESS, 7);
            }
            kept.tidy();
            assertEquals(List.of(7L), unpinned);
            assertEquals(1, kept.size());
        }
    }

    @Test
    void anotherArenaAtTheAddressGetsNoRegistration() {
        try (var arena = Arena.ofShared();
                var other = Arena.ofShared()) {
            var memory = arena.allocate(100);
            kept.give(memory, ACCESS, 7);
            assertEquals(0, kept.take(again(memory, other), ACCESS));
            assertEquals(List.of(7L), unpinned);
        }
    }

    /** Foreign memory counts as memory of the global arena, even after it was freed. */
    @Test
    void memoryOfTheGlobalArenaIsNotKept() {
        kept.give(Arena.global().allocate(100), ACCESS, 7);
        try (var arena = Arena.ofShared()) {
            kept.give(foreign(arena.allocate(100)), ACCESS, 8);
        }
        assertEquals(List.of(7L, 8L), unpinned);
        assertEquals(0, kept.size());
    }

    @SuppressWarnings("restricted")
    private static MemorySegment foreign(MemorySegment memory) {
        return MemorySegment.ofAddress(memory.address()).reinterpret(memory.byteSize());
    }

    @Test
    void theLongestUnusedEndFirst() {
        try (var arena = Arena.ofShared()) {
            var first = arena.allocate(10);
            kept.give(first, ACCESS, 1);
            for (int i = 2; i <= COUNT_MAX; i++) {
                kept.give(arena.allocate(10), ACCESS, i);
            }
            assertEquals(1, kept.take(first, ACCESS));
            kept.give(first, ACCESS, 1);
            kept.give(arena.allocate(10), ACCESS, 9);
            assertEquals(List.of(2L), unpinned);
            assertEquals(COUNT_MAX, kept.size());
        }
    }

    @Test
    void allTogetherHaveABoundInBytes() {
        try (var arena = Arena.ofShared()) {
            kept.give(arena.allocate(BYTES_MAX + 1), ACCESS, 1);
            assertEquals(List.of(1L), unpinned);
            kept.give(arena.allocate(BYTES_MAX - 1), ACCESS, 2);
            kept.give(arena.allocate(1), ACCESS, 3);
            assertEquals(List.of(1L), unpinned);
            kept.give(arena.allocate(1), ACCESS, 4);
            assertEquals(List.of(1L, 2L), unpinned);
            assertEquals(2, kept.size());
        }
    }

    @Test
    void aSecondRegistrationOfTheMemoryReplacesTheFirst() {
        try (var arena = Arena.ofShared()) {
            var memory = arena.allocate(600);
            kept.give(memory, ACCESS, 1);
            kept.give(memory, ACCESS, 2);
            assertEquals(List.of(1L), unpinned);
            kept.give(arena.allocate(400), ACCESS, 3);
            assertEquals(List.of(1L), unpinned);
            assertEquals(2, kept.take(memory, ACCESS));
        }
    }

    @Test
    void nothingIsKeptOnceClosed() {
        try (var arena = Arena.ofShared()) {
            kept.give(arena.allocate(10), ACCESS, 1);
            kept.close();
            kept.give(arena.allocate(10), ACCESS, 2);
            assertEquals(List.of(1L, 2L), unpinned);
            assertEquals(0, kept.size());
        }
    }

    @Test
    void clearingTellsWhetherItFreedMemory() {
        assertFalse(kept.clear());
        try (var arena = Arena.ofShared()) {
            kept.give(arena.allocate(10), ACCESS, 1);
            assertTrue(kept.clear());
            assertFalse(kept.clear());
        }
    }

    /** Memory of an automatic arena lives as long as its segments do, not longer. */
    @Test
    void keepsNoMemoryFromBeingCollected() {
        give(Arena.ofAuto());
        long start = System.nanoTime();
        while (kept.size() > 0 && System.nanoTime() - start < 20_000_000_000L) {
            System.gc();
            kept.tidy();
        }
        assertEquals(List.of(5L), unpinned);
    }

    private void give(Arena arena) {
        kept.give(arena.allocate(10), ACCESS, 5);
    }
}
