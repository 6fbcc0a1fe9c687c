package io.github.rpcrdma4j.rpcrdma.v2.transmission;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.rpcrdma.v2.transmission.ResponseOffer.Estimate;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.ResponseOffer.Means;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.ResponseOffer.Policy;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.TransferMethod.Costs;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.TransferMethod.Form;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.TransferMethod.Need;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: each message travels in the cheapest form, and each call offers what its response may need.
 */
class FormsTest {
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
        assertEquals(Form.INLINE, TransferMethod.of(write(512, 1, 1, 8), costs(40)).form());
        assertEquals(Form.PLACED, TransferMethod.of(write(8192, 2, 3, 8), costs(40)).form());
        assertEquals(Form.EXPLICIT, TransferMethod.of(write(65536, 14, 17, 20), costs(40)).form());
        // The longer the round trip, the more Sends are cheaper than it.
        assertEquals(Form.PLACED, TransferMethod.of(write(65536, 14, 17, 20), costs(100)).form());
        assertEquals(Form.EXPLICIT, TransferMethod.of(write(65536, 14, 17, 13), costs(100)).form());
        // There are no buffers for placement.
        assertEquals(Form.CONTINUED, TransferMethod.of(write(8192, 0, 3, 8), costs(40)).form());
        assertEquals(Form.EXPLICIT, TransferMethod.of(write(8192, 0, 3, 2), costs(40)).form());
    }

    @Test
    @Tag("RTR-4.3-3")
    @Tag("RTR-5.2-1")
    @Tag("RTR-5.2-2")
    void hasAFormForEverything() {
        var longPayload = new Need(10_000, 0, 0, 4000, 4000, 0, 3, 4);
        assertEquals(Form.CONTINUED, TransferMethod.of(longPayload, costs(40)).form());
        var tooMany = new Need(10_000, 0, 0, 4000, 4000, 0, 3, 1);
        assertEquals(Form.LONG, TransferMethod.of(tooMany, costs(40)).form());
        assertEquals(Set.of(Form.LONG), TransferMethod.of(tooMany, costs(40)).costs().keySet());
        var both = new Need(10_000, 8192, 1, 4000, 4000, 0, 0, 1);
        assertEquals(Form.LONG, TransferMethod.of(both, costs(40)).form());
        var explicit = new Need(3_000, 8192, 1, 4000, 4000, 0, 0, 1);
        assertEquals(Form.EXPLICIT, TransferMethod.of(explicit, costs(40)).form());
    }

    @Test
    void tellsWhatItCompared() {
        var choice =
                TransferMethod.of(
                        write(2000, 1, 0, 8), new Costs(40_000, 5_000, 1_000, 3_000, 1000));
        assertEquals(5_000L + 2_000, choice.costs().get(Form.INLINE));
        assertEquals(6_000L, choice.costs().get(Form.PLACED));
        assertEquals(48_000L, choice.costs().get(Form.EXPLICIT));
        assertEquals(40_000 + 5_000 + 6_000 + 160L, choice.costs().get(Form.LONG));
        assertEquals(Form.PLACED, choice.form());
        var free = TransferMethod.of(write(2000, 1, 0, 8), new Costs(0, 0, 0, 0, 0));
        assertEquals(Form.INLINE, free.form());
    }

    private static String offer(
            long min, long max, int transmissions, boolean canFetch, Policy policy) {
        var offer =
                ResponseOffer.of(
                        new Estimate(min, max < 0 ? OptionalLong.empty() : OptionalLong.of(max)),
                        new Means(4000, 4056, transmissions, canFetch),
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
