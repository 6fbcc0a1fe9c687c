package io.github.rpcrdma4j.oncrpc.gss;

/**
 * The sequence numbers of a context as its server sees them (RFC 2203, Section 5.3.3.1): every
 * number is taken once, and none that is too far behind the highest. Not thread-safe.
 */
final class SequenceWindow {
    /** How far calls may overtake each other. */
    static final int SIZE = 256;

    /** The highest number; a context is used up then. Unsigned. */
    static final int MAXSEQ = 0x8000_0000;

    /** What a number is. */
    enum Verdict {
        /** New: taken. */
        FRESH,
        /** Seen before, or so old that it is not known: to be dropped without an answer. */
        STALE,
        /** Above MAXSEQ: the context is to be replaced. */
        BEYOND
    }

    private final long[] seen = new long[SIZE / Long.SIZE];
    private long highest = -1;

    /** Takes a number, if it is fresh. */
    Verdict take(int sequence) {
        if (Integer.compareUnsigned(sequence, MAXSEQ) > 0) {
            return Verdict.BEYOND;
        }
        long number = Integer.toUnsignedLong(sequence);
        if (number > highest) {
            long from = Math.max(highest + 1, number - SIZE + 1);
            for (long skipped = from; skipped < number; skipped++) {
                seen[word(skipped)] &= ~bit(skipped);
            }
            highest = number;
        } else if (highest - number >= SIZE || (seen[word(number)] & bit(number)) != 0) {
            return Verdict.STALE;
        }
        seen[word(number)] |= bit(number);
        return Verdict.FRESH;
    }

    private static int word(long number) {
        return (int) (number % SIZE) / Long.SIZE;
    }

    private static long bit(long number) {
        return 1L << number;
    }
}
