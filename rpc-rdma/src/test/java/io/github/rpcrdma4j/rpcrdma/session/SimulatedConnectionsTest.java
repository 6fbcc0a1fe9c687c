package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.rpcrdma.session.SimulatedConnection.Behaviour;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: nothing leaks, and every call has exactly one outcome. Method: ten thousand random
 * connections, each with its own seed. {@code ./dev/test -Dtest=SimulatedConnectionsTest
 * -Dsurefire.failIfNoSpecifiedTests=false -Dseed=N} repeats a failed one, with a trace of all
 * events.
 */
class SimulatedConnectionsTest {
    private static final int CONNECTIONS = 10_000;

    @Test
    @Tag("5666-3.4-14")
    @Tag("5666-3.3-9")
    @Tag("5666-11-2")
    @Tag("8166-4.3.2.2-4")
    void endsCleanlyInEveryRun() {
        long counted = run(CONNECTIONS, Behaviour.RFC_8166);
        assertEquals(0, counted);
    }

    /** Runs connections; returns the sum of counters that RFC 8166 does not have. */
    private static long run(int connections, Behaviour behaviour) {
        var counted = new LongAdder();
        SimulatedRuns.of(
                connections,
                (seed, traces) -> {
                    var connection = new SimulatedConnection(seed, behaviour);
                    (traces ? connection.tracing() : connection).run();
                    counted.add(connection.countedByProfile());
                });
        return counted.sum();
    }
}
