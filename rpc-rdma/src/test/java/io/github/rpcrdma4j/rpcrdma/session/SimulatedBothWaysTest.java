package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.rpcrdma.profile.WireProfile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: calls in both directions of one connection do not affect each other. Method: thousands of
 * random connections, each with its own seed. {@link SimulatedConnectionsTest} says how to repeat a
 * failed one.
 */
class SimulatedBothWaysTest {
    private static final int CONNECTIONS = 2000;

    @Test
    @Tag("8166-4-2")
    @Tag("8167-2.4-2")
    @Tag("8167-4.1-1")
    @Tag("8167-4.1-2")
    void endsCleanlyInEveryRun() {
        SimulatedRuns.of(
                CONNECTIONS,
                (seed, traces) -> {
                    var connection =
                            new SimulatedBothWays(
                                    seed, _ -> WireProfile.RFC_8166, _ -> WireProfile.RFC_8166);
                    (traces ? connection.tracing() : connection).run();
                });
    }
}
