package io.github.rpcrdma4j.rpcrdma.v2.requester;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.rpcrdma.requester.CreditWindow;
import io.github.rpcrdma4j.rpcrdma.rfc5666.fetched.OneWayCredits;
import io.github.rpcrdma4j.sim.Seeds;
import java.util.ArrayDeque;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class SeveralSendsTest {
    private final CreditWindow credits = new CreditWindow(64);
    private final OneWayCredits oneWay = new OneWayCredits();

    private int available() {
        return credits.available(oneWay.held());
    }

    private boolean tryTake(int sends) {
        return credits.tryTakeAll(sends, oneWay.held());
    }

    @Test
    @Tag("RTR-4.3-1")
    @Tag("RTR-4.3-2")
    void takesAllOrNone() {
        assertEquals(1, available());
        assertFalse(tryTake(2));
        assertTrue(tryTake(1));
        assertFalse(tryTake(1));
        credits.grant(4);
        assertEquals(3, available());
        assertFalse(tryTake(4));
        assertEquals(1, credits.outstanding());
        assertTrue(tryTake(3));
        assertFalse(tryTake(1));
        // A lower grant does not take credits back.
        credits.grant(2);
        credits.release(1);
        assertEquals(0, available());
        credits.release(3);
        assertEquals(2, available());
        credits.grant(0);
        assertEquals(1, available());
        assertThrows(AssertionError.class, () -> credits.release(1));
    }

    @Test
    @Tag("RPR-5.2.3-1")
    @Tag("RPR-5.2.3-2")
    void countsOneWayMessagesUntilALaterCallIsAnswered() {
        credits.grant(4);
        assertTrue(tryTake(1));
        long before = oneWay.call();
        oneWay.sent();
        oneWay.sent();
        assertEquals(1, available());
        assertTrue(tryTake(1));
        long after = oneWay.call();
        credits.release(1);
        oneWay.answered(before);
        assertEquals(2, oneWay.held());
        oneWay.sent();
        credits.release(1);
        oneWay.answered(after);
        assertEquals(1, oneWay.held());
        oneWay.confirmed();
        oneWay.confirmed();
        assertEquals(0, oneWay.held());
        // An idle requester can always make a call, whose answer then frees credits.
        for (int i = 0; i < 9; i++) {
            oneWay.sent();
        }
        assertEquals(1, available());
        assertTrue(tryTake(1));
        credits.release(1);
        oneWay.answered(oneWay.call());
        assertEquals(4, available());
    }

    @Test
    void keepsTheCreditForProbesBack() {
        credits.reserve();
        credits.grant(4);
        assertFalse(tryTake(4));
        assertTrue(tryTake(3));
        assertTrue(credits.tryTakeReserved(0));
    }

    /**
     * Goal: every call is sent in the end, and the credits taken never exceed the grant by more
     * than one. Method: random calls to a peer that answers in any order.
     */
    @Test
    @Tag("RTR-4.3-2")
    void sendsEveryCallInTheEnd() {
        Seeds.many(500).forEach(SeveralSendsTest::sendsEveryCallInTheEnd);
    }

    private static void sendsEveryCallInTheEnd(long seed) {
        var random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
        var credits = new CreditWindow(6);
        var oneWay = new OneWayCredits();
        var out = new ArrayDeque<long[]>();
        int left = 100;
        for (int steps = 0; left > 0; steps++) {
            assertTrue(steps < 10_000, () -> "seed " + seed);
            int sends = random.nextInt(1, 5);
            if (!credits.tryTakeAll(sends, oneWay.held())) {
                sends = credits.tryTakeAll(1, oneWay.held()) ? 1 : 0;
            }
            if (sends > 0) {
                out.add(new long[] {oneWay.call(), sends});
                left--;
            } else {
                var answered = random.nextBoolean() ? out.removeFirst() : out.removeLast();
                credits.release((int) answered[1]);
                oneWay.answered(answered[0]);
                credits.grant(random.nextInt(6));
            }
            if (random.nextInt(8) == 0) {
                oneWay.sent();
            }
        }
        out.forEach(call -> credits.release((int) call[1]));
        assertEquals(0, credits.outstanding());
    }
}
