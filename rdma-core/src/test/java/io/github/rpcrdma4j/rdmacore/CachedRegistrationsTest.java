package io.github.rpcrdma4j.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CachedRegistrationsTest {
    private static final int ACCESS = 1;
    private static final int COUNT_MAX = 4;
    private static final long BYTES_MAX = 1000;

    private final List<Long> ended = new ArrayList<>();
    private final CachedRegistrations cached =
            new CachedRegistrations(COUNT_MAX, BYTES_MAX, ended::add);

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
            assertEquals(0, cached.take(memory, ACCESS));
            cached.give(memory, ACCESS, 7);
            assertEquals(7, cached.take(memory, ACCESS));
            assertEquals(0, cached.take(memory, ACCESS));
            assertEquals(List.of(), ended);
        }
    }

    @Test
    void aRegistrationIsForItsMemoryAndItsAccess() {
        try (var arena = Arena.ofShared()) {
            var memory = arena.allocate(100);
            cached.give(memory, ACCESS, 7);
            assertEquals(0, cached.take(memory, 0));
            assertEquals(0, cached.take(memory.asSlice(0, 99), ACCESS));
            assertEquals(0, cached.take(memory.asSlice(1), ACCESS));
            assertEquals(7, cached.take(memory.asSlice(0, 100), ACCESS));
        }
    }

    @Test
    void theMemoryOfAClosedArenaIsForgotten() {
        try (var next = Arena.ofShared()) {
            MemorySegment memory;
            try (var arena = Arena.ofShared()) {
                memory = arena.allocate(100);
                cached.give(memory, ACCESS, 7);
                cached.tidy();
                assertEquals(1, cached.size());
            }
            assertEquals(0, cached.take(again(memory, next), ACCESS));
            assertEquals(List.of(7L), ended);
            assertEquals(0, cached.size());
        }
    }

    @Test
    void tidyingEndsTheRegistrationsOfClosedArenas() {
        try (var open = Arena.ofShared()) {
            cached.give(open.allocate(10), ACCESS, 8);
            try (var arena = Arena.ofShared()) {
                cached.give(arena.allocate(100), ACCESS, 7);
            }
            cached.tidy();
            assertEquals(List.of(7L), ended);
            assertEquals(1, cached.size());
        }
    }

    @Test
    void anotherArenaAtTheAddressGetsNoRegistration() {
        try (var arena = Arena.ofShared();
                var other = Arena.ofShared()) {
            var memory = arena.allocate(100);
            cached.give(memory, ACCESS, 7);
            assertEquals(0, cached.take(again(memory, other), ACCESS));
            assertEquals(List.of(7L), ended);
        }
    }

    /** Foreign memory counts as memory of the global arena, even after it was freed. */
    @Test
    void memoryOfTheGlobalArenaIsNotCached() {
        cached.give(Arena.global().allocate(100), ACCESS, 7);
        try (var arena = Arena.ofShared()) {
            cached.give(foreign(arena.allocate(100)), ACCESS, 8);
        }
        assertEquals(List.of(7L, 8L), ended);
        assertEquals(0, cached.size());
    }

    @SuppressWarnings("restricted")
    private static MemorySegment foreign(MemorySegment memory) {
        return MemorySegment.ofAddress(memory.address()).reinterpret(memory.byteSize());
    }

    @Test
    void theLongestUnusedEndFirst() {
        try (var arena = Arena.ofShared()) {
            var first = arena.allocate(10);
            cached.give(first, ACCESS, 1);
            for (int i = 2; i <= COUNT_MAX; i++) {
                cached.give(arena.allocate(10), ACCESS, i);
            }
            assertEquals(1, cached.take(first, ACCESS));
            cached.give(first, ACCESS, 1);
            cached.give(arena.allocate(10), ACCESS, 9);
            assertEquals(List.of(2L), ended);
            assertEquals(COUNT_MAX, cached.size());
        }
    }

    @Test
    void allTogetherHaveABoundInBytes() {
        try (var arena = Arena.ofShared()) {
            cached.give(arena.allocate(BYTES_MAX + 1), ACCESS, 1);
            assertEquals(List.of(1L), ended);
            cached.give(arena.allocate(BYTES_MAX - 1), ACCESS, 2);
            cached.give(arena.allocate(1), ACCESS, 3);
            assertEquals(List.of(1L), ended);
            cached.give(arena.allocate(1), ACCESS, 4);
            assertEquals(List.of(1L, 2L), ended);
            assertEquals(2, cached.size());
        }
    }

    @Test
    void aSecondRegistrationOfTheMemoryReplacesTheFirst() {
        try (var arena = Arena.ofShared()) {
            var memory = arena.allocate(600);
            cached.give(memory, ACCESS, 1);
            cached.give(memory, ACCESS, 2);
            assertEquals(List.of(1L), ended);
            cached.give(arena.allocate(400), ACCESS, 3);
            assertEquals(List.of(1L), ended);
            assertEquals(2, cached.take(memory, ACCESS));
        }
    }

    @Test
    void nothingIsCachedOnceClosed() {
        try (var arena = Arena.ofShared()) {
            cached.give(arena.allocate(10), ACCESS, 1);
            cached.close();
            cached.give(arena.allocate(10), ACCESS, 2);
            assertEquals(List.of(1L, 2L), ended);
            assertEquals(0, cached.size());
        }
    }

    @Test
    void clearingTellsWhetherItFreedMemory() {
        assertFalse(cached.clear());
        try (var arena = Arena.ofShared()) {
            cached.give(arena.allocate(10), ACCESS, 1);
            assertTrue(cached.clear());
            assertFalse(cached.clear());
        }
    }

    /** Memory of an automatic arena lives as long as its segments do, not longer. */
    @Test
    void aCachedRegistrationLetsItsMemoryBeCollected() {
        give(Arena.ofAuto());
        long start = System.nanoTime();
        while (cached.size() > 0 && System.nanoTime() - start < 20_000_000_000L) {
            System.gc();
            cached.tidy();
        }
        assertEquals(List.of(5L), ended);
    }

    private void give(Arena arena) {
        cached.give(arena.allocate(10), ACCESS, 5);
    }
}
