package io.github.rpcrdma4j.nfs.v3;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class TimestampTest {
    private static final Instant FIRST = Instant.EPOCH;
    private static final Instant LAST = Instant.ofEpochSecond(0xffff_ffffL, 999_999_999);

    @Test
    void keepsEveryTimeThat32BitsOfSecondsCanExpress() {
        for (var instant : new Instant[] {FIRST, Instant.ofEpochSecond(0x8000_0000L, 5), LAST}) {
            assertEquals(instant, Timestamp.of(instant).instant());
        }
    }

    @Test
    void isTheNearestOfATimeThatItCannotExpress() {
        for (var early : new Instant[] {FIRST.minusNanos(1), Instant.MIN}) {
            assertEquals(FIRST, Timestamp.of(early).instant());
        }
        for (var late : new Instant[] {LAST.plusNanos(1), Instant.MAX}) {
            assertEquals(LAST, Timestamp.of(late).instant());
        }
    }
}
