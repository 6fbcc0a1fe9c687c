package io.github.rpcrdma4j.nfs.client.v4;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.rpcrdma.session.SimulatedRuns;
import io.github.rpcrdma4j.sim.Seeds;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Goal: when calls, connections and what the server knows are lost, no byte is lost in silence,
 * nothing is done twice, each call ends, and both sides agree at the end. Method: two clients at
 * the state of the product's server, by each minor version, in one virtual time; one thread runs at
 * a time, and all that goes wrong depends on a seed. {@code ./dev/test -Dtest=SimulatedServersTest
 * -Dsurefire.failIfNoSpecifiedTests=false -Dseed=N} repeats one run with its story. {@code
 * -Dsimulated.servers=100000} sets their number.
 */
class SimulatedServersTest {
    private static final int RUNS = Integer.getInteger("simulated.servers", 700);

    private int claims;
    private int lostLocks;
    private int notices;

    private void simulate(List<Integer> minorVersions) {
        SimulatedRuns.of(
                RUNS,
                (seed, traces) -> {
                    var run = new SimRun(seed, minorVersions, traces);
                    try {
                        run.run();
                        claims += run.claims();
                        lostLocks += run.lostLocks();
                        notices += run.notices();
                    } finally {
                        if (traces) {
                            System.out.println(run.story());
                        }
                    }
                });
        if (!Seeds.isGiven()) {
            assertTrue(claims > 0, "no open file was claimed");
            assertTrue(lostLocks > 0, "no lock was lost");
        }
    }

    @Test
    void nothingIsLostInSilence() {
        simulate(List.of(1, 2));
        if (!Seeds.isGiven()) {
            assertTrue(notices > 0, "no client was told of a lock");
        }
    }

    /** Without sessions, with owners that number what they do, and with leases to renew. */
    @Test
    void nothingIsLostInSilenceByVersion0() {
        simulate(List.of(0));
    }
}
