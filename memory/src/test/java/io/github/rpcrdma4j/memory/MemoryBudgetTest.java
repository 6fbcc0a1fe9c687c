package io.github.rpcrdma4j.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class MemoryBudgetTest {
    private static final int MIB = 1 << 20;

    @Test
    void countsLeasedAndKeptMemory() {
        var budget = new MemoryBudget(4 * MIB);
        var pool = new SegmentPool(MIB, budget);
        var lease = pool.lease(MIB);
        assertEquals(MIB, budget.used());
        lease.close();
        assertEquals(MIB, budget.used(), "the pool keeps it");
        pool.lease(MIB).close();
        assertEquals(MIB, budget.used(), "it was used again");
    }

    @Test
    void aLeaseBeyondTheBudgetFailsAndTheNextSucceedsWhenThereIsRoom() {
        var budget = new MemoryBudget(4 * MIB);
        var pool = new SegmentPool(16 * MIB, budget);
        var held = new ArrayList<SegmentPool.Lease>();
        for (int i = 0; i < 4; i++) {
            held.add(pool.lease(MIB));
        }
        var refused = assertThrows(BudgetExhaustedException.class, () -> pool.lease(1));
        assertEquals(
                "native memory budget exhausted: 1024 bytes requested, 4194304 of 4194304 bytes in"
                        + " use",
                refused.getMessage());
        assertEquals(4, pool.leased(), "what failed is not counted");
        assertFalse(budget.hasRoom(1));
        held.removeLast().close();
        assertTrue(budget.hasRoom(MIB));
        pool.lease(MIB).close();
        held.forEach(SegmentPool.Lease::close);
    }

    /**
     * Goal: a process shrinks after a peak of load. Method: successive checks for unused memory.
     */
    @Test
    void poolsReleaseMemoryUnusedBetweenTwoChecks() {
        var pool = new SegmentPool(16 * MIB, new MemoryBudget(16 * MIB));
        var held = new ArrayList<SegmentPool.Lease>();
        for (int i = 0; i < 4; i++) {
            held.add(pool.lease(MIB));
        }
        held.forEach(SegmentPool.Lease::close);
        pool.releaseUnused();
        assertEquals(4 * MIB, pool.kept(), "all was used before this check");
        pool.lease(MIB).close();
        pool.releaseUnused();
        assertEquals(MIB, pool.kept(), "one piece was used since");
        pool.releaseUnused();
        assertEquals(0, pool.kept());
    }

    @Test
    void releasesUnusedMemoryAtIntervals() {
        var budget = new MemoryBudget(16 * MIB);
        var pool = new SegmentPool(16 * MIB, budget);
        pool.lease(MIB).close();
        long now = System.nanoTime();
        long minute = 60_000_000_000L;
        budget.releaseUnused(now);
        budget.releaseUnused(now + minute);
        budget.releaseUnused(now + minute + 1);
        assertEquals(MIB, pool.kept(), "that was one release");
        budget.releaseUnused(now + 2 * minute);
        assertEquals(0, pool.kept());
    }

    /** Goal: memory that one pool keeps unused does not make a lease of another pool fail. */
    @Test
    void poolsReleaseKeptMemoryFirst() {
        var budget = new MemoryBudget(4 * MIB);
        var keeper = new SegmentPool(16 * MIB, budget);
        var wanting = new SegmentPool(16 * MIB, budget);
        var held = new ArrayList<SegmentPool.Lease>();
        for (int i = 0; i < 4; i++) {
            held.add(keeper.lease(MIB));
        }
        held.forEach(SegmentPool.Lease::close);
        held.clear();
        assertEquals(4 * MIB, keeper.kept());
        assertTrue(budget.hasRoom(3 * MIB));
        try (var lease = leaseInTheEnd(wanting, 3 * MIB)) {
            assertEquals(3 * MIB, lease.segment().byteSize());
            assertEquals(MIB, keeper.kept(), "no more was given back than was needed");
            assertTrue(budget.used() <= budget.limit());
        }
    }

    /** Leases, and retries because the JVM may find and free garbage late. */
    private static SegmentPool.Lease leaseInTheEnd(SegmentPool pool, long bytes) {
        for (int i = 0; i < 1000; i++) {
            try {
                return pool.lease(bytes);
            } catch (BudgetExhaustedException _) {
                LockSupport.parkNanos(10_000_000);
            }
        }
        return pool.lease(bytes);
    }

    /** Goal: memory that a view still refers to stays counted, and keeps its content. */
    @Test
    void memoryWithAViewIsNotFree() {
        var budget = new MemoryBudget(2 * MIB);
        var pool = new SegmentPool(0, budget);
        var lease = pool.lease(2 * MIB);
        var view = lease.segment().asSlice(MIB, 8);
        view.set(ValueLayout.JAVA_LONG, 0, 42);
        lease.close();
        assertThrows(BudgetExhaustedException.class, () -> pool.lease(MIB));
        assertEquals(2 * MIB, budget.used());
        assertEquals(42, view.get(ValueLayout.JAVA_LONG, 0));
        Reference.reachabilityFence(view);
    }

    /** Goal: who still reads memory of a pool that has ended reads what was there. */
    @Test
    void memoryOfAnEndedPoolStaysUntilItIsReturnedOrLost() {
        var budget = new MemoryBudget(4 * MIB);
        var pool = new SegmentPool(16 * MIB, budget);
        var lost = new AtomicInteger();
        var read = pool.lease(MIB);
        var returned = pool.lease(MIB);
        read.segment().set(ValueLayout.JAVA_LONG, 0, 42);
        pool.lease(MIB);
        pool.lease(MIB / 2).close();
        assertEquals(MIB / 2, pool.kept());
        pool.end(lost::incrementAndGet);
        assertEquals(0, pool.kept());
        assertEquals(3, pool.leased());
        var other = new SegmentPool(0, budget);
        leaseInTheEnd(other, 2 * MIB).close();
        assertEquals(42, read.segment().get(ValueLayout.JAVA_LONG, 0));
        returned.close();
        read.close();
        assertThrows(IllegalStateException.class, read::close);
        assertEquals(0, pool.kept());
        returned = null;
        read = null;
        leaseInTheEnd(other, 4 * MIB).close();
        assertEquals(1, lost.get(), "the others were returned");
    }

    @Test
    void anEndedPoolLendsAndKeepsNothing() {
        var budget = new MemoryBudget(4 * MIB);
        var pool = new SegmentPool(16 * MIB, budget);
        pool.end(() -> {});
        pool.end(() -> {});
        try (var lease = pool.lease(MIB)) {
            assertEquals(MIB, lease.length());
            assertEquals(MIB, pool.leasedBytes());
        }
        assertEquals(0, pool.kept());
        assertEquals(0, pool.leasedBytes());
    }

    @Test
    void refusesALimitOfNothing() {
        assertThrows(IllegalArgumentException.class, () -> new MemoryBudget(0));
    }

    /** Goal: threads together never exceed the limit. Method: many threads lease from two pools. */
    @Test
    void manyThreadsStayWithinTheBudget() throws Exception {
        var budget = new MemoryBudget(MIB);
        var pools =
                new SegmentPool[] {
                    new SegmentPool(MIB / 4, budget), new SegmentPool(MIB / 4, budget)
                };
        var served = new AtomicInteger();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var owners = new ArrayList<Callable<Void>>();
            for (int i = 0; i < 8; i++) {
                int number = i;
                owners.add(
                        () -> {
                            for (int n = 0; n < 200; n++) {
                                leaseOnce(pools[number % 2], budget, served);
                            }
                            return null;
                        });
            }
            for (var owner : threads.invokeAll(owners)) {
                owner.get();
            }
        }
        assertTrue(served.get() > 0);
        assertEquals(0, pools[0].leased() + pools[1].leased());
    }

    private static void leaseOnce(SegmentPool pool, MemoryBudget budget, AtomicInteger served) {
        try (var lease = pool.lease(200 * 1024)) {
            assertTrue(budget.used() <= budget.limit());
            served.incrementAndGet();
            Thread.yield();
            Reference.reachabilityFence(lease);
        } catch (BudgetExhaustedException _) {
            // Other threads hold the memory.
        }
    }
}
