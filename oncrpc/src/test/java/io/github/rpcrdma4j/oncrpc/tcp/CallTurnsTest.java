package io.github.rpcrdma4j.oncrpc.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.oncrpc.tcp.CallTurns.HangingCalls;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

class CallTurnsTest {
    private static final int MAX = 3;
    private static final int WAITING_MAX = 5;

    private final CallTurns turns = new CallTurns(MAX, WAITING_MAX);

    private static CallTurns.Arrived call() {
        return new CallTurns.Arrived(null, null, null);
    }

    /** Admits as many calls as may be in progress, and returns them. */
    private List<CallTurns.Arrived> fill() throws InterruptedException {
        var calls = new ArrayList<CallTurns.Arrived>();
        for (int i = 0; i < MAX; i++) {
            calls.add(call());
            assertTrue(turns.admit(calls.getLast()));
        }
        return calls;
    }

    @Test
    void callsBeyondTheLimitWaitAndBeginInTheirOrder() throws Exception {
        assertFalse(turns.isBusy());
        var calls = fill();
        var first = call();
        var second = call();
        assertFalse(turns.admit(first));
        assertFalse(turns.admit(second));
        assertSame(first, turns.ended(calls.removeFirst()));
        assertSame(second, turns.ended(calls.removeFirst()));
        calls.addAll(List.of(first, second));
        for (var each : calls) {
            assertTrue(turns.isBusy() && turns.areAwaited());
            assertNull(turns.ended(each));
        }
        assertFalse(turns.areAwaited());
        assertFalse(turns.isBusy());
        turns.awaitNone();
    }

    @Test
    void theReaderStopsWhenTooManyCallsWait() throws Exception {
        var next = fill().getFirst();
        for (int i = 0; i < WAITING_MAX; i++) {
            assertFalse(turns.admit(call()));
        }
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var one = threads.submit(() -> turns.admit(call()));
            for (int i = 0; i < WAITING_MAX; i++) {
                next = turns.ended(next);
            }
            assertFalse(one.get());
        }
        assertEquals(1, turns.removeWaiting().size());
    }

    @Test
    void waitingCallsThatAreRemovedDoNotBegin() throws Exception {
        var calls = fill();
        assertFalse(turns.admit(call()));
        assertEquals(1, turns.removeWaiting().size());
        assertNull(turns.ended(calls.getFirst()));
    }

    private static final HangingCalls ALL = () -> true;

    @Test
    void waitingCallsTakeTheTurnsOfCallsThatHang() throws Exception {
        var calls = fill();
        var next = call();
        var last = call();
        assertFalse(turns.admit(next));
        assertFalse(turns.admit(last));
        calls.getFirst().begin(100);
        assertEquals(List.of(), turns.passOver(100 + CallTurns.HANGS_NANOS - 1, ALL));
        assertEquals(List.of(), turns.passOver(100 + CallTurns.HANGS_NANOS, () -> false));
        assertEquals(List.of(next), turns.passOver(100 + CallTurns.HANGS_NANOS, ALL));
        assertEquals(List.of(), turns.passOver(100 + CallTurns.HANGS_NANOS, ALL));
        // It has given its turn away already.
        assertNull(turns.ended(calls.getFirst()));
        assertTrue(calls.getFirst().wasHanging());
        assertSame(last, turns.ended(calls.get(1)));
        assertFalse(calls.get(1).wasHanging());
        for (var each : List.of(next, last)) {
            assertNull(turns.ended(each));
        }
        assertTrue(turns.isBusy());
        assertNull(turns.ended(calls.get(2)));
        assertFalse(turns.isBusy());
    }

    @Test
    void aCallThatWaitsForAThreadOrWritesItsReplyDoesNotHang() throws Exception {
        var calls = fill();
        calls.getFirst().begin(0);
        calls.getFirst().carriedOut();
        assertFalse(turns.admit(call()));
        assertEquals(List.of(), turns.passOver(10 * CallTurns.HANGS_NANOS, ALL));
    }

    @Test
    void aConnectionIsBusyWhileOneOfItsCallsHangs() throws Exception {
        var one = call();
        assertTrue(turns.admit(one));
        one.begin(0);
        assertEquals(List.of(), turns.passOver(CallTurns.HANGS_NANOS, ALL));
        for (var each : fill()) {
            assertNull(turns.ended(each));
        }
        assertTrue(turns.isBusy() && turns.areAwaited());
        assertNull(turns.ended(one));
        assertFalse(turns.isBusy() || turns.areAwaited());
    }

    @Test
    void aCallIsAwaitedUntilItsReplyIsSentOrItEnds() throws Exception {
        var calls = fill();
        turns.admit(call());
        turns.removeWaiting();
        turns.answered(calls.get(0));
        turns.answered(call());
        assertNull(turns.ended(calls.get(0)));
        assertNull(turns.ended(calls.get(1)));
        assertTrue(turns.areAwaited());
        turns.answered(calls.get(2));
        assertFalse(turns.areAwaited());
        assertTrue(turns.isBusy());
    }
}
