package io.github.rpcrdma4j.nfs.v4.type;

import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.StringJoiner;

/**
 * A set of small numbers: {@code bitmap4} (RFC 8881, Section 3.2). Bit {@code n % 32} of word
 * {@code n / 32} stands for number {@code n}. Nothing in the RFCs has a number above {@link #LAST}.
 *
 * <pre>
 *   number of words | word(32)*
 * </pre>
 *
 * @param lower the numbers 0 to 63, from the lowest bit on
 * @param upper the numbers 64 to 127. The highest bit stands for 127 and for all beyond.
 */
public record Bitmap(long lower, long upper) {
    /** The highest number, which also stands for all beyond. */
    public static final int LAST = 127;

    public static final Bitmap EMPTY = new Bitmap(0, 0);

    private static final int WORDS = 4;
    private static final int HALF = Long.SIZE;

    /**
     * Returns a set of numbers.
     *
     * @throws IllegalArgumentException if one is not in 0 to {@link #LAST}
     */
    public static Bitmap of(int... numbers) {
        var set = EMPTY;
        for (int each : numbers) {
            set = set.with(each);
        }
        return set;
    }

    public static Bitmap decode(XdrReader in) throws XdrException {
        int words = in.count(Integer.BYTES, Integer.MAX_VALUE);
        long lower = 0;
        long upper = 0;
        for (int i = 0; i < words; i++) {
            long bits = Integer.toUnsignedLong(in.uint32());
            if (i >= WORDS) {
                upper |= bits == 0 ? 0 : 1L << LAST;
            } else if (i >= 2) {
                upper |= bits << i * Integer.SIZE;
            } else {
                lower |= bits << i * Integer.SIZE;
            }
        }
        return new Bitmap(lower, upper);
    }

    /** Writes the words up to the last one that is not zero. */
    public XdrWriter encode(XdrWriter out) {
        int words =
                upper != 0
                        ? WORDS - Long.numberOfLeadingZeros(upper) / Integer.SIZE
                        : 2 - Long.numberOfLeadingZeros(lower) / Integer.SIZE;
        out.uint32(words);
        for (int i = 0; i < words; i++) {
            out.uint32((int) ((i < 2 ? lower : upper) >>> i * Integer.SIZE));
        }
        return out;
    }

    public boolean isEmpty() {
        return lower == 0 && upper == 0;
    }

    /** Returns whether a number from 0 to {@link #LAST} is in the set. */
    public boolean has(int number) {
        return ((number < HALF ? lower : upper) >>> number & 1) != 0;
    }

    /** Returns whether all numbers of another set are in this one. */
    public boolean hasAll(Bitmap other) {
        return other.without(this).isEmpty();
    }

    /**
     * Returns the set with one more number.
     *
     * @throws IllegalArgumentException if it is not in 0 to {@link #LAST}
     */
    public Bitmap with(int number) {
        if (number < 0 || number > LAST) {
            throw new IllegalArgumentException("not a number of a bitmap: " + number);
        }
        long bit = 1L << number;
        return number < HALF ? new Bitmap(lower | bit, upper) : new Bitmap(lower, upper | bit);
    }

    public Bitmap and(Bitmap other) {
        return new Bitmap(lower & other.lower, upper & other.upper);
    }

    public Bitmap or(Bitmap other) {
        return new Bitmap(lower | other.lower, upper | other.upper);
    }

    public Bitmap without(Bitmap other) {
        return new Bitmap(lower & ~other.lower, upper & ~other.upper);
    }

    /** Returns the first number in the set that is not less than {@code from}, or -1. */
    public int next(int from) {
        if (from < HALF) {
            long rest = lower & -1L << from;
            if (rest != 0) {
                return Long.numberOfTrailingZeros(rest);
            }
        }
        long rest = from > LAST ? 0 : upper & -1L << Math.max(HALF, from);
        return rest == 0 ? -1 : HALF + Long.numberOfTrailingZeros(rest);
    }

    /** Returns the numbers. */
    @Override
    public String toString() {
        var numbers = new StringJoiner(" ", "[", "]");
        for (int i = next(0); i >= 0; i = next(i + 1)) {
            numbers.add(Integer.toString(i));
        }
        return numbers.toString();
    }
}
