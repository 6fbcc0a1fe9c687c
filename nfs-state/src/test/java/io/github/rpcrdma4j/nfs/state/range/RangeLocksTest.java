package io.github.rpcrdma4j.nfs.state.range;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.sim.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Goal: the table of ranges does what POSIX says, for owners of any kind. */
class RangeLocksTest {
    private static final int MANY = 4000;

    /** A tree of 4000 random nodes is about 30 deep. */
    private static final int DEPTH_MAX = 80;

    private final RangeLocks<String> locks = new RangeLocks<>();

    private static ByteRange range(long first, long last) {
        return new ByteRange(first, last);
    }

    private static Optional<LockMode> some(LockMode type) {
        return Optional.of(type);
    }

    /** Every change of a lock over 10 to 19 by a lock of its owner; r and w are the types. */
    @ParameterizedTest
    @CsvSource({
        "READ,  READ,  0,  9,  r0-19",
        "READ,  WRITE, 0,  9,  w0-9 r10-19",
        "READ,  WRITE, 0,  14, w0-14 r15-19",
        "READ,  WRITE, 12, 14, r10-11 w12-14 r15-19",
        "READ,  READ,  12, 14, r10-19",
        "READ,  WRITE, 10, 19, w10-19",
        "READ,  WRITE, 5,  30, w5-30",
        "READ,  WRITE, 15, 30, r10-14 w15-30",
        "READ,  READ,  20, 30, r10-30",
        "READ,  READ,  21, 30, r10-19 r21-30",
        "WRITE, READ,  0,  9,  r0-9 w10-19",
        "WRITE, READ,  12, 14, w10-11 r12-14 w15-19",
        "WRITE, WRITE, 0,  30, w0-30",
        "WRITE, READ,  10, 10, r10-10 w11-19",
        "WRITE, READ,  19, 19, w10-18 r19-19",
        "WRITE, WRITE, 20, -1, w10-18446744073709551615",
    })
    void anOwnersLockReplacesWhatItHad(
            LockMode held, LockMode wanted, long first, long last, String expected) {
        locks.lock("a", held, range(10, 19), 0);
        locks.lock("a", wanted, range(first, last), 0);
        assertEquals(expected, text("a"));
        locks.unlock("a", ByteRange.ALL);
        assertTrue(locks.isEmpty());
    }

    @Test
    void locksWithDifferentTagsAreNotOne() {
        locks.lock("a", LockMode.WRITE, range(0, 9), 1);
        locks.lock("a", LockMode.WRITE, range(10, 19), 3);
        locks.lock("a", LockMode.WRITE, range(20, 29), 3);
        assertEquals("w0-9 w10-29", text("a"));
        locks.lock("a", LockMode.READ, range(5, 12), 5);
        locks.unlock("a", range(15, 15));
        assertEquals(
                List.of("w4-4 1", "r5-12 5", "w13-14 3", "w16-24 3"),
                locks.of("a", range(4, 24)).stream()
                        .map(
                                each ->
                                        (each.lock().type() == LockMode.READ ? "r" : "w")
                                                + each.lock().range().first()
                                                + "-"
                                                + each.lock().range().last()
                                                + " "
                                                + each.tag())
                        .toList());
        assertEquals(List.of(), locks.of("b", range(4, 24)));
        assertEquals(List.of(), locks.of("a", range(30, -1)));
    }

    private String text(String owner) {
        var parts = new ArrayList<String>();
        for (var each : locks.of(owner)) {
            parts.add(
                    (each.type() == LockMode.READ ? "r" : "w")
                            + Long.toUnsignedString(each.range().first())
                            + "-"
                            + Long.toUnsignedString(each.range().last()));
        }
        return String.join(" ", parts);
    }

    @Test
    void unlockingReturnsWhatWasHeld() {
        locks.lock("a", LockMode.READ, range(0, 9), 0);
        locks.lock("a", LockMode.WRITE, range(20, 29), 0);
        assertEquals(List.of(), locks.unlock("b", ByteRange.ALL));
        assertEquals(List.of(), locks.unlock("a", range(10, 19)));
        assertEquals(List.of(range(5, 9), range(20, 24)), locks.unlock("a", range(5, 24)));
        assertEquals("r0-4 w25-29", text("a"));
    }

    @Test
    void refusesToLockWhatAnotherHas() {
        locks.lock("a", LockMode.WRITE, range(5, 5), 0);
        assertThrows(
                IllegalStateException.class,
                () -> locks.lock("b", LockMode.READ, ByteRange.ALL, 0));
        assertFalse(locks.isOwner("b"));
    }

    @ParameterizedTest
    @CsvSource({
        "0,  0,  ",
        "5,  0,  ",
        "-1, 0,  ",
        "0,  1,  0-0",
        "5,  10, 5-14",
        "0,  -1, 0-18446744073709551615",
        "-1, -1, 18446744073709551615-18446744073709551615",
        "-1, 1,  ",
        "-2, 1,  18446744073709551614-18446744073709551614",
        "-2, 2,  ",
        "2,  -2, ",
        "1,  -2, 1-18446744073709551614",
        "9223372036854775807, 9223372036854775807, 9223372036854775807-18446744073709551613",
    })
    void rangesAreUnsigned(long offset, long length, String expected) {
        var range = ByteRange.of(offset, length);
        assertEquals(
                expected == null ? "" : expected,
                range.map(
                                each ->
                                        Long.toUnsignedString(each.first())
                                                + "-"
                                                + Long.toUnsignedString(each.last()))
                        .orElse(""));
        range.ifPresent(each -> assertEquals(each, ByteRange.of(offset, each.length()).get()));
    }

    @Test
    void theUnionIsTheStrongestLock() {
        locks.lock("a", LockMode.READ, range(10, 29), 0);
        locks.lock("b", LockMode.READ, range(20, 39), 0);
        locks.lock("c", LockMode.READ, range(12, 13), 0);
        locks.lock("c", LockMode.WRITE, range(40, 49), 0);
        assertEquals(
                List.of(
                        new RangeLocks.Part(range(0, 9), Optional.empty()),
                        new RangeLocks.Part(range(10, 39), some(LockMode.READ)),
                        new RangeLocks.Part(range(40, 49), some(LockMode.WRITE)),
                        new RangeLocks.Part(range(50, -1), Optional.empty())),
                locks.union(ByteRange.ALL));
        assertEquals(
                List.of(new RangeLocks.Part(range(15, 15), some(LockMode.READ))),
                locks.union(range(15, 15)));
    }

    @ParameterizedTest
    @EnumSource
    void aLookForAConflictPassesOverTheOwnersOwnRanges(LockMode type) {
        for (int i = 0; i < MANY; i++) {
            locks.lock("a", type, range(2 * i, 2 * i), 0);
        }
        locks.lock("b", LockMode.READ, range(2 * MANY, 2 * MANY), 0);
        long before = locks.steps();
        var found = locks.conflict("a", LockMode.WRITE, ByteRange.ALL);
        assertEquals("b", found.get().owner());
        assertTrue(locks.conflict("a", LockMode.WRITE, range(0, 2 * MANY - 1)).isEmpty());
        assertTrue(locks.steps() - before <= 4 * DEPTH_MAX, locks.steps() + " steps");
    }

    /** The order of the tree follows from the numbers of the ranges by a rule that is known. */
    @ParameterizedTest
    @EnumSource
    void noOrderOfRangesMakesALookLong(LockMode type) {
        for (int i = 1; i <= MANY; i++) {
            long at = mixed(i);
            locks.lock("a", type, range(at, at), 0);
        }
        for (int i = 1; i <= MANY; i++) {
            long before = locks.steps();
            var found = locks.conflict("b", LockMode.WRITE, range(mixed(i), mixed(i)));
            assertTrue(found.isPresent());
            assertTrue(locks.steps() - before <= DEPTH_MAX, locks.steps() - before + " steps");
        }
    }

    /** The finalizer of SplitMix64. */
    private static long mixed(long number) {
        long bits = number * 0x9e3779b97f4a7c15L;
        bits = (bits ^ (bits >>> 30)) * 0xbf58476d1ce4e5b9L;
        bits = (bits ^ (bits >>> 27)) * 0x94d049bb133111ebL;
        return (bits ^ (bits >>> 31)) + Long.MIN_VALUE;
    }

    /** A file of few places: bytes at both ends, and one place for all between; who holds what. */
    private static final class Model {
        private static final int BYTES = 25;
        private static final int MIDDLE = 12;
        private static final int OWNERS = 4;
        private final LockMode[][] held = new LockMode[OWNERS][BYTES];

        static ByteRange places(int from, int to) {
            return range(from <= MIDDLE ? from : from - BYTES, to < MIDDLE ? to : to - BYTES);
        }

        boolean conflicts(int owner, LockMode type, int from, int to) {
            for (int other = 0; other < OWNERS; other++) {
                for (int at = from; at <= to; at++) {
                    var lock = held[other][at];
                    if (other != owner
                            && lock != null
                            && (lock == LockMode.WRITE || type == LockMode.WRITE)) {
                        return true;
                    }
                }
            }
            return false;
        }

        void set(int owner, LockMode type, int from, int to) {
            for (int at = from; at <= to; at++) {
                held[owner][at] = type;
            }
        }

        Optional<LockMode> union(int at) {
            LockMode strongest = null;
            for (var each : held) {
                if (each[at] != null && strongest != LockMode.WRITE) {
                    strongest = each[at];
                }
            }
            return Optional.ofNullable(strongest);
        }

        /** Returns the number of ranges of an owner. */
        int count(int owner) {
            int count = 0;
            LockMode before = null;
            for (var each : held[owner]) {
                count += each != null && each != before ? 1 : 0;
                before = each;
            }
            return count;
        }
    }

    @Test
    void agreesWithAModelThatCountsBytes() {
        Seeds.many(Integer.getInteger("seeds", 2000))
                .forEach(
                        seed -> {
                            try {
                                compare(seed);
                            } catch (AssertionError e) {
                                throw new AssertionError("seed=" + seed, e);
                            }
                        });
    }

    private void compare(long seed) {
        var random = new Random(seed);
        var model = new Model();
        var table = new RangeLocks<Integer>();
        for (int step = 0; step < 60; step++) {
            int owner = random.nextInt(Model.OWNERS);
            int from = random.nextInt(Model.BYTES);
            int to = from + random.nextInt(Math.min(8, Model.BYTES - from));
            var range = Model.places(from, to);
            var type = random.nextBoolean() ? LockMode.READ : LockMode.WRITE;
            if (random.nextInt(3) == 0) {
                table.unlock(owner, range);
                model.set(owner, null, from, to);
            } else {
                boolean conflicts = model.conflicts(owner, type, from, to);
                var found = table.conflict(owner, type, range);
                assertEquals(conflicts, found.isPresent());
                if (conflicts) {
                    assertTrue(found.get().range().overlaps(range));
                    assertTrue(found.get().owner() != owner);
                    assertTrue(found.get().type().conflictsWith(type));
                } else {
                    table.lock(owner, type, range, 0);
                    model.set(owner, type, from, to);
                }
            }
            if (step % 8 == 3) {
                check(model, table);
            }
        }
    }

    private static void check(Model model, RangeLocks<Integer> table) {
        int count = 0;
        for (int owner = 0; owner < Model.OWNERS; owner++) {
            count += model.count(owner);
            var own = new LockMode[Model.BYTES];
            for (var each : table.of(owner)) {
                for (int at = 0; at < Model.BYTES; at++) {
                    if (each.range().overlaps(Model.places(at, at))) {
                        own[at] = each.type();
                    }
                }
            }
            assertArrayEquals(model.held[owner], own);
        }
        assertEquals(count, table.size());
        for (int at = 0; at < Model.BYTES; at++) {
            var one = Model.places(at, at);
            var parts = table.union(one);
            assertEquals(1, parts.size());
            assertEquals(model.union(at), parts.getFirst().type());
        }
        long next = 0;
        Optional<LockMode> before = null;
        for (var part : table.union(ByteRange.ALL)) {
            assertEquals(next, part.range().first());
            assertFalse(part.type().equals(before), "parts that touch differ");
            next = part.range().last() + 1;
            before = part.type();
        }
        assertEquals(0, next, "the union ends with the last byte");
    }
}
