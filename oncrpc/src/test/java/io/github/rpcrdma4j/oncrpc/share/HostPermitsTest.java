package io.github.rpcrdma4j.oncrpc.share;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Goal: no host takes all permits. */
class HostPermitsTest {
    private record TestHost(int number) implements Host {}

    private record Network(int number) implements Host {
        @Override
        public boolean isNetwork() {
            return true;
        }
    }

    private final HostPermits permits = new HostPermits(256, 40);

    private static HostPlace host(int number) {
        return new HostPlace(new TestHost(number), "place");
    }

    private static HostPlace neighbor(int number) {
        return new HostPlace(new Network(0), "place " + number);
    }

    private int most(int host) {
        return most(host(host));
    }

    private int most(HostPlace place) {
        int taken = 0;
        while (permits.take(place)) {
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
        assertFalse(permits.take(host(0)));
        permits.giveBack(host(0));
        assertFalse(permits.take(host(0)), "too many are taken by others");
        assertTrue(permits.take(new HostPlace(null, "")));
        assertFalse(permits.take(new HostPlace(null, "")));
    }

    @Test
    void aPlaceThatIsGivenBackIsFreeAgain() {
        var host = host(0);
        for (int i = 0; i < 1000; i++) {
            assertTrue(permits.take(host));
            permits.giveBack(host);
        }
        assertEquals(40, most(0));
        assertFalse(permits.take(host));
        permits.giveBack(host);
        assertTrue(permits.take(host));
    }

    @Test
    void aPlaceOfANetworkLeavesAPartToTheOthersAndAlwaysGetsOne() {
        assertEquals(30, most(neighbor(0)), "three quarters of 40");
        assertEquals(8, most(neighbor(1)), "three quarters of 10");
        assertEquals(2, most(neighbor(2)));
        for (int i = 3; i < 259; i++) {
            assertEquals(1, most(neighbor(i)), "place " + i);
        }
        assertEquals(0, most(neighbor(1000)), "256 places have one besides");
        assertEquals(40, most(1), "other hosts have what they had");
        assertEquals(40, most(2));
        permits.giveBack(neighbor(3));
        assertEquals(1, most(neighbor(1000)));
        permits.giveBack(neighbor(0));
        assertEquals(1, most(neighbor(4)), "one more, of those that are shared");
    }

    @Test
    void aHostThatIsNoNetworkHasOneBesidesForAllItsPlaces() {
        for (int i = 0; i < 20; i++) {
            most(i);
        }
        assertEquals(1, most(new HostPlace(new TestHost(100), "one")));
        assertEquals(0, most(new HostPlace(new TestHost(100), "two")));
    }

    /** Random takes and ends, from a seed; what is given back can be taken again. */
    @Test
    void whatIsGivenBackIsThereAgain() {
        var random = new Random(20261128);
        var taken = new ArrayList<HostPlace>();
        for (int i = 0; i < 100_000; i++) {
            int number = random.nextInt(30);
            var place = number < 20 ? neighbor(number) : host(number);
            if (random.nextInt(3) > 0 && permits.take(place)) {
                taken.add(place);
            } else if (!taken.isEmpty()) {
                permits.giveBack(taken.remove(random.nextInt(taken.size())));
            }
            assertEquals(!taken.isEmpty(), permits.isUsed());
        }
        taken.forEach(permits::giveBack);
        assertFalse(permits.isUsed());
        assertEquals(40, most(0));
        assertEquals(30, most(neighbor(0)));
    }
}
