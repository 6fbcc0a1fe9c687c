package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.rpcrdma.session.SimulatedConnection.Manner;
import io.github.rpcrdma4j.sim.Seeds;
import java.util.concurrent.atomic.LongAdder;
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

    private static final int OLD_CONNECTIONS = 4000;

    @Test
    @Tag("5666-3.4-14")
    @Tag("5666-3.3-9")
    @Tag("5666-11-2")
    @Tag("8166-4.3.2.2-4")
    void endsCleanlyWhateverHappens() {
        long exposed = run(CONNECTIONS, Manner.OF_TODAY);
        assertEquals(0, exposed);
    }

    /** The same by RFC 5666: long replies are fetched, and RDMA_DONE is sent, or lost. */
    @Test
    @Tag("5666-3.5-3")
    @Tag("5666-3.8-6")
    @Tag("5666-3.8-7")
    @Tag("5666-11-4")
    void endsCleanlyWhateverIsFetched() {
        assertTrue(run(OLD_CONNECTIONS, Manner.DONE) > (Seeds.isAsked() ? -1 : 1000));
    }

    /** The same with clients that fetch and say nothing of it: time takes back what they hold. */
    @Test
    @Tag("5666-3.8-3")
    @Tag("5666-11-4")
    @Tag("5666-11-8")
    void endsCleanlyWhateverIsHeldBack() {
        assertTrue(run(OLD_CONNECTIONS, Manner.NEVER_DONE) > (Seeds.isAsked() ? -1 : 1000));
    }

    /** Gives the replies that were fetched. */
    private static long run(int connections, Manner manner) {
        var exposed = new LongAdder();
        SimulatedRuns.of(
                connections,
                (seed, isTold) -> {
                    var connection = new SimulatedConnection(seed, manner);
                    (isTold ? connection.tracing() : connection).run();
                    exposed.add(connection.exposed());
                });
        return exposed.sum();
    }
}
