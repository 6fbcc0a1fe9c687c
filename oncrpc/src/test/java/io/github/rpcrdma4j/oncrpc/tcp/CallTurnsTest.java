package io.github.rpcrdma4j.oncrpc.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

class CallTurnsTest {
    private static final int MAX = 3;
    private static final int WAITING_MAX = 5;

    private final CallTurns turns = new CallTurns(MAX, WAITING_MAX);

    private static CallTurns.Arrived call() {
        return new CallTurns.Arrived(null, null, null);
    }

    private void fill() throws InterruptedException {
        for (int i = 0; i < MAX; i++) {
            assertTrue(turns.admit(call()));
        }
    }

    @Test
    void callsBeyondTheLimitWaitAndBeginInTheirOrder() throws Exception {
        assertFalse(turns.isBusy());
        fill();
        var first = call();
        var second = call();
        assertFalse(turns.admit(first));
        assertFalse(turns.admit(second));
        assertSame(first, turns.ended());
        assertSame(second, turns.ended());
        for (int i = 0; i < MAX; i++) {
            assertTrue(turns.isBusy());
            assertNull(turns.ended());
        }
        assertFalse(turns.isBusy());
        turns.awaitNone();
    }

    @Test
    void theReaderStopsWhenTooManyCallsWait() throws Exception {
        fill();
        for (int i = 0; i < WAITING_MAX; i++) {
            assertFalse(turns.admit(call()));
        }
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var one = threads.submit(() -> turns.admit(call()));
            for (int i = 0; i < WAITING_MAX; i++) {
                turns.ended();
            }
            assertFalse(one.get());
        }
        assertEquals(1, turns.removeWaiting().size());
    }

    @Test
    void waitingCallsThatAreRemovedDoNotBegin() throws Exception {
        fill();
        assertFalse(turns.admit(call()));
        assertEquals(1, turns.removeWaiting().size());
        assertNull(turns.ended());
    }
}
