package io.github.rpcrdma4j.sim;

/**
 * What may happen in a world.
 *
 * @param delayMaxNanos the longest time that a message is on its way
 * @param lossPerMillion how many of a million messages take the connection with them
 */
public record SimOptions(long delayMaxNanos, int lossPerMillion) {
    /** Delays up to 100 microseconds, no faults. */
    public static final SimOptions CALM = new SimOptions(100_000, 0);

    public SimOptions withLossPerMillion(int changed) {
        return new SimOptions(delayMaxNanos, changed);
    }
}
