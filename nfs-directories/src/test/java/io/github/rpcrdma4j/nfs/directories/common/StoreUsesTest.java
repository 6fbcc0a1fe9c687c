package io.github.rpcrdma4j.nfs.directories.common;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.StoreException;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: a store is closed once, when it was told to close and nothing uses it. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StoreUsesTest {
    private final AtomicInteger closed = new AtomicInteger();
    private final StoreUses uses = new StoreUses(closed::incrementAndGet);

    private boolean isClosed() {
        return uses.closed().toCompletableFuture().isDone();
    }

    @Test
    void aStoreThatNothingUsesClosesAtOnceAndOnce() {
        uses.close();
        uses.close();
        assertTrue(isClosed());
        assertEquals(1, closed.get());
    }

    @Test
    void theLastUseClosesAStoreThatWasToldTo() throws Exception {
        assertEquals("node", uses.begin(() -> "node"));
        uses.begin(() -> "other");
        uses.close();
        uses.end();
        assertFalse(isClosed());
        uses.end();
        uses.closed().toCompletableFuture().get();
        assertEquals(1, closed.get());
    }

    @Test
    void noUseBeginsOnceItWasToldToClose() throws Exception {
        uses.begin(() -> "node");
        uses.close();
        var refused = assertThrows(StoreException.class, () -> uses.begin(() -> "late"));
        assertEquals(Failure.STALE, refused.failure());
        uses.end();
        uses.closed().toCompletableFuture().get();
        assertThrows(StoreException.class, () -> uses.begin(() -> "later"));
        assertEquals(1, closed.get());
    }

    @Test
    void whatFailsToOpenIsNoUse() {
        var failure = new StoreException(Failure.NOENT);
        assertThrows(
                StoreException.class,
                () ->
                        uses.begin(
                                () -> {
                                    throw failure;
                                }));
        uses.close();
        assertTrue(isClosed());
    }

    @Test
    void nothingIsUsedAfterTheEnd() throws Exception {
        var after = new AtomicInteger();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 8; i++) {
                threads.submit(
                        () -> {
                            while (true) {
                                uses.begin(() -> "node");
                                after.addAndGet(closed.get());
                                uses.end();
                            }
                        });
            }
            Thread.yield();
            uses.close();
            uses.closed().toCompletableFuture().get();
        }
        assertEquals(0, after.get());
        assertEquals(1, closed.get());
    }
}
