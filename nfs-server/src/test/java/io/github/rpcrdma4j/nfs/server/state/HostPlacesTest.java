package io.github.rpcrdma4j.nfs.server.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Goal: no host takes all places. */
class HostPlacesTest {
    private record TestHost(int number) implements Host {}

    private final HostPlaces places = new HostPlaces(256, 40);

    private int most(int host) {
        int taken = 0;
        while (places.take(new TestHost(host))) {
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
        assertFalse(places.take(new TestHost(0)));
        places.giveBack(new TestHost(0));
        assertFalse(places.take(new TestHost(0)), "too many are taken by others");
        assertTrue(places.take(null));
        assertFalse(places.take(null));
    }

    @Test
    void aPlaceThatIsGivenBackIsFreeAgain() {
        var host = new TestHost(0);
        for (int i = 0; i < 1000; i++) {
            assertTrue(places.take(host));
            places.giveBack(host);
        }
        assertEquals(40, most(0));
        assertFalse(places.take(host));
        places.giveBack(host);
        assertTrue(places.take(host));
    }
}
