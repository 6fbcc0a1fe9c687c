package io.github.rpcrdma4j.rpcrdma.session;

import static io.github.rpcrdma4j.rpcrdma.session.QuickCalls.FEWEST;
import static io.github.rpcrdma4j.rpcrdma.session.QuickCalls.MOST;
import static io.github.rpcrdma4j.rpcrdma.session.QuickCalls.QUICK_NANOS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.rpcrdma.session.QuickCalls.State;
import org.junit.jupiter.api.Test;

/** Goal: slow calls leave the polling thread, and quick calls return to it. */
class QuickCallsTest {
    private static final int PROCEDURE = 6;
    private static final long SLOW = QUICK_NANOS + 1;

    private final QuickCalls calls = new QuickCalls();

    /** Goal: one table shows all steps. Method: every event in every kind of state. */
    @Test
    void followsTheTransitionTable() {
        // A row has handedOver and next of a state, and then both after each event: polled quick,
        // polled slow, apart quick, apart slow.
        table(0, FEWEST, 0, FEWEST, FEWEST, 2 * FEWEST, 0, FEWEST, 0, FEWEST);
        table(0, 64, 0, 32, 64, 128, 0, 64, 0, 64);
        table(0, MOST, 0, MOST / 2, MOST, MOST, 0, MOST, 0, MOST);
        table(1, 16, 1, FEWEST, 16, 32, 0, 16, FEWEST, 16);
        table(5, 16, 5, FEWEST, 16, 32, 4, 16, FEWEST, 16);
        table(100, 256, 100, 128, 256, 512, 99, 256, 100, 256);
    }

    private static void table(int handedOver, int next, int... after) {
        var state = new State(handedOver, next);
        assertEquals(new State(after[0], after[1]), state.ranOnPoller(true));
        assertEquals(new State(after[2], after[3]), state.ranOnPoller(false));
        assertEquals(new State(after[4], after[5]), state.ranOnOwnThread(true));
        assertEquals(new State(after[6], after[7]), state.ranOnOwnThread(false));
    }

    @Test
    void aSlowCallSendsTheNextToThreads() {
        calls.ranOnPoller(PROCEDURE, QUICK_NANOS);
        assertTrue(calls.mayRun(PROCEDURE));
        calls.ranOnPoller(PROCEDURE, SLOW);
        for (int i = 0; i < FEWEST; i++) {
            assertFalse(calls.mayRun(PROCEDURE));
            calls.ranOnOwnThread(PROCEDURE, QUICK_NANOS);
        }
        assertTrue(calls.mayRun(PROCEDURE));
    }

    @Test
    void whatIsSlowWheneverItIsTriedIsHardlyTried() {
        int tried = 0;
        for (int i = 0; i < 10_000; i++) {
            if (calls.mayRun(PROCEDURE)) {
                tried++;
                calls.ranOnPoller(PROCEDURE, SLOW);
            } else {
                calls.ranOnOwnThread(PROCEDURE, QUICK_NANOS);
            }
        }
        assertTrue(tried < 20, () -> "tried more often than wanted");
    }

    @Test
    void proceduresDoNotKnowOfEachOther() {
        calls.ranOnPoller(PROCEDURE, SLOW);
        assertTrue(calls.mayRun(PROCEDURE + 1));
        assertTrue(calls.mayRun(-1));
    }
}
