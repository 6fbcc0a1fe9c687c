package io.github.rpcrdma4j.rpcrdma;

import io.github.rpcrdma4j.sim.Seeds;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: calls both ways on one connection do not touch each other, whatever happens. Method: two
 * thousand connections, each drawn from its own seed; one that fails is had again as those of
 * {@link SimulatedConnectionsTest} are.
 */
class SimulatedBothWaysTest {
    private static final int CONNECTIONS = 2000;

    @Test
    @Tag("8166-4-2")
    @Tag("8167-2.4-2")
    @Tag("8167-4.1-1")
    @Tag("8167-4.1-2")
    void endsCleanlyWhateverHappens() {
        Seeds.many(CONNECTIONS)
                .forEach(
                        seed -> {
                            try {
                                var connection = new SimulatedBothWays(seed);
                                (Seeds.isAsked() ? connection.tracing() : connection).run();
                            } catch (Exception | AssertionError failure) {
                                throw new AssertionError(
                                        "seed " + seed + ": " + failure.getMessage(), failure);
                            }
                        });
    }
}
