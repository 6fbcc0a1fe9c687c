package io.github.rpcrdma4j.iwarp.tcp;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class BusyPollPermitsTest {
    @Test
    void limitsTheBusyPollingThreads() {
        var permits = new BusyPollPermits(2);
        assertTrue(permits.begin(false));
        assertTrue(permits.begin(false));
        assertFalse(permits.begin(false));
        assertFalse(permits.begin(false));
        permits.end();
        assertTrue(permits.begin(false));
        assertFalse(permits.begin(false));
    }

    @Test
    void letsNoThreadBusyPollWithALimitOfZero() {
        assertFalse(new BusyPollPermits(0).begin(false));
        assertFalse(new BusyPollPermits(0).begin(true));
    }

    @Test
    void letsAVirtualThreadBusyPollWhileNoOtherThreadWaits() {
        var permits = new BusyPollPermits(2);
        permits.enter();
        assertTrue(permits.begin(true));
        permits.end();
        permits.enter();
        assertFalse(permits.begin(true));
        assertTrue(permits.begin(false));
        permits.end();
        permits.leave();
        assertTrue(permits.begin(true));
    }
}
