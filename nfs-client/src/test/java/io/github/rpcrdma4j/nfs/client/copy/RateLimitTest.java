package io.github.rpcrdma4j.nfs.client.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InterruptedIOException;
import org.junit.jupiter.api.Test;

/** Goal: copies move no more bytes per second than allowed. Method: given times. */
class RateLimitTest {
    private static final long SECOND = 1_000_000_000;

    @Test
    void eachTransferWaitsForThoseBeforeIt() {
        var limit = new RateLimit(1000);
        assertEquals(0, limit.reserve(500, 7));
        assertEquals(SECOND / 2, limit.reserve(250, 7));
        assertEquals(SECOND / 2, limit.reserve(1, 7 + SECOND / 4));
    }

    @Test
    void idleTimeIsNotMadeUpFor() {
        var limit = new RateLimit(1000);
        limit.reserve(1000, 0);
        assertEquals(0, limit.reserve(1000, 100 * SECOND));
        assertEquals(SECOND, limit.reserve(1000, 100 * SECOND));
    }

    @Test
    void transfersAndCallsAreFewerAndShorterWithALimit() {
        assertEquals(250_000, new RateLimit(1_000_000).transfer(1 << 20));
        assertEquals(4096, new RateLimit(10).transfer(1 << 20));
        assertEquals(512, new RateLimit(10).transfer(512));
        assertEquals(1 << 20, new RateLimit(Long.MAX_VALUE).transfer(1 << 20));
        assertEquals(2, new RateLimit(10).outstanding(8));
        assertEquals(8, new RateLimit(Long.MAX_VALUE).outstanding(8));
    }

    @Test
    void anInterruptEndsTheWait() throws Exception {
        var limit = new RateLimit(1);
        limit.take(1_000_000);
        Thread.currentThread().interrupt();
        assertThrows(InterruptedIOException.class, () -> limit.take(1));
        assertTrue(Thread.interrupted());
    }
}
