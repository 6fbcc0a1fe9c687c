package io.github.rpcrdma4j.iwarp.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BusyPollBackoffTest {
    private final BusyPollBackoff backoff = new BusyPollBackoff();

    /** Waits until the next look, and returns how many waits had none. */
    private int rests() {
        int rests = 0;
        while (!backoff.looks()) {
            rests++;
        }
        return rests;
    }

    @Test
    void looksBeforeEveryWaitAsLongAsThatFindsSomething() {
        for (int wait = 0; wait < 100; wait++) {
            assertTrue(backoff.looks());
            backoff.found();
        }
    }

    @Test
    void restsLongerEachTimeALookHasFoundNothing() {
        var rests = new ArrayList<Integer>();
        for (int look = 0; look < 9; look++) {
            rests.add(rests());
            backoff.missed();
        }
        assertEquals(List.of(0, 1, 3, 7, 15, 31, 63, 63, 63), rests);
    }

    @Test
    void looksBeforeEveryWaitAgainOnceALookHasFoundSomething() {
        for (int look = 0; look < 5; look++) {
            rests();
            backoff.missed();
        }
        rests();
        backoff.found();
        assertEquals(0, rests());
        backoff.missed();
        assertFalse(backoff.looks());
        assertTrue(backoff.looks());
    }

    /**
     * Reports that others want the processor {@code times} times, and returns the waits after each.
     */
    private List<Integer> restsWhereCrowded(int times) {
        var rests = new ArrayList<Integer>();
        for (int look = 0; look < times; look++) {
            backoff.crowded();
            rests.add(rests());
        }
        return rests;
    }

    private void find(int times) {
        for (int look = 0; look < times; look++) {
            backoff.found();
            assertEquals(0, rests());
        }
    }

    @Test
    void restsLongerEachTimeOthersWantTheProcessorEvenIfSomethingIsFoundBetween() {
        assertEquals(List.of(1, 3, 7), restsWhereCrowded(3));
        find(BusyPollBackoff.FINDS - 1);
        assertEquals(List.of(15, 31, 63, 63), restsWhereCrowded(4));
    }

    @Test
    void forgetsThatOthersWantedTheProcessorWhenLooksFindSomethingForLong() {
        assertEquals(List.of(1, 3, 7), restsWhereCrowded(3));
        find(2 * BusyPollBackoff.FINDS);
        assertEquals(List.of(3, 7), restsWhereCrowded(2));
        find(5 * BusyPollBackoff.FINDS);
        assertEquals(List.of(1), restsWhereCrowded(1));
    }
}
