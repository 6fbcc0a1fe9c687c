package io.github.rpcrdma4j.nfs.server.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Goal: no host takes all permits. */
class HostPermitsTest {
    private record TestHost(int number) implements Host {}

    private final HostPermits permits = new HostPermits(256, 40);

    private int most(int host) {
        int taken = 0;
        while (permits.take(new TestHost(host))) {
            taken++;
        }
        return taken;
    }

    @Test
    void aHostGetsAQuarterOfWhatTheOthersLeaveAndNoMoreThanItsOwnLimit() {
        assertEquals(40, most(0));
        assertEquals(40, most(1));
        assertEquals(40, most(2), "a quarter of 176 is more");
        assertEquals(34, most(3), "a quarter of 136");
    }

    @Test
    void aHostWithoutAPlaceAlwaysGetsOne() {
        int all = 0;
        int hosts = 0;
        while (all < 256) {
            all += most(hosts++);
        }
        assertTrue(hosts > 20, "hosts: " + hosts);
        for (int i = 0; i < 1000; i++) {
            assertEquals(1, most(hosts + i));
        }
        assertFalse(permits.take(new TestHost(0)));
        permits.giveBack(new TestHost(0));
        assertFalse(permits.take(new TestHost(0)), "too many are taken by others");
        assertTrue(permits.take(null));
        assertFalse(permits.take(null));
    }

    @Test
    void aPlaceThatIsGivenBackIsFreeAgain() {
        var host = new TestHost(0);
        for (int i = 0; i < 1000; i++) {
            assertTrue(permits.take(host));
            permits.giveBack(host);
        }
        assertEquals(40, most(0));
        assertFalse(permits.take(host));
        permits.giveBack(host);
        assertTrue(permits.take(host));
    }
}
