package io.github.rpcrdma4j.oncrpc.gss;

/**
 * The sequence numbers of a context at its server (RFC 2203, Section 5.3.3.1). The server accepts
 * every number once, and no number that is too far below the highest. Not thread-safe.
 */
final class SequenceWindow {
    /** The size of the window: how far calls may overtake each other. */
    static final int SIZE = 256;

    /** The highest valid number, unsigned. No call can use the context after it. */
    static final int MAXSEQ = 0x8000_0000;

    /** The verdict on a number. */
    enum Verdict {
        /** The number is new, and accepted. */
        FRESH,
        /**
         * The number was seen before, or is below the window. The server drops the call without a
         * reply.
         */
        STALE,
        /** The number is above MAXSEQ, so the client must replace the context. */
        BEYOND
    }

    private final long[] seen = new long[SIZE / Long.SIZE];
    private long highest = -1;

    /** Judges a number, and records it if it is fresh. */
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
