package io.github.rpcrdma4j.rpcrdma.responder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class CallQuotaTest {
    private static final int CALL_BYTES_MAX = 100;
    private static final int CONNECTION_BYTES_MAX = 150;

    private final SegmentPool pool = new SegmentPool(1 << 20);
    private final Held held = new Held();
    private final CallQuota quota =
            new CallQuota(
                    new Responder.Bounds(1, CALL_BYTES_MAX, CONNECTION_BYTES_MAX),
                    held,
                    Guard.NONE);

    /** The quota of a client; the test limits its calls and reads what it holds. */
    private static final class Held implements ConnectionQuota {
        private int calls;
        private long bytes;
        private int callsMax = Integer.MAX_VALUE;
        private int delayed;

        @Override
        public boolean take(long more) {
            if (calls == callsMax) {
                return false;
            }
            calls++;
            bytes += more;
            return true;
        }

        @Override
        public void delayed() {
            delayed++;
        }

        @Override
        public void answered(long less) {
            calls--;
            bytes -= less;
        }

        @Override
        public void give(long less) {
            bytes -= less;
        }
    }

    private ServedCall call(int reads, int results) {
        var readList =
                reads == 0 ? List.<ReadSegment>of() : List.of(new ReadSegment(48, of(reads)));
        var replyChunk = Optional.of(new WriteChunk(List.of(of(results))));
        var call = new ServedCall(pool, _ -> {});
        call.begin(
                1,
                new ChunkLists(readList, List.of(), replyChunk),
                MemorySegment.NULL,
                pool.lease(1));
        return call;
    }

    private static Segment of(int length) {
        return new Segment(1, length, 0);
    }

    private ServedCall add(int reads, int results) {
        var call = call(reads, results);
        quota.add(call);
        return call;
    }

    @Test
    @Tag("8166-8.1.4-1")
    void refusesACallWithTooLongReadChunks() {
        assertTrue(quota.accepts(call(CALL_BYTES_MAX, 0)));
        assertFalse(quota.accepts(call(CALL_BYTES_MAX + 1, 0)));
    }

    @Test
    void keepsTheOrderOfCallsThatWaitForMemory() {
        var first = add(CALL_BYTES_MAX, 0);
        var second = add(CALL_BYTES_MAX, 0);
        var third = add(0, 0);
        assertSame(first, quota.next());
        assertNull(quota.next());
        quota.releaseArguments(first);
        assertSame(second, quota.next());
        assertSame(third, quota.next());
        assertNull(quota.next());
    }

    @Test
    void fetchesOnlyALimitedLengthBeforeItIsPassedOn() {
        quota.plan(50, _ -> 0);
        var first = add(70, 0);
        var second = add(20, 0);
        var third = add(20, 0);
        var fourth = add(20, 0);
        var fifth = add(0, 0);
        assertSame(first, quota.next(), "one call alone may have more");
        assertNull(quota.next());
        assertTrue(first.passedOn(), "a call waits for it");
        assertSame(second, quota.next());
        assertSame(third, quota.next());
        assertNull(quota.next());
        assertNull(quota.next());
        quota.releaseArguments(third);
        assertSame(fourth, quota.next());
        assertSame(fifth, quota.next(), "without arguments to fetch");
        assertFalse(fourth.passedOn(), "none waits");
        assertFalse(fifth.passedOn());
    }

    /** Goal: an object that is used for another call counts as that. */
    @Test
    void aReusedCallIsNotPassedOnYet() {
        quota.plan(50, _ -> 0);
        var first = add(50, 0);
        assertSame(first, quota.next());
        assertFalse(first.passedOn());
        quota.release(first);
        quota.add(first);
        var second = add(50, 0);
        assertSame(first, quota.next());
        assertNull(quota.next());
        assertTrue(first.passedOn());
        assertSame(second, quota.next());
        quota.release(first);
        quota.release(second);
        assertEquals(0, held.bytes);
    }

    @Test
    void theLimitOfTheConnectionHoldsForArgumentsThatArePassedOn() {
        quota.plan(50, _ -> 0);
        for (int i = 0; i < 3; i++) {
            var call = add(50, 0);
            assertSame(call, quota.next());
            call.passedOn();
        }
        add(50, 0);
        assertNull(quota.next());
    }

    @Test
    void delaysACallForOthersOfItsClient() {
        held.callsMax = 1;
        var first = add(0, 0);
        var second = add(0, 0);
        assertSame(first, quota.next());
        assertNull(quota.next());
        quota.answered(first);
        assertSame(second, quota.next());
    }

    @Test
    void countsADelayedCallOnceHoweverOftenItTries() {
        held.callsMax = 1;
        var first = add(0, 0);
        var second = add(0, 0);
        assertSame(first, quota.next());
        assertEquals(0, held.delayed);
        assertNull(quota.next());
        assertNull(quota.next());
        assertEquals(1, held.delayed);
        var third = add(0, 0);
        quota.answered(first);
        assertSame(second, quota.next());
        assertNull(quota.next());
        assertEquals(2, held.delayed);
        quota.answered(second);
        assertSame(third, quota.next());
        assertEquals(2, held.delayed);
    }

    /** Goal: a call gives back all of its quota, and nothing twice. Method: several orders. */
    @Test
    void givesBackWhatACallHasTakenOnce() {
        var answered = add(20, 30);
        assertSame(answered, quota.next());
        assertEquals(20, answered.taken().fetchedBytes());
        assertEquals(50, held.bytes);
        quota.releaseArguments(answered);
        quota.answered(answered);
        assertEquals(0, held.calls);
        assertEquals(30, held.bytes);
        quota.release(answered);
        assertEquals(0, held.bytes);

        var lost = add(20, 1000);
        assertSame(lost, quota.next());
        assertEquals(20 + CALL_BYTES_MAX, held.bytes);
        quota.release(lost);
        assertEquals(0, held.calls);
        assertEquals(0, held.bytes);
        assertEquals(0, lost.taken().fetchedBytes());

        quota.add(call(CALL_BYTES_MAX, 0));
        quota.close();
        assertNull(quota.next());
    }
}
