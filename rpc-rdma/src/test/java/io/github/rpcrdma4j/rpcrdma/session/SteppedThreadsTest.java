package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.oncrpc.spi.CallThreads;
import io.github.rpcrdma4j.sim.Seeds;
import io.github.rpcrdma4j.sim.SimOptions;
import io.github.rpcrdma4j.sim.SimWorld;
import io.github.rpcrdma4j.testing.Eventually;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/**
 * Goal: what the JDK does on its own threads does not change a stepped session. Method: a platform
 * thread holds a monitor as the JDK's cleaner does, until a stepped thread waits for it. Or a
 * stepped thread waits by the clock of the machine, as for memory that is being freed.
 */
class SteppedThreadsTest {
    private static final int OTHERS = 8;

    /** How often the holder looks, while the others could run, before it lets go. */
    private static final int LOOKS = 200_000;

    /** The wait of a thread by the clock of the machine. */
    private static final long REAL_NANOS = Duration.ofMillis(20).toNanos();

    private final SimWorld world = new SimWorld(Seeds.one(), SimOptions.CALM);
    private final SteppedThreads threads = new SteppedThreads(world, 1);
    private final Object monitor = new Object();
    private final CountDownLatch held = new CountDownLatch(1);
    private final AtomicInteger othersThatRan = new AtomicInteger();
    private Thread holder;
    private int othersBefore;
    private long start;
    private long timeTaken;

    @Test
    void noThreadRunsAndNoTimePassesWhileAThreadWaitsForAMonitor() {
        threads.run("main", this::waitForMonitor);
        // A stepped thread must not wait for the end of a platform thread.
        CallThreads.awaitEnd(holder);
        assertEquals(0, othersBefore);
        assertEquals(0, timeTaken);
        assertEquals(OTHERS, othersThatRan.get());
    }

    @Test
    void noThreadRunsAndNoTimePassesWhileAThreadWaitsByTheClockOfTheMachine() {
        threads.run("main", this::waitInRealTime);
        assertEquals(0, othersBefore);
        assertEquals(0, timeTaken);
        assertEquals(OTHERS, othersThatRan.get());
    }

    private void waitInRealTime() {
        startOthers();
        LockSupport.parkNanos(REAL_NANOS);
        noteProgress();
    }

    private void waitForMonitor() {
        var waiter = Thread.currentThread();
        holder = Thread.ofPlatform().start(() -> holdUntilBlocked(waiter));
        awaitHeld();
        startOthers();
        synchronized (monitor) {
            noteProgress();
        }
    }

    private void startOthers() {
        start = world.nanoTime();
        world.after(Duration.ofSeconds(5).toNanos(), () -> {});
        for (int i = 0; i < OTHERS; i++) {
            threads.unstarted("other-" + i, othersThatRan::incrementAndGet).start();
        }
    }

    private void noteProgress() {
        othersBefore = othersThatRan.get();
        timeTaken = world.nanoTime() - start;
    }

    /** Waits without leaving the carrier, so that no other stepped thread runs. */
    private void awaitHeld() {
        while (held.getCount() > 0) {
            Thread.onSpinWait();
        }
    }

    private void holdUntilBlocked(Thread waiter) {
        synchronized (monitor) {
            held.countDown();
            Eventually.await(() -> waiter.getState() == Thread.State.BLOCKED);
            for (int i = 0; i < LOOKS && othersThatRan.get() < OTHERS; i++) {
                Thread.onSpinWait();
            }
        }
    }
}
