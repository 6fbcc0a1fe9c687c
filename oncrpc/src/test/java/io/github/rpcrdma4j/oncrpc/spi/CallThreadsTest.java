package io.github.rpcrdma4j.oncrpc.spi;

import static io.github.rpcrdma4j.oncrpc.spi.CallThreads.Kind.LONG;
import static io.github.rpcrdma4j.oncrpc.spi.CallThreads.Kind.VIRTUAL;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class CallThreadsTest {
    private static final int CALLS = 2 * CallThreads.PLATFORM_MAX;

    private final CallThreads threads =
            CallThreads.create("test-call-", new FailureLog(System.getLogger("test")));

    @Test
    void aCallThatWaitsHasAPlatformThreadAndOthersAVirtualOne() throws Exception {
        var kinds = new SynchronousQueue<Boolean>();
        for (var kind : CallThreads.Kind.values()) {
            threads.execute(
                    this,
                    () -> {
                        try {
                            kinds.put(Thread.currentThread().isVirtual());
                        } catch (InterruptedException interrupted) {
                            throw new AssertionError(interrupted);
                        }
                    },
                    kind);
            assertEquals(kind == CallThreads.Kind.VIRTUAL, kinds.take());
        }
        threads.close();
    }

    @Test
    void stoppedThreadsTakeNoCalls() {
        threads.close();
        assertThrows(RejectedExecutionException.class, () -> threads.execute(this, () -> {}, LONG));
        assertThrows(
                RejectedExecutionException.class, () -> threads.execute(this, () -> {}, VIRTUAL));
        threads.close();
    }

    /**
     * Goal: a call that still waits for a thread when the threads are stopped runs nevertheless.
     */
    @RepeatedTest(20)
    void eachCallThatWasTakenRunsOnceThoughTheThreadsAreStopped() throws Exception {
        var begin = new CyclicBarrier(2);
        var runs = new AtomicInteger();
        var taken = new AtomicInteger();
        var caller =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    try {
                                        begin.await();
                                        for (int i = 0; i < CALLS; i++) {
                                            threads.execute(this, runs::incrementAndGet, LONG);
                                            taken.incrementAndGet();
                                        }
                                    } catch (RejectedExecutionException _) {
                                        // The stopped threads reject this call and later ones.
                                    } catch (Exception failure) {
                                        throw new AssertionError(failure);
                                    }
                                });
        begin.await();
        threads.stop();
        caller.join();
        threads.close();
        assertEquals(taken.get(), runs.get());
    }

    @Test
    void stoppingInterruptsWhatRuns() throws Exception {
        var runs = new CountDownLatch(1);
        var interrupted = new CountDownLatch(1);
        threads.execute(
                this,
                () -> {
                    runs.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException _) {
                        interrupted.countDown();
                    }
                },
                LONG);
        runs.await();
        threads.close();
        assertEquals(0, interrupted.getCount());
        assertFalse(Thread.interrupted());
    }
}
