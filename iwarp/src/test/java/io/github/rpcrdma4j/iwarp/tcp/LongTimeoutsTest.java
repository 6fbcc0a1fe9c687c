package io.github.rpcrdma4j.iwarp.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LongTimeoutsTest {
    /** Longer than a clock of 64 bits counts nanoseconds. */
    private static final Duration AGES = Duration.ofSeconds(Long.MAX_VALUE);

    private static final String PLAIN = "1002000400040004";

    @Test
    void acceptsConnectionsWithTheLongestTimeouts() throws Exception {
        var options =
                IwarpOptions.DEFAULT.withSetupTimeout(AGES).withIdle(new IdleStrategy(AGES, 1));
        var provider = new IwarpProvider(options);
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (var _ = provider.createCompletionQueue();
                var listener = provider.listen(address);
                var peer = RawPeer.connect(listener.address())) {
            peer.send(RawPeer.setUp("Req", PLAIN));
            assertTrue(listener.accept(AGES).isPresent());
        }
    }

    @Test
    void deadlinesOfTheLongestTimeoutsAreInTheFuture() {
        long now = System.nanoTime();
        assertTrue(now + Timeouts.nanos(AGES) - now > 0);
        assertEquals(5, Timeouts.nanos(Duration.ofNanos(5)));
    }
}
