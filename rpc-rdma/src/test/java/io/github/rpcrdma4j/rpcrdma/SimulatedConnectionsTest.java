package io.github.rpcrdma4j.rpcrdma;

import io.github.rpcrdma4j.sim.Seeds;
import org.junit.jupiter.api.Tag;
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
    @Tag("5666-3.4-14")
    @Tag("5666-3.3-9")
    @Tag("5666-11-2")
    @Tag("8166-4.3.2.2-4")
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
