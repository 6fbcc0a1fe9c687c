package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.sim.Seeds;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: calls both ways on one connection do not touch each other, whatever happens. Method:
 * thousands of connections, each drawn from its own seed; one that fails is had again as those of
 * {@link SimulatedConnectionsTest} are. {@code dev/torture} has ten thousand of version 2.
 */
class SimulatedBothWaysTest {
    private static final int CONNECTIONS = 2000;
    private static final int CONNECTIONS_2 = Integer.getInteger("simulated.connections", 2000);

    @Test
    @Tag("8166-4-2")
    @Tag("8167-2.4-2")
    @Tag("8167-4.1-1")
    @Tag("8167-4.1-2")
    void endsCleanlyWhateverHappens() {
        SimulatedRuns.of(
                CONNECTIONS,
                (seed, isTold) -> {
                    var connection = new SimulatedBothWays(seed, false);
                    (isTold ? connection.tracing() : connection).run();
                });
    }

    /**
     * With all that version 2 has, switched on and off by chance, and no receive but those that are
     * due.
     */
    @Test
    @Tag("V2-2.1-1")
    @Tag("V2-5.2-4")
    @Tag("RTR-4.3-2")
    void endsCleanlyInVersion2() {
        var spoken = new LongAdder();
        SimulatedRuns.of(
                CONNECTIONS_2,
                (seed, isTold) -> {
                    var connection = new SimulatedBothWays(seed, true);
                    (isTold ? connection.tracing() : connection).run();
                    if (connection.spokeVersion2()) {
                        spoken.increment();
                    }
                });
        assertTrue(Seeds.isAsked() || spoken.sum() > CONNECTIONS_2 / 2);
    }
}
