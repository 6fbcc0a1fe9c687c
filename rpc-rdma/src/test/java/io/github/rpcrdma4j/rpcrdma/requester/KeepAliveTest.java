package io.github.rpcrdma4j.rpcrdma.requester;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.rpcrdma.requester.KeepAlive.Step;
import org.junit.jupiter.api.Test;

class KeepAliveTest {
    private static final long START = Long.MAX_VALUE - 15;

    @Test
    void asksASilentPeerOnceAndGivesItUpThen() {
        var watch = new KeepAlive(10);
        watch.restart(START);
        assertEquals(10, watch.left(START));
        assertEquals(Step.WAIT, watch.step(START + 9));
        assertEquals(Step.PROBE, watch.step(START + 10));
        assertEquals(Step.WAIT, watch.step(START + 10));
        assertEquals(1, watch.left(START + 19));
        assertEquals(Step.WAIT, watch.step(START + 19));
        assertEquals(Step.LOSE, watch.step(START + 20));
    }

    @Test
    void asksAgainAndAgainWhileThePeerAnswers() {
        var watch = new KeepAlive(10);
        for (long now = START; now < START + 1000; now += 15) {
            watch.restart(now);
            assertEquals(Step.PROBE, watch.step(now + 10));
        }
    }

    @Test
    void sendsNoProbeWithoutAnInterval() {
        var watch = new KeepAlive(0);
        watch.restart(START);
        assertEquals(Step.WAIT, watch.step(START + (1L << 62)));
        assertEquals(Long.MAX_VALUE, watch.left(START));
    }
}
