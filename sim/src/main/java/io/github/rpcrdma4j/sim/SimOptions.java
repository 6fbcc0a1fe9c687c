package io.github.rpcrdma4j.sim;

/**
 * What may happen in a world.
 *
 * @param latencyNanos what every message takes at least to the other end
 * @param delayMaxNanos the longest time that chance adds to that, and to whatever else takes time
 * @param lossPerMillion how many of a million messages take the connection with them
 * @param failedPostsPerMillion how many of a million posts fail as none should: with an exception,
 *     and with nothing posted
 * @param scribbles whether the first RDMA Write to a region changes all of it, as a peer may do
 *     with memory that was offered to it, however little it says it has written
 */
public record SimOptions(
        long latencyNanos,
        long delayMaxNanos,
        int lossPerMillion,
        int failedPostsPerMillion,
        boolean scribbles) {
    /** Delays up to 100 microseconds, no faults. */
    public static final SimOptions CALM = new SimOptions(0, 100_000, 0, 0, false);

    /**
     * Messages take just so long, nothing else takes any time, and there are no faults: so the
     * clock counts how often one end had to wait for the other.
     */
    public static SimOptions distant(long latencyNanos) {
        return new SimOptions(latencyNanos, 0, 0, 0, false);
    }

    public SimOptions withLossPerMillion(int changed) {
        return new SimOptions(
                latencyNanos, delayMaxNanos, changed, failedPostsPerMillion, scribbles);
    }

    public SimOptions withFailedPostsPerMillion(int changed) {
        return new SimOptions(latencyNanos, delayMaxNanos, lossPerMillion, changed, scribbles);
    }

    public SimOptions withScribbles() {
        return new SimOptions(
                latencyNanos, delayMaxNanos, lossPerMillion, failedPostsPerMillion, true);
    }
}
