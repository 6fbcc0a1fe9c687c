package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.sim.Seeds;

/** Runs many simulated connections, each with its own seed. */
public final class SimulatedRuns {
    private SimulatedRuns() {}

    /** Runs one simulated connection. */
    @FunctionalInterface
    public interface Run {
        /**
         * Runs one connection.
         *
         * @param traces whether the run prints its events
         */
        void run(long seed, boolean traces) throws Exception;
    }

    /** Runs {@code connections} seeds, or only the configured seed; a failure names its seed. */
    public static void of(int connections, Run run) {
        Seeds.many(connections)
                .forEach(
                        seed -> {
                            try {
                                run.run(seed, Seeds.isGiven());
                            } catch (Exception | AssertionError failure) {
                                throw new AssertionError(
                                        "seed " + seed + ": " + failure.getMessage(), failure);
                            }
                        });
    }
}
