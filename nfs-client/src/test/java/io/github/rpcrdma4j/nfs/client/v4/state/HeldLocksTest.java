package io.github.rpcrdma4j.nfs.client.v4.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.nfs.client.v4.state.HeldLocks.Range;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Goal: locks are those that one owner has. Method: a map of single bytes, by seeds. */
class HeldLocksTest {
    private static final int BYTES = 24;
    private static final int FREE = 0;

    @Test
    void locksAreThoseOfTheirBytes() {
        long seed = Long.getLong("seed", System.nanoTime());
        System.out.println("seed=" + seed);
        var random = new Random(seed);
        for (int round = 0; round < 2000; round++) {
            var kinds = new int[BYTES];
            var held = HeldLocks.NONE;
            for (int step = 0; step < 12; step++) {
                int from = random.nextInt(BYTES);
                int to = from + 1 + random.nextInt(BYTES - from);
                // The last byte of the map stands for all up to the end.
                long length = to == BYTES ? Range.TO_END : to - from;
                int kind = random.nextInt(3);
                held =
                        kind == FREE
                                ? held.without(from, length)
                                : held.with(Range.of(from, length, kind == 2));
                for (int i = from; i < to; i++) {
                    kinds[i] = kind;
                }
                assertEquals(joined(kinds), held, () -> "seed=" + seed);
                requireParts(kinds, held, Range.of(from, length, true));
            }
        }
    }

    /** A range has a part that is held, and one that is not. */
    private static void requireParts(int[] kinds, HeldLocks held, Range range) {
        var inside = new int[BYTES];
        var free = new int[BYTES];
        for (int i = (int) range.offset(); i < (range.end() == 0 ? BYTES : range.end()); i++) {
            inside[i] = kinds[i];
            free[i] = kinds[i] == FREE ? 2 : FREE;
        }
        assertEquals(joined(inside), held.within(range));
        assertEquals(joined(free), new HeldLocks(List.of(range)).without(held));
    }

    private static HeldLocks joined(int[] kinds) {
        var ranges = new ArrayList<Range>();
        for (int i = 0; i < BYTES; i++) {
            int from = i;
            while (i + 1 < BYTES && kinds[i + 1] == kinds[from]) {
                i++;
            }
            if (kinds[from] != FREE) {
                ranges.add(new Range(from, i + 1 == BYTES ? 0 : i + 1, kinds[from] == 2));
            }
        }
        return new HeldLocks(ranges);
    }

    @Test
    void aRangeMayReachToTheLastByteOfAll() {
        var whole = HeldLocks.NONE.with(Range.of(0, Range.TO_END, true));
        assertEquals(List.of(new Range(0, 0, true)), whole.ranges());
        assertEquals(Range.TO_END, whole.ranges().getFirst().length());
        var last = HeldLocks.NONE.with(Range.of(-1, 1, true));
        assertEquals(List.of(new Range(-1, 0, true)), last.ranges());
        assertEquals(List.of(new Range(0, -1, true)), whole.without(-1, 1).ranges());
        assertEquals(HeldLocks.NONE, whole.without(0, Range.TO_END));
        assertEquals(last, whole.within(Range.of(-1, 1, false)));
        assertEquals(HeldLocks.NONE, last.without(whole));
    }

    @Test
    void aRangeHasBytes() {
        assertThrows(IllegalArgumentException.class, () -> Range.of(5, 0, true));
        assertThrows(IllegalArgumentException.class, () -> Range.of(-2, 5, true));
    }
}
