package io.github.rpcrdma4j.sim;

/**
 * The delays and faults of a world.
 *
 * @param latencyNanos the least time that a message takes to the other end
 * @param delayMaxNanos the longest random delay of a message, and of each other action that takes
 *     time
 * @param lossPerMillion how many of a million messages lose the connection
 * @param failedPostsPerMillion how many of a million posts throw an unexpected exception and post
 *     nothing
 * @param scribbles whether the first RDMA Write to a window also fills the whole window with a
 *     random byte. A peer may change all memory offered to it, even if it reports fewer bytes as
 *     written
 */
public record SimOptions(
        long latencyNanos,
        long delayMaxNanos,
        int lossPerMillion,
        int failedPostsPerMillion,
        boolean scribbles) {
    /** Options with delays of up to 100 microseconds and no faults. */
    public static final SimOptions CALM = new SimOptions(0, 100_000, 0, 0, false);

    /**
     * Returns options with a fixed latency, no other delays and no faults. Then the virtual clock
     * counts how often one end had to wait for the other.
     */
    public static SimOptions distant(long latencyNanos) {
        return new SimOptions(latencyNanos, 0, 0, 0, false);
    }

    /** Sets how many of a million messages lose the connection. */
    public SimOptions withLossPerMillion(int changed) {
        return new SimOptions(
                latencyNanos, delayMaxNanos, changed, failedPostsPerMillion, scribbles);
    }

    /** Sets how many of a million posts fail. */
    public SimOptions withFailedPostsPerMillion(int changed) {
        return new SimOptions(latencyNanos, delayMaxNanos, lossPerMillion, changed, scribbles);
    }

    /** Makes the first RDMA Write to a window overwrite the whole window. */
    public SimOptions withScribbles() {
        return new SimOptions(
                latencyNanos, delayMaxNanos, lossPerMillion, failedPostsPerMillion, true);
    }
}
