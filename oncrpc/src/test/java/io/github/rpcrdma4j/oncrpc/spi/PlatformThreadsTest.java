package io.github.rpcrdma4j.oncrpc.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: calls that hang keep no thread from other calls, and have a bounded number of threads. */
@Timeout(60)
class PlatformThreadsTest {
    private static final long HELD_UP = Duration.ofMillis(60).toNanos();
    private static final long HANGS = Duration.ofMillis(1100).toNanos();

    private final AtomicLong now = new AtomicLong();
    private final CountDownLatch mayEnd = new CountDownLatch(1);

    /** For each call that has begun, whether its thread is virtual. */
    private final LinkedBlockingQueue<Boolean> begun = new LinkedBlockingQueue<>();

    private final PlatformThreads threads =
            new PlatformThreads(
                    "test-",
                    Executors.newVirtualThreadPerTaskExecutor(),
                    new FailureLog(System.getLogger("test")),
                    now::get);

    @AfterEach
    void close() {
        mayEnd.countDown();
        threads.close();
    }

    /** Makes calls that do not end, each after the one before holds up its thread. */
    private void hang(int calls, boolean onVirtual) throws InterruptedException {
        for (int i = 0; i < calls; i++) {
            threads.execute(
                    this,
                    () -> {
                        begun.add(Thread.currentThread().isVirtual());
                        awaitEnd();
                    });
            assertEquals(onVirtual, begun.take());
            now.addAndGet(HELD_UP);
        }
    }

    private void awaitEnd() {
        try {
            mayEnd.await();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean nextIsOnVirtual() throws InterruptedException {
        threads.execute(this, () -> begun.add(Thread.currentThread().isVirtual()));
        return begun.take();
    }

    @Test
    void otherThreadsReplaceThoseWhoseCallsHang() throws Exception {
        hang(PlatformThreads.MAX, false);
        now.addAndGet(HANGS);
        assertFalse(nextIsOnVirtual());
    }

    @Test
    void theThreadsAreBoundedHoweverManyCallsHang() throws Exception {
        hang(PlatformThreads.MAX, false);
        now.addAndGet(HANGS);
        hang(PlatformThreads.BESIDES_MAX, false);
        now.addAndGet(HANGS);
        assertTrue(nextIsOnVirtual());
        hang(2, true);
    }
}
