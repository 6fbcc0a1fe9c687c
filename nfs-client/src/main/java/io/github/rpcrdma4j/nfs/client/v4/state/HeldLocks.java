package io.github.rpcrdma4j.nfs.client.v4.state;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The locked ranges of an open file, as one owner has them: ranges of one kind join, and a new lock
 * replaces the kind of what it covers (RFC 8881, Section 9.3). Immutable.
 *
 * @param ranges disjoint, by offset
 */
public record HeldLocks(List<Range> ranges) {
    /** No lock. */
    public static final HeldLocks NONE = new HeldLocks(List.of());

    /**
     * A locked range.
     *
     * @param end the first byte behind it, unsigned; 0 if it reaches to the end of the file
     */
    public record Range(long offset, long end, boolean isExclusive) {
        /** Length that reaches to the end of the file, also of a file that grows. */
        public static final long TO_END = -1;

        /**
         * Returns a range.
         *
         * @param length unsigned, not 0; {@link #TO_END} to the end of the file
         * @throws IllegalArgumentException if the range has no byte, or ends behind 2^64
         */
        public static Range of(long offset, long length, boolean isExclusive) {
            if (length == TO_END) {
                return new Range(offset, 0, isExclusive);
            }
            long end = offset + length;
            if (length == 0 || end != 0 && Long.compareUnsigned(end, offset) <= 0) {
                throw new IllegalArgumentException(
                        "no range: "
                                + Long.toUnsignedString(length)
                                + " bytes at "
                                + Long.toUnsignedString(offset));
            }
            return new Range(offset, end, isExclusive);
        }

        /** Returns the length as LOCK has it. */
        public long length() {
            return end == 0 ? TO_END : end - offset;
        }

        /** The last byte, which is easier to compare than the first one behind. */
        private long last() {
            return end - 1;
        }
    }

    /** Copies the list. */
    public HeldLocks {
        ranges = List.copyOf(ranges);
    }

    /** Returns whether there is no lock. */
    public boolean isEmpty() {
        return ranges.isEmpty();
    }

    /** Returns these locks and one more. */
    public HeldLocks with(Range added) {
        long offset = added.offset;
        long last = added.last();
        var all = new ArrayList<Range>();
        for (var each : without(offset, added.length()).ranges) {
            boolean isBefore = each.last() + 1 == offset && each.last() != -1;
            boolean isBehind = last + 1 == each.offset && last != -1;
            if (each.isExclusive == added.isExclusive && isBefore) {
                offset = each.offset;
            } else if (each.isExclusive == added.isExclusive && isBehind) {
                last = each.last();
            } else {
                all.add(each);
            }
        }
        all.add(new Range(offset, last + 1, added.isExclusive));
        all.sort(Comparator.comparing(Range::offset, Long::compareUnsigned));
        return new HeldLocks(all);
    }

    /** Returns those of these locks that lie in a range, cut to it. */
    public HeldLocks within(Range range) {
        var cut = range.offset == 0 ? this : without(new Range(0, range.offset, false));
        return range.end == 0 ? cut : cut.without(new Range(range.end, 0, false));
    }

    /** Returns these locks without others. */
    public HeldLocks without(HeldLocks others) {
        var left = this;
        for (var each : others.ranges) {
            left = left.without(each);
        }
        return left;
    }

    /**
     * Returns these locks without a range.
     *
     * @param length as for {@link Range#of}
     */
    public HeldLocks without(long offset, long length) {
        return without(Range.of(offset, length, false));
    }

    private HeldLocks without(Range removed) {
        var left = new ArrayList<Range>();
        for (var each : ranges) {
            if (Long.compareUnsigned(each.last(), removed.offset) < 0
                    || Long.compareUnsigned(removed.last(), each.offset) < 0) {
                left.add(each);
                continue;
            }
            if (Long.compareUnsigned(each.offset, removed.offset) < 0) {
                left.add(new Range(each.offset, removed.offset, each.isExclusive));
            }
            if (Long.compareUnsigned(removed.last(), each.last()) < 0) {
                left.add(new Range(removed.end, each.end, each.isExclusive));
            }
        }
        return new HeldLocks(left);
    }
}
