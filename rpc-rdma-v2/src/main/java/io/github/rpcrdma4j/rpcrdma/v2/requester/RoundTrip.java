package io.github.rpcrdma4j.rpcrdma.v2.requester;

/**
 * How long a message and its answer take at the least, as measured: what a call takes less the time
 * of its program is no more than the shortest call. It rises slowly, so that a way that got longer
 * is noticed. Not thread-safe; times are nanoseconds.
 */
final class RoundTrip {
    /** What is assumed of a connection of which nothing is known. */
    private static final long INITIAL_NANOS = 100_000;

    private static final int RISE_SHIFT = 4;

    private long nanos = INITIAL_NANOS;
    private boolean measured;

    /** A call in one Send was answered after so long. */
    void took(long sample) {
        nanos = measured ? Math.min(sample, nanos + (nanos >> RISE_SHIFT)) : sample;
        measured = true;
    }

    long nanos() {
        return nanos;
    }
}
