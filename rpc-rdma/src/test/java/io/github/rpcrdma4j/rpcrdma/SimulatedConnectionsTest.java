package io.github.rpcrdma4j.rpcrdma;

import io.github.rpcrdma4j.sim.Seeds;
import org.junit.jupiter.api.Test;

/**
 * Goal: nothing leaks and every call has exactly one outcome, whatever happens. Method: ten
 * thousand connections, each drawn from its own seed; one that fails is had again, with a trace of
 * all that completes, with {@code ./dev/test -Dtest=SimulatedConnectionsTest
 * -Dsurefire.failIfNoSpecifiedTests=false -Dseed=N}.
 */
class SimulatedConnectionsTest {
    private static final int CONNECTIONS = 10_000;

    @Test
    void endsCleanlyWhateverHappens() {
        Seeds.many(CONNECTIONS)
                .forEach(
                        seed -> {
                            try {
                                var connection = new SimulatedConnection(seed);
                                (Seeds.isAsked() ? connection.tracing() : connection).run();
                            } catch (Exception | AssertionError failure) {
                                throw new AssertionError(
                                        "seed " + seed + ": " + failure.getMessage(), failure);
                            }
                        });
    }
}
