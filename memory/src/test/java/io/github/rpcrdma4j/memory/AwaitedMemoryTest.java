package io.github.rpcrdma4j.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Goal: who waits for memory gets it as soon as it is free, and can be told to give up. */
class AwaitedMemoryTest {
    private static final long BYTES = 1 << 20;

    private final SegmentPool pool = new SegmentPool(BYTES, new MemoryBudget(BYTES));

    @Test
    void theActionRunsAgainWhenMemoryIsFree() throws Exception {
        var other = pool.lease(BYTES);
        var runs = new AtomicInteger();
        AwaitedMemory.Action<SegmentPool.Lease, RuntimeException> action =
                () -> {
                    if (runs.incrementAndGet() == 3) {
                        other.close();
                    }
                    return pool.lease(BYTES);
                };
        AwaitedMemory.await(action, () -> false).close();
        assertEquals(3, runs.get());
        assertEquals(0, pool.leased());
    }

    @Test
    void theWaitEndsWhenItIsOver() {
        try (var other = pool.lease(BYTES)) {
            var turns = new AtomicInteger();
            assertThrows(
                    BudgetExhaustedException.class,
                    () ->
                            AwaitedMemory.await(
                                    () -> pool.lease(BYTES), () -> turns.incrementAndGet() == 2));
            assertEquals(2, turns.get());
            assertEquals(BYTES, other.length());
        }
    }

    @Test
    void anInterruptEndsTheWait() {
        try (var other = pool.lease(BYTES)) {
            Thread.currentThread().interrupt();
            assertThrows(
                    InterruptedException.class,
                    () -> AwaitedMemory.await(() -> pool.lease(BYTES), () -> false));
            assertEquals(false, Thread.currentThread().isInterrupted());
            assertEquals(BYTES, other.length());
        }
    }
}
