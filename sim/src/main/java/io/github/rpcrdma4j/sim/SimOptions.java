package io.github.rpcrdma4j.sim;

/**
 * What may happen in a world.
 *
 * @param delayMaxNanos the longest time that a message is on its way
 * @param lossPerMillion how many of a million messages take the connection with them
 * @param scribbles whether the first RDMA Write to a region changes all of it, as a peer may do
 *     with memory that was offered to it, however little it says it has written
 */
public record SimOptions(long delayMaxNanos, int lossPerMillion, boolean scribbles) {
    /** Delays up to 100 microseconds, no faults. */
    public static final SimOptions CALM = new SimOptions(100_000, 0, false);

    public SimOptions withLossPerMillion(int changed) {
        return new SimOptions(delayMaxNanos, changed, scribbles);
    }

    public SimOptions withScribbles() {
        return new SimOptions(delayMaxNanos, lossPerMillion, true);
    }
}
