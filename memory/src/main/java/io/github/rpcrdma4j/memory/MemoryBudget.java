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
 * A bound on native memory that pools share. Memory counts from its allocation until it is really
 * free: while it is leased, while a pool keeps it for later, and after that until the garbage
 * collector has found that nothing refers to it any more.
 *
 * <p>When the budget is used up, pools first let go what they keep and do not use, and the garbage
 * collector is asked to run if it can find enough. Only then an allocation fails, by {@link
 * BudgetExhaustedException}.
 *
 * <p>A lease that a pool has memory for does not come here. Thread-safe.
 */
public final class MemoryBudget {
    /** Less garbage than this is not worth a collection of its own. */
    private static final long GARBAGE_MIN = 8L << 20;

    /** A collection is for this part of the limit at least, so that there are few. */
    private static final int BATCH_PART = 16;

    /** Garbage beyond this part of the limit is worth a collection of its own. */
    private static final int GARBAGE_PART = 8;

    /** Collections take no more than this part of the time. */
    private static final int PAUSE_FACTOR = 4;

    private static final long UNUSED_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long COLLECT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long COLLECT_TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final Cleaner CLEANER = Cleaner.create();
    private static final MemoryBudget PROCESS =
            new MemoryBudget(ProcessMemory::limit, ProcessMemory.LEAST_LIMIT);

    private final LongSupplier limit;

    /** Bytes that are there without asking for the limit, which takes some milliseconds to find. */
    private final long unquestioned;

    /** Bytes that are not free yet. */
    private final AtomicLong used = new AtomicLong();

    /** Those of them that no pool wants any more. */
    private final AtomicLong garbage = new AtomicLong();

    /** When pools are next asked for what they do not use. */
    private final AtomicLong nextLook = new AtomicLong(System.nanoTime() + UNUSED_NANOS);

    private final List<WeakReference<SegmentPool>> pools = new CopyOnWriteArrayList<>();
    private final ReentrantLock reclaiming = new ReentrantLock();

    /** No collection before; guarded by the lock. */
    private long nextCollection = System.nanoTime();

    /** New memory, which a pool holds until it lets go of it. */
    record Grant(MemorySegment segment, Share share) {
        /** The pool does not want it any more. Called at most once. */
        void letGo() {
            share.becomesGarbage();
        }
    }

    /** What one piece of memory has of its budget. Must not refer to the memory. */
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

        /** The memory is free, or was never had. */
        @Override
        public void run() {
            if (isGarbage) {
                budget.garbage.addAndGet(-bytes);
            }
            budget.used.addAndGet(-bytes);
        }
    }

    /**
     * A budget with a limit.
     *
     * @param limit in bytes; at least 1
     */
    public MemoryBudget(long limit) {
        this(() -> limit, 0);
        if (limit < 1) {
            throw new IllegalArgumentException("a budget is at least one byte: " + limit);
        }
    }

    private MemoryBudget(LongSupplier limit, long unquestioned) {
        this.limit = limit;
        this.unquestioned = unquestioned;
    }

    /**
     * The budget of this process: seven eighths of the direct memory that the JVM allows ({@code
     * -XX:MaxDirectMemorySize}, else as much as the heap), and no more than what the machine or the
     * control group has beside the heap. It is one for all, as what it bounds is; a pool that is to
     * have another is given one.
     */
    public static MemoryBudget process() {
        return PROCESS;
    }

    /** The bound, in bytes. */
    public long limit() {
        return limit.getAsLong();
    }

    /** Bytes that are not free; at most the limit. */
    public long used() {
        return used.get();
    }

    /**
     * Whether that much could be had now or after pools have let go what they do not use. Others
     * may be quicker.
     */
    public boolean hasRoom(long bytes) {
        return bytes <= limit() - used.get() + garbage.get() + kept();
    }

    /**
     * Has the pools let go, twice a minute, what they had no use for in that time, and the garbage
     * collector run if it would free much. For a thread that is not waited for: a collection stops
     * all threads for a moment.
     */
    public void tidy() {
        letGoUnused(System.nanoTime());
        if (garbage.get() >= Math.max(GARBAGE_MIN, limit() / GARBAGE_PART)
                && reclaiming.tryLock()) {
            try {
                collect(() -> garbage.get() == 0);
            } finally {
                reclaiming.unlock();
            }
        }
    }

    /** After a rush a process does not stay as large as it was then. */
    void letGoUnused(long now) {
        long due = nextLook.get();
        if (now - due < 0 || !nextLook.compareAndSet(due, now + UNUSED_NANOS)) {
            return;
        }
        for (var each : pools) {
            var pool = each.get();
            if (pool != null) {
                pool.letGoUnused();
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

    /** A pool takes its memory from here until the garbage collector finds it. */
    void join(SegmentPool pool) {
        pools.removeIf(each -> each.refersTo(null));
        pools.add(new WeakReference<>(pool));
    }

    /**
     * Takes new memory. The caller holds no lock that a pool needs.
     *
     * @throws BudgetExhaustedException if there is none left
     */
    Grant allocate(long bytes, long alignment) {
        if (!take(bytes) && !reclaim(bytes)) {
            throw exhausted(bytes, null);
        }
        var share = new Share(this, bytes);
        try {
            // An automatic arena: views of memory that a pool let go may still be in use.
            var segment = Arena.ofAuto().allocate(bytes, alignment);
            // All views of the segment refer to its scope, and it to none of them.
            CLEANER.register(segment.scope(), share);
            return new Grant(segment, share);
        } catch (OutOfMemoryError full) {
            // Others use direct memory too.
            share.run();
            throw exhausted(bytes, full);
        }
    }

    private BudgetExhaustedException exhausted(long bytes, Throwable cause) {
        return new BudgetExhaustedException(
                "no memory is left for "
                        + bytes
                        + " bytes: "
                        + used()
                        + " of "
                        + limit()
                        + " are used",
                cause);
    }

    private boolean take(long bytes) {
        while (true) {
            long before = used.get();
            long after = before + bytes;
            if (after > unquestioned && after > limit()) {
                return false;
            }
            if (used.compareAndSet(before, after)) {
                return true;
            }
        }
    }

    /** Makes room and takes it. */
    private boolean reclaim(long bytes) {
        reclaiming.lock();
        try {
            if (take(bytes)) {
                return true;
            }
            long missing = used.get() + bytes - limit();
            long wanted = Math.max(missing, limit() / BATCH_PART) - garbage.get();
            for (var each : pools) {
                var pool = each.get();
                if (pool != null && wanted > 0) {
                    wanted -= pool.letGo(wanted);
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

    /** Waits for a moment; the lock is held. */
    private void collect(BooleanSupplier done) {
        long start = System.nanoTime();
        if (start - nextCollection < 0) {
            return;
        }
        System.gc();
        // What is found is freed by other threads.
        while (!done.getAsBoolean() && System.nanoTime() - start < COLLECT_NANOS) {
            LockSupport.parkNanos(COLLECT_TURN_NANOS);
        }
        long end = System.nanoTime();
        nextCollection = end + PAUSE_FACTOR * (end - start);
    }
}
