package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for conditions that other threads fulfil. */
public final class Conditions {
    private static final long LIMIT_NANOS = Duration.ofSeconds(30).toNanos();
    private static final long CHECK_NANOS = Duration.ofMillis(1).toNanos();

    private Conditions() {}

    /** Waits until a condition holds; the test fails after half a minute. */
    public static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + LIMIT_NANOS;
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < deadline, "the condition was not met in time");
            LockSupport.parkNanos(CHECK_NANOS);
        }
    }
}
