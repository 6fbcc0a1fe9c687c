package io.github.rpcrdma4j.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.testing.Eventually;
import java.time.Duration;
import java.util.function.IntSupplier;

/** Checks that a server or a client that was closed holds no memory. */
public final class LeasedMemory {
    private static final Duration DEADLINE = Duration.ofSeconds(20);

    private LeasedMemory() {}

    /**
     * Waits until all memory was given back: the thread of the other side that has passed the last
     * reply on gives its memory back a moment later.
     *
     * @param leased returns how many leases there are
     */
    public static void requireNone(IntSupplier leased) {
        Eventually.await(DEADLINE, () -> leased.getAsInt() == 0);
        assertEquals(0, leased.getAsInt());
    }
}
