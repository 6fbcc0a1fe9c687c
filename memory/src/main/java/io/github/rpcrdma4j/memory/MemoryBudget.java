package io.github.rpcrdma4j.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Cleaner;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * A limit on native memory that several pools share. Memory counts from its allocation until it is
 * free again: while it is leased, while a pool keeps it for reuse, and then until the garbage
 * collector finds that nothing refers to it.
 *
 * <p>When the budget is used up, its pools first release memory that they keep for reuse. Then the
 * budget runs the garbage collector if that can free enough. If the memory is still too little, the
 * allocation fails with a {@link BudgetExhaustedException}.
 *
 * <p>A lease of memory that a pool has kept does not involve the budget. Thread-safe.
 */
public final class MemoryBudget {
    /** {@link #tidy} collects no less garbage than this, in bytes. */
    private static final long GARBAGE_MIN = 8L << 20;

    /** Pools release at least limit / BATCH_DIVISOR for one collection, so that there are few. */
    private static final int BATCH_DIVISOR = 16;

    /** {@link #tidy} collects no less garbage than limit / GARBAGE_DIVISOR. */
    private static final int GARBAGE_DIVISOR = 8;

    /** The pause after a collection lasts at least this many times as long as the collection. */
    private static final int PAUSE_FACTOR = 4;

    private static final long UNUSED_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long COLLECT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long COLLECT_TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final Cleaner CLEANER = Cleaner.create();
    private static final MemoryBudget PROCESS =
            new MemoryBudget(ProcessMemory::limit, ProcessMemory.LEAST_LIMIT);

    private final LongSupplier limit;

    /** Up to this many used bytes, the budget does not ask for its limit, which can take time. */
    private final long alwaysGranted;

    /** Bytes that are not free yet. */
    private final AtomicLong used = new AtomicLong();

    /** Used bytes that pools have released and the garbage collector has not freed yet. */
    private final AtomicLong garbage = new AtomicLong();

    /** When pools next release their unused memory, on the clock of {@link System#nanoTime}. */
    private final AtomicLong nextRelease = new AtomicLong(System.nanoTime() + UNUSED_NANOS);

    private final List<WeakReference<SegmentPool>> pools = new CopyOnWriteArrayList<>();
    private final ReentrantLock reclaiming = new ReentrantLock();

    /** The earliest time of the next collection; guarded by {@link #reclaiming}. */
    private long nextCollection = System.nanoTime();

    /** New memory with its share of the budget; a pool holds both until it releases the memory. */
    record Grant(MemorySegment segment, Share share) {
        /** Counts the memory as garbage. The pool calls this at most once, to release it. */
        void release() {
            share.becomesGarbage();
        }
    }

    /** The bytes that one allocation takes from its budget. Must not refer to the memory. */
    static final class Share implements Runnable {
        private final MemoryBudget budget;
        private final long bytes;
        private volatile boolean isGarbage;

        private Share(MemoryBudget budget, long bytes) {
            this.budget = budget;
            this.bytes = bytes;
        }

        private void becomesGarbage() {
            isGarbage = true;
            budget.garbage.addAndGet(bytes);
        }

        /** Returns the bytes to the budget: the memory is free, or its allocation failed. */
        @Override
        public void run() {
            if (isGarbage) {
                budget.garbage.addAndGet(-bytes);
            }
            budget.used.addAndGet(-bytes);
        }
    }

    /**
     * Creates a budget with a limit.
     *
     * @param limit in bytes; at least 1
     */
    public MemoryBudget(long limit) {
        this(() -> limit, 0);
        if (limit < 1) {
            throw new IllegalArgumentException("the limit must be at least 1 byte: " + limit);
        }
    }

    private MemoryBudget(LongSupplier limit, long alwaysGranted) {
        this.limit = limit;
        this.alwaysGranted = alwaysGranted;
    }

    /**
     * Returns the budget of this process, which every pool uses unless its constructor is given
     * another. Its limit is seven eighths of the direct memory that the JVM allows ({@code
     * -XX:MaxDirectMemorySize}, by default as much as the heap). The limit is also no more than the
     * machine or the control group has beside the heap and the JVM, but at least 16 MiB.
     */
    public static MemoryBudget process() {
        return PROCESS;
    }

    /** Returns the limit, in bytes. */
    public long limit() {
        return limit.getAsLong();
    }

    /** Returns the number of bytes that are not free; at most the limit. */
    public long used() {
        return used.get();
    }

    /**
     * Returns whether the budget could grant that many bytes, now or after it has reclaimed garbage
     * and the memory that pools keep. Another thread may take them first.
     */
    public boolean hasRoom(long bytes) {
        return bytes <= limit() - used.get() + garbage.get() + kept();
    }

    /**
     * Makes the pools release memory that they did not need for 30 seconds. Then runs the garbage
     * collector if that would free much. The caller may invoke this at any rate, on a thread that
     * no other thread waits for: a collection stops all threads for a moment.
     */
    public void tidy() {
        releaseUnused(System.nanoTime());
        if (garbage.get() >= Math.max(GARBAGE_MIN, limit() / GARBAGE_DIVISOR)
                && reclaiming.tryLock()) {
            try {
                collect(() -> garbage.get() == 0);
            } finally {
                reclaiming.unlock();
            }
        }
    }

    /** Makes pools release unused memory, so that a process shrinks after a peak of load. */
    void releaseUnused(long now) {
        long due = nextRelease.get();
        if (now - due < 0 || !nextRelease.compareAndSet(due, now + UNUSED_NANOS)) {
            return;
        }
        for (var each : pools) {
            var pool = each.get();
            if (pool != null) {
                pool.releaseUnused();
            }
        }
    }

    private long kept() {
        long kept = 0;
        for (var each : pools) {
            var pool = each.get();
            kept += pool == null ? 0 : pool.kept();
        }
        return kept;
    }

    /** Registers a pool, by a weak reference, among those that release memory on demand. */
    void join(SegmentPool pool) {
        pools.removeIf(each -> each.refersTo(null));
        pools.add(new WeakReference<>(pool));
    }

    /**
     * Allocates new memory. The caller must hold no lock that a pool needs.
     *
     * @throws BudgetExhaustedException if too little is left
     */
    Grant allocate(long bytes, long alignment) {
        if (!take(bytes) && !reclaim(bytes)) {
            throw exhausted(bytes, null);
        }
        var share = new Share(this, bytes);
        try {
            // An automatic arena: views may outlive the release of the memory by its pool.
            var segment = Arena.ofAuto().allocate(bytes, alignment);
            // All views of the segment refer to its scope; the scope refers to no view.
            CLEANER.register(segment.scope(), share);
            return new Grant(segment, share);
        } catch (OutOfMemoryError full) {
            // Other code of the process uses direct memory too.
            share.run();
            throw exhausted(bytes, full);
        }
    }

    /** Runs an action, which must not refer to the object, when nothing refers to the object. */
    static void whenUnreachable(Object object, Runnable action) {
        CLEANER.register(object, action);
    }

    private BudgetExhaustedException exhausted(long bytes, Throwable cause) {
        return new BudgetExhaustedException(
                "native memory budget exhausted: "
                        + bytes
                        + " bytes requested, "
                        + used()
                        + " of "
                        + limit()
                        + " bytes in use",
                cause);
    }

    private boolean take(long bytes) {
        while (true) {
            long before = used.get();
            long after = before + bytes;
            if (after > alwaysGranted && after > limit()) {
                return false;
            }
            if (used.compareAndSet(before, after)) {
                return true;
            }
        }
    }

    /** Makes room for the bytes and takes them; returns whether it could. */
    private boolean reclaim(long bytes) {
        reclaiming.lock();
        try {
            if (take(bytes)) {
                return true;
            }
            long missing = used.get() + bytes - limit();
            long wanted = Math.max(missing, limit() / BATCH_DIVISOR) - garbage.get();
            for (var each : pools) {
                var pool = each.get();
                if (pool != null && wanted > 0) {
                    wanted -= pool.release(wanted);
                }
            }
            var taken = new boolean[1];
            if (garbage.get() >= missing) {
                collect(() -> taken[0] = take(bytes));
            }
            return taken[0];
        } finally {
            reclaiming.unlock();
        }
    }

    /** Runs the collector, and waits up to half a second; the caller holds {@link #reclaiming}. */
    private void collect(BooleanSupplier done) {
        long start = System.nanoTime();
        if (start - nextCollection < 0) {
            return;
        }
        System.gc();
        // Other threads free the memory that the collector found.
        while (!done.getAsBoolean() && System.nanoTime() - start < COLLECT_NANOS) {
            LockSupport.parkNanos(COLLECT_TURN_NANOS);
        }
        long end = System.nanoTime();
        nextCollection = end + PAUSE_FACTOR * (end - start);
    }
}
