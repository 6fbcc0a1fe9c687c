package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.sim.Seeds;

/** Many simulated connections, each of its own seed. */
final class SimulatedRuns {
    private SimulatedRuns() {}

    /** One connection. */
    @FunctionalInterface
    interface Run {
        /**
         * @param isTold whether it is to tell what happens
         */
        void run(long seed, boolean isTold) throws Exception;
    }

    /** Has so many, or the one that was asked for; says the seed of one that fails. */
    static void of(int connections, Run run) {
        Seeds.many(connections)
                .forEach(
                        seed -> {
                            try {
                                run.run(seed, Seeds.isAsked());
                            } catch (Exception | AssertionError failure) {
                                throw new AssertionError(
                                        "seed " + seed + ": " + failure.getMessage(), failure);
                            }
                        });
    }
}
