package io.github.rpcrdma4j.rpcrdma.credit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.sim.Seeds;
import java.util.ArrayDeque;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class TransmissionCreditsTest {
    @Test
    @Tag("RTR-4.3-1")
    @Tag("RTR-4.3-2")
    void takesAllOrNone() {
        var credits = new TransmissionCredits();
        assertEquals(1, credits.available());
        assertEquals(-1, credits.tryTake(2));
        long first = credits.tryTake(1);
        assertEquals(-1, credits.tryTake(1));
        credits.grant(4);
        assertEquals(3, credits.available());
        assertEquals(-1, credits.tryTake(4));
        assertEquals(1, credits.inCalls());
        long second = credits.tryTake(3);
        assertEquals(-1, credits.tryTake(1));
        // A lower grant takes nothing back.
        credits.grant(2);
        credits.answered(first, 1);
        assertEquals(0, credits.available());
        credits.answered(second, 3);
        assertEquals(2, credits.available());
        credits.grant(0);
        assertEquals(1, credits.available());
        credits.grant(-1);
        assertEquals(0xffff_ffffL, credits.available());
        assertThrows(AssertionError.class, () -> credits.answered(3, 1));
    }

    @Test
    @Tag("RPR-5.2.3-1")
    @Tag("RPR-5.2.3-2")
    void countsWhatNobodyAnswersUntilALaterCallIs() {
        var credits = new TransmissionCredits();
        credits.grant(4);
        long before = credits.tryTake(1);
        credits.sentOneWay();
        credits.sentOneWay();
        assertEquals(1, credits.available());
        long after = credits.tryTake(1);
        credits.answered(before, 1);
        assertEquals(2, credits.oneWay());
        credits.sentOneWay();
        credits.answered(after, 1);
        assertEquals(1, credits.oneWay());
        credits.confirmedOneWay();
        credits.confirmedOneWay();
        assertEquals(0, credits.oneWay());
        // An idle requester can always make a call, so that something is answered.
        for (int i = 0; i < 9; i++) {
            credits.sentOneWay();
        }
        assertEquals(1, credits.available());
        credits.answered(credits.tryTake(1), 1);
        assertEquals(4, credits.available());
    }

    /**
     * Goal: nobody waits for ever, and the grant and one is never exceeded. Method: random calls
     * against a peer that answers in any order.
     */
    @Test
    @Tag("RTR-4.3-2")
    void comesToAnEnd() {
        Seeds.many(500)
                .forEach(
                        seed -> {
                            var random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
                            var credits = new TransmissionCredits();
                            var out = new ArrayDeque<long[]>();
                            int left = 100;
                            for (int steps = 0; left > 0; steps++) {
                                assertTrue(steps < 10_000, () -> "seed " + seed);
                                int sends = random.nextInt(1, 5);
                                long number = credits.tryTake(sends);
                                number = number < 0 ? credits.tryTake(sends = 1) : number;
                                if (number > 0) {
                                    out.add(new long[] {number, sends});
                                    left--;
                                } else {
                                    var answered =
                                            random.nextBoolean()
                                                    ? out.removeFirst()
                                                    : out.removeLast();
                                    credits.answered(answered[0], (int) answered[1]);
                                    credits.grant(random.nextInt(6));
                                }
                                if (random.nextInt(8) == 0) {
                                    credits.sentOneWay();
                                }
                            }
                            out.forEach(call -> credits.answered(call[0], (int) call[1]));
                            assertEquals(0, credits.inCalls());
                        });
    }
}
