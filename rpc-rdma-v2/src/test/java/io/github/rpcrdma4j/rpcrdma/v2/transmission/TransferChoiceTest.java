package io.github.rpcrdma4j.rpcrdma.v2.transmission;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.rpcrdma.v2.transmission.ResponseOffer.Estimate;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.ResponseOffer.Limits;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.ResponseOffer.Policy;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.TransferChoice.Costs;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.TransferChoice.Need;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: each message travels by the cheapest method, and each call offers what its response may
 * need.
 */
class TransferChoiceTest {
    /**
     * Returns costs: 5 microseconds for a Send, 1 for a placement, 3 for a registration, and a
     * nanosecond for 4 bytes.
     */
    private static Costs costs(long roundTripMicros) {
        return new Costs(roundTripMicros * 1000, 5_000, 1_000, 3_000, 250);
    }

    private static Need write(int bytes, int placedSends, int continuedSends, int sendsMax) {
        return new Need(160, bytes, 1, 4000, 4000, placedSends, continuedSends, sendsMax);
    }

    @Test
    @Tag("RTR-5.3-5")
    @Tag("RTR-4.3-1")
    void sendsSmallItemsAndLetsLargeOnesBeFetched() {
        assertEquals(
                TransferMethod.INLINE, TransferChoice.of(write(512, 1, 1, 8), costs(40)).method());
        assertEquals(
                TransferMethod.PLACED, TransferChoice.of(write(8192, 2, 3, 8), costs(40)).method());
        assertEquals(
                TransferMethod.EXPLICIT,
                TransferChoice.of(write(65536, 14, 17, 20), costs(40)).method());
        // The longer the round trip, the more Sends are cheaper than it.
        assertEquals(
                TransferMethod.PLACED,
                TransferChoice.of(write(65536, 14, 17, 20), costs(100)).method());
        assertEquals(
                TransferMethod.EXPLICIT,
                TransferChoice.of(write(65536, 14, 17, 13), costs(100)).method());
        // There are no buffers for placement.
        assertEquals(
                TransferMethod.CONTINUED,
                TransferChoice.of(write(8192, 0, 3, 8), costs(40)).method());
        assertEquals(
                TransferMethod.EXPLICIT,
                TransferChoice.of(write(8192, 0, 3, 2), costs(40)).method());
    }

    @Test
    @Tag("RTR-4.3-3")
    @Tag("RTR-5.2-1")
    @Tag("RTR-5.2-2")
    void hasAMethodForEveryMessage() {
        var longPayload = new Need(10_000, 0, 0, 4000, 4000, 0, 3, 4);
        assertEquals(TransferMethod.CONTINUED, TransferChoice.of(longPayload, costs(40)).method());
        var tooMany = new Need(10_000, 0, 0, 4000, 4000, 0, 3, 1);
        assertEquals(TransferMethod.LONG, TransferChoice.of(tooMany, costs(40)).method());
        assertEquals(
                Set.of(TransferMethod.LONG),
                TransferChoice.of(tooMany, costs(40)).costs().keySet());
        var both = new Need(10_000, 8192, 1, 4000, 4000, 0, 0, 1);
        assertEquals(TransferMethod.LONG, TransferChoice.of(both, costs(40)).method());
        var explicit = new Need(3_000, 8192, 1, 4000, 4000, 0, 0, 1);
        assertEquals(TransferMethod.EXPLICIT, TransferChoice.of(explicit, costs(40)).method());
    }

    @Test
    void returnsTheCostsOfAllPossibleMethods() {
        var choice =
                TransferChoice.of(
                        write(2000, 1, 0, 8), new Costs(40_000, 5_000, 1_000, 3_000, 1000));
        assertEquals(5_000L + 2_000, choice.costs().get(TransferMethod.INLINE));
        assertEquals(6_000L, choice.costs().get(TransferMethod.PLACED));
        assertEquals(48_000L, choice.costs().get(TransferMethod.EXPLICIT));
        assertEquals(40_000 + 5_000 + 6_000 + 160L, choice.costs().get(TransferMethod.LONG));
        assertEquals(TransferMethod.PLACED, choice.method());
        var free = TransferChoice.of(write(2000, 1, 0, 8), new Costs(0, 0, 0, 0, 0));
        assertEquals(TransferMethod.INLINE, free.method());
    }

    private static String offer(
            long min, long max, int transmissions, boolean canFetch, Policy policy) {
        var offer =
                ResponseOffer.of(
                        new Estimate(min, max < 0 ? OptionalLong.empty() : OptionalLong.of(max)),
                        new Limits(4000, 4056, transmissions, canFetch),
                        policy);
        return offer.transmissions() + (offer.hasReplyChunk() ? " chunk" : "");
    }

    @Test
    @Tag("RTR-4.3-4")
    @Tag("RTR-4.3-5")
    @Tag("RTR-5.2-4")
    @Tag("RTR-5.2-5")
    @Tag("RTR-5.2-6")
    @Tag("RPR-5.3.1-1")
    @Tag("RPR-5.3.1-2")
    @Tag("RPR-5.3.1-3")
    @Tag("RPR-5.3.1-4")
    @Tag("RPR-3.5-1")
    @Tag("XCH-3.1-2")
    void offersWhatAResponseMayNeed() {
        var where = Policy.WHERE_NEEDED;
        var never = Policy.NEVER_IF_AVOIDABLE;
        assertEquals("1", offer(100, 4000, 1, false, where));
        assertEquals("1 chunk", offer(100, 4001, 1, false, where));
        assertEquals("2", offer(100, 4001, 4, false, where));
        assertEquals("4", offer(100, 4000 + 3 * 4056, 4, false, where));
        assertEquals("4 chunk", offer(100, 4001 + 3 * 4056, 4, false, where));
        assertEquals("4", offer(100, 4001 + 3 * 4056, 4, true, where));
        assertEquals("1", offer(100, -1, 1, true, where));
        assertEquals("1 chunk", offer(100, -1, 1, false, where));
        assertEquals("1 chunk", offer(10_000, -1, 1, true, where));
        assertEquals("1", offer(10_000, -1, 1, true, never));
        assertEquals("1 chunk", offer(10_000, -1, 1, false, never));
        assertEquals("1 chunk", offer(100, 1L << 60, 0, false, where));
    }
}
