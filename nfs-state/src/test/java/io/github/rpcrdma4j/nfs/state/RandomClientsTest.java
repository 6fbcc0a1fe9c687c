package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.sim.Seeds;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Goal: no two clients hold what conflicts, no lock is lost, no call is carried out twice, and
 * every lease ends. Method: clients that open, lock, fall silent, repeat calls and restart, at a
 * server that restarts as well and loses what was not on storage. What each client believes to hold
 * is compared with what the others believe. {@code -Dseeds=100000} sets the number of runs, and
 * {@code -Dseed=N} repeats one.
 */
class RandomClientsTest {
    /**
     * A client lost its locks, and a restarted server did not wait for what it still had open. A
     * client gave up a file after its lease had ended, and might not reclaim another one.
     */
    private static final long[] FOUND = {7546162543371141356L, 6282464971793646096L};

    @Test
    void keepTheirLocksAndNoOthers() {
        var total = new RandomWorld.Counts();
        LongStream.concat(LongStream.of(FOUND), Seeds.many(Integer.getInteger("seeds", 2000)))
                .forEach(
                        seed -> {
                            try {
                                new RandomWorld(seed, total).run();
                            } catch (AssertionError | RuntimeException e) {
                                throw new AssertionError("seed=" + seed, e);
                            }
                        });
        System.out.println(total);
    }
}
