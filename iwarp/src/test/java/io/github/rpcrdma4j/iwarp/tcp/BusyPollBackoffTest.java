package io.github.rpcrdma4j.iwarp.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BusyPollBackoffTest {
    private final BusyPollBackoff backoff = new BusyPollBackoff();

    /** Waits until the thread may busy-poll, and returns how many waits it slept before. */
    private int sleeps() {
        int sleeps = 0;
        while (!backoff.mayBusyPoll()) {
            sleeps++;
        }
        return sleeps;
    }

    @Test
    void busyPollsInEveryWaitWhileThatSucceeds() {
        for (int wait = 0; wait < 100; wait++) {
            assertTrue(backoff.mayBusyPoll());
            backoff.succeeded();
        }
    }

    @Test
    void sleepsInMoreWaitsAfterEachFailure() {
        var sleeps = new ArrayList<Integer>();
        for (int i = 0; i < 9; i++) {
            sleeps.add(sleeps());
            backoff.failed();
        }
        assertEquals(List.of(0, 1, 3, 7, 15, 31, 63, 63, 63), sleeps);
    }

    @Test
    void busyPollsInEveryWaitAgainAfterASuccess() {
        for (int i = 0; i < 5; i++) {
            sleeps();
            backoff.failed();
        }
        sleeps();
        backoff.succeeded();
        assertEquals(0, sleeps());
        backoff.failed();
        assertFalse(backoff.mayBusyPoll());
        assertTrue(backoff.mayBusyPoll());
    }

    /**
     * Reports contention {@code times} times, and returns how many waits the thread slept after
     * each.
     */
    private List<Integer> sleepsAfterContention(int times) {
        var sleeps = new ArrayList<Integer>();
        for (int i = 0; i < times; i++) {
            backoff.contended();
            sleeps.add(sleeps());
        }
        return sleeps;
    }

    private void succeed(int times) {
        for (int i = 0; i < times; i++) {
            backoff.succeeded();
            assertEquals(0, sleeps());
        }
    }

    @Test
    void sleepsInMoreWaitsAfterEachContentionEvenWithSuccessesBetween() {
        assertEquals(List.of(1, 3, 7), sleepsAfterContention(3));
        succeed(BusyPollBackoff.SUCCESSES - 1);
        assertEquals(List.of(15, 31, 63, 63), sleepsAfterContention(4));
    }

    @Test
    void forgetsContentionAfterManySuccesses() {
        assertEquals(List.of(1, 3, 7), sleepsAfterContention(3));
        succeed(2 * BusyPollBackoff.SUCCESSES);
        assertEquals(List.of(3, 7), sleepsAfterContention(2));
        succeed(5 * BusyPollBackoff.SUCCESSES);
        assertEquals(List.of(1), sleepsAfterContention(1));
    }
}
