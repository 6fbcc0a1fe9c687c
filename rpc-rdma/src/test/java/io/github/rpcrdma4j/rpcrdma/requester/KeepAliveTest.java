package io.github.rpcrdma4j.rpcrdma.requester;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.rpcrdma.requester.KeepAlive.Step;
import org.junit.jupiter.api.Test;

class KeepAliveTest {
    private static final long START = Long.MAX_VALUE - 15;

    @Test
    void asksASilentPeerOnceAndGivesItUpThen() {
        var watch = new KeepAlive(10, 0);
        watch.restart(START);
        assertEquals(10, watch.left(START, false));
        assertEquals(Step.WAIT, watch.step(START + 9, false));
        assertEquals(Step.PROBE, watch.step(START + 10, false));
        assertEquals(Step.WAIT, watch.step(START + 10, false));
        assertEquals(1, watch.left(START + 19, false));
        assertEquals(Step.WAIT, watch.step(START + 19, false));
        assertEquals(Step.LOSE, watch.step(START + 20, false));
    }

    @Test
    void asksAgainAndAgainWhileThePeerAnswers() {
        var watch = new KeepAlive(10, 0);
        for (long now = START; now < START + 1000; now += 15) {
            watch.restart(now);
            assertEquals(Step.PROBE, watch.step(now + 10, false));
        }
    }

    @Test
    void sendsNoProbeWithoutAnInterval() {
        var watch = new KeepAlive(0, 0);
        watch.restart(START);
        assertEquals(Step.WAIT, watch.step(START + (1L << 62), false));
        assertEquals(Long.MAX_VALUE, watch.left(START, false));
    }

    @Test
    void anIdlePeerIsAskedLaterAndHasTheUsualTimeToAnswer() {
        var watch = new KeepAlive(10, 60);
        watch.restart(START);
        assertEquals(Step.WAIT, watch.step(START + 59, true));
        assertEquals(Step.PROBE, watch.step(START + 60, true));
        assertTrue(watch.isProbing());
        assertEquals(10, watch.left(START + 60, true));
        assertEquals(Step.WAIT, watch.step(START + 69, false));
        assertEquals(Step.LOSE, watch.step(START + 70, false));
        watch.restart(START + 70);
        assertFalse(watch.isProbing());
        assertEquals(60, watch.left(START + 70, true));
    }

    @Test
    void anIdlePeerIsLeftAloneWithoutAnIntervalOfItsOwn() {
        var watch = new KeepAlive(10, 0);
        watch.restart(START);
        assertEquals(Step.WAIT, watch.step(START + (1L << 62), true));
        assertEquals(Long.MAX_VALUE, watch.left(START, true));
    }
}
