package io.github.rpcrdma4j.nfs.client.v4.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ProbePausesTest {
    private static final long NOW = Long.MAX_VALUE - 5;

    @Test
    void theServerIsAskedAtOnceAndThenLessAndLessOften() {
        var pauses = new ProbePauses(NOW);
        assertTrue(pauses.untilDue(NOW) <= 0);
        long now = NOW;
        long total = 0;
        for (int i = 0; i < 10; i++) {
            pauses.toldNothing(now);
            long pause = pauses.untilDue(now);
            assertTrue(pause > 0 && pause <= TimeUnit.SECONDS.toNanos(3), "pause " + pause);
            now += pause;
            total += pause;
        }
        assertTrue(total > TimeUnit.SECONDS.toNanos(5), "in all " + total);
        pauses.begin(now);
        assertEquals(0, pauses.untilDue(now));
        pauses.toldNothing(now);
        assertTrue(pauses.untilDue(now) < TimeUnit.MILLISECONDS.toNanos(100));
    }
}
