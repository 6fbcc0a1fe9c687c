package io.github.rpcrdma4j.rpcrdma.v2.requester;

/**
 * The measured shortest time between a message and its answer. A call takes at least the round
 * trip, so the shortest call is the estimate. It rises slowly, so that a longer path is noticed.
 * Not thread-safe. Times are nanoseconds.
 */
final class RoundTrip {
    /** The assumed round trip before the first measurement. */
    private static final long INITIAL_NANOS = 100_000;

    private static final int RISE_SHIFT = 4;

    private long nanos = INITIAL_NANOS;
    private boolean measured;

    /** Records that a call in one Send was answered after so many nanoseconds. */
    void took(long sample) {
        nanos = measured ? Math.min(sample, nanos + (nanos >> RISE_SHIFT)) : sample;
        measured = true;
    }

    long nanos() {
        return nanos;
    }
}
