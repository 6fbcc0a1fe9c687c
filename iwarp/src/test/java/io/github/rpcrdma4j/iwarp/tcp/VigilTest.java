package io.github.rpcrdma4j.iwarp.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class VigilTest {
    private final Vigil vigil = new Vigil();

    /** Waits until it looks again, and says how many times it did not. */
    private int rests() {
        int rests = 0;
        while (!vigil.looks()) {
            rests++;
        }
        return rests;
    }

    @Test
    void looksBeforeEveryWaitAsLongAsThatFindsSomething() {
        for (int wait = 0; wait < 100; wait++) {
            assertTrue(vigil.looks());
            vigil.found();
        }
    }

    @Test
    void restsLongerEachTimeALookHasFoundNothing() {
        var rests = new ArrayList<Integer>();
        for (int look = 0; look < 9; look++) {
            rests.add(rests());
            vigil.missed();
        }
        assertEquals(List.of(0, 1, 3, 7, 15, 31, 63, 63, 63), rests);
    }

    @Test
    void looksBeforeEveryWaitAgainOnceALookHasFoundSomething() {
        for (int look = 0; look < 5; look++) {
            rests();
            vigil.missed();
        }
        rests();
        vigil.found();
        assertEquals(0, rests());
        vigil.missed();
        assertFalse(vigil.looks());
        assertTrue(vigil.looks());
    }

    @Test
    void restsForLongWhereOthersWantTheProcessor() {
        assertTrue(vigil.looks());
        vigil.crowded();
        assertEquals(Vigil.RESTS_MAX, rests());
        vigil.found();
        assertEquals(0, rests());
    }
}
