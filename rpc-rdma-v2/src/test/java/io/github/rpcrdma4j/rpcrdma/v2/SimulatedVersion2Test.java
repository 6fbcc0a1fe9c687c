package io.github.rpcrdma4j.rpcrdma.v2;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.rpcrdma.session.SimulatedBothWays;
import io.github.rpcrdma4j.rpcrdma.session.SimulatedRuns;
import io.github.rpcrdma4j.rpcrdma.session.SimulatedSide;
import io.github.rpcrdma4j.rpcrdma.v2.connection.Version2Receiver;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2Counter;
import io.github.rpcrdma4j.sim.Seeds;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: calls in both directions on one connection of version 2 never affect each other. Method:
 * thousands of connections, each drawn from its own seed. A failed one is repeated like those of
 * {@code SimulatedConnectionsTest}. {@code dev/torture} runs ten thousand.
 */
class SimulatedVersion2Test {
    private static final int CONNECTIONS = Integer.getInteger("simulated.connections", 2000);

    /**
     * All features of version 2 are switched on and off at random, and no receive beyond the
     * necessary ones is posted.
     */
    @Test
    @Tag("V2-2.1-1")
    @Tag("V2-5.2-4")
    @Tag("RTR-4.3-2")
    void endsCleanlyInVersion2() {
        var spoken = new LongAdder();
        SimulatedRuns.of(
                CONNECTIONS,
                (seed, traces) -> {
                    var connection =
                            new SimulatedBothWays(seed, RandomVersion2::of, RandomVersion2::orNone);
                    connection.client().spares(() -> Version2Receiver.SPARE_RECEIVES);
                    connection.server().spares(() -> spares(connection.server()));
                    (traces ? connection.tracing() : connection).run();
                    if (spokeVersion2(connection)) {
                        spoken.increment();
                    }
                });
        assertTrue(Seeds.isGiven() || spoken.sum() > CONNECTIONS / 2);
    }

    /**
     * Returns the spare receives of a server, which it has from the first message of version 2 on.
     */
    private static int spares(SimulatedSide server) {
        boolean speaks = server.counters().value(Version2Counter.VERSION_2_CONNECTIONS) > 0;
        return speaks ? Version2Receiver.SPARE_RECEIVES : 0;
    }

    private static boolean spokeVersion2(SimulatedBothWays connection) {
        return connection.hasBegun() && connection.client().clientProfile().version() == 2;
    }
}
