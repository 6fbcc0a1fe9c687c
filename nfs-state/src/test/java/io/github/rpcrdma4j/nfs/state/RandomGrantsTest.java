package io.github.rpcrdma4j.nfs.state;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.sim.Seeds;
import org.junit.jupiter.api.Test;

/**
 * Goal: no host loses a lock that it was told of, no two have what excludes each other, and in the
 * end nothing is held and nothing waits. Method: hosts as those of Linux that lock, wait, are
 * interrupted, cancel, unlock and crash, over a network that delays and loses, with a kernel that
 * hangs. {@code -Dseeds=100000} sets the number of runs, and {@code -Dseed=N} repeats one.
 */
class RandomGrantsTest {
    @Test
    void hostsHaveWhatTheyWereTold() {
        var counts = new GrantWorld.Counts();
        Seeds.many(Integer.getInteger("seeds", 300))
                .forEach(
                        seed -> {
                            var world = new GrantWorld(seed, counts);
                            try {
                                world.run();
                            } catch (AssertionError | RuntimeException e) {
                                throw new AssertionError("seed=" + seed, e);
                            }
                        });
        System.out.println(counts);
        if (Seeds.isGiven()) {
            // One run has none of these counts.
            return;
        }
        assertTrue(counts.locks > 1000 && counts.grants > 300, "hardly anything happened");
        assertTrue(counts.refusals > 30 && counts.silences > 30, "hosts answered all calls");
        assertTrue(counts.cancels > 300 && counts.crashes > 100, "nothing was interrupted");
    }
}
