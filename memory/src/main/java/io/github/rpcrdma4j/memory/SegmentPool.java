package io.github.rpcrdma4j.memory;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * A pool of native memory that callers lease, return and lease again. Sizes are the powers of two
 * from 1 KiB to 1 GiB. Above 4 KiB there are three more sizes between two powers of two, so that a
 * message slightly longer than a power of two does not take twice its length. The pool does not
 * clear memory between uses. It keeps a bounded number of bytes for reuse, over all sizes together;
 * beyond the bound it releases the memory that was unused for longest. All memory, leased or kept,
 * counts in a {@link MemoryBudget}.
 *
 * <p>Thread-safe.
 */
public final class SegmentPool {
    private static final int SMALLEST_SHIFT = 10;
    private static final int LARGEST_SHIFT = 30;

    /** Up to this power of two, each power has one size class. */
    private static final int WHOLE_SHIFT = 12;

    /** Above, four size classes (two to this power) cover the range up to each power of two. */
    private static final int PARTS_SHIFT = 2;

    private static final int PARTS = 1 << PARTS_SHIFT;
    private static final int WHOLE_CLASSES = WHOLE_SHIFT - SMALLEST_SHIFT + 1;
    private static final long ALIGNMENT_BYTES = 64;

    private final long keptMax;
    private final MemoryBudget budget;
    private final AtomicInteger leased = new AtomicInteger();

    /** All slabs, by the scope of their memory, which all views of it share. */
    private final ConcurrentHashMap<MemorySegment.Scope, Slab> slabs = new ConcurrentHashMap<>();

    /** The free slabs. The monitor of this array is the lock of the pool. */
    private final SizeClass[] sizeClasses =
            new SizeClass[WHOLE_CLASSES + (LARGEST_SHIFT - WHOLE_SHIFT) * PARTS];

    /** The bytes of all free slabs. The lock of the pool guards the fields from here on. */
    private long kept;

    /** The minimum of {@link #kept} since the last {@link #releaseUnused}. */
    private long leastKept;

    /** How many times a slab was returned so far. */
    private long returns;

    private boolean ended;

    /** The free slabs of one size, from the slab that was returned first to the most recent. */
    private static final class SizeClass {
        final long bytes;
        final ArrayDeque<Slab> free = new ArrayDeque<>(0);

        SizeClass(long bytes) {
            this.bytes = bytes;
        }
    }

    /**
     * An object that lives as long as a slab, such as the registration of its memory with an
     * adapter. Its owner creates it at the first use. The pool closes it when it releases the slab.
     */
    public interface Attachment {
        /** Returns its owner, by whose identity {@link Slab#attachment} finds it. */
        Object owner();

        /**
         * Returns whether its owner has no more use for it. The next {@link Slab#attach} may then
         * drop it without closing it.
         */
        boolean isObsolete();

        /**
         * Ends the attachment because the pool releases the slab; no lease of the slab is open. The
         * pool holds its lock during the call. If this method throws, the pool releases the slab
         * nevertheless, and passes the exception on.
         */
        void close();
    }

    /** What became of a slab that was leased when its pool ended. Must not refer to the slab. */
    private static final class Left implements Runnable {
        private final Runnable lost;
        private volatile boolean isReturned;

        Left(Runnable lost) {
            this.lost = lost;
        }

        @Override
        public void run() {
            if (!isReturned) {
                lost.run();
            }
        }
    }

    /** A block of memory that the pool allocates, keeps and leases as a whole. */
    public static final class Slab {
        private final SizeClass sizeClass;
        private final MemoryBudget.Grant grant;
        private final MemorySegment segment;

        /** The value of {@code returns} at its last return; guarded by the lock of the pool. */
        private long returnedAt;

        /** Set when its pool has ended while it was leased; guarded by the lock of the pool. */
        private Left left;

        /** Copied on write. */
        private volatile Attachment[] attachments = {};

        private Slab(SizeClass sizeClass, MemoryBudget.Grant grant) {
            this.sizeClass = sizeClass;
            this.grant = grant;
            this.segment = grant.segment();
        }

        /** Returns all memory of the slab. */
        public MemorySegment segment() {
            return segment;
        }

        /** Returns the attachment of an owner, or null if there is none. */
        public Attachment attachment(Object owner) {
            for (var each : attachments) {
                if (each.owner() == owner) {
                    return each;
                }
            }
            return null;
        }

        /**
         * Returns the attachment of an owner, and first creates it if there is none.
         *
         * @param made creates the attachment, which must name that owner; runs under the lock of
         *     the slab
         */
        public synchronized Attachment attach(Object owner, Function<Slab, Attachment> made) {
            var known = attachment(owner);
            if (known != null) {
                return known;
            }
            var own = made.apply(this);
            attachments =
                    Stream.concat(
                                    Stream.of(attachments).filter(each -> !each.isObsolete()),
                                    Stream.of(own))
                            .toArray(Attachment[]::new);
            return own;
        }

        private synchronized void release() {
            try {
                closeAttachments();
            } finally {
                attachments = new Attachment[0];
                grant.release();
            }
        }

        private void closeAttachments() {
            Throwable failure = null;
            for (var each : attachments) {
                try {
                    each.close();
                } catch (RuntimeException | Error one) {
                    failure = one;
                }
            }
            switch (failure) {
                case RuntimeException unexpected -> throw unexpected;
                case Error error -> throw error;
                case null, default -> {}
            }
        }
    }

    /**
     * Creates a pool that takes its memory from the budget of the process.
     *
     * @param keptMax the most bytes that the pool keeps for reuse; not negative
     * @throws IllegalArgumentException if the maximum is negative
     */
    public SegmentPool(long keptMax) {
        this(keptMax, MemoryBudget.process());
    }

    /**
     * Creates a pool that takes its memory from a given budget.
     *
     * @param keptMax the most bytes that the pool keeps for reuse; not negative
     * @param budget counts all memory of the pool
     * @throws IllegalArgumentException if the maximum is negative
     */
    public SegmentPool(long keptMax, MemoryBudget budget) {
        if (keptMax < 0) {
            throw new IllegalArgumentException("keptMax must not be negative: " + keptMax);
        }
        this.keptMax = keptMax;
        this.budget = budget;
        for (int i = 0; i < sizeClasses.length; i++) {
            sizeClasses[i] = new SizeClass(classBytes(i));
        }
        budget.join(this);
    }

    /** Returns the budget that counts the memory of the pool. */
    public MemoryBudget budget() {
        return budget;
    }

    /**
     * Leases memory of at least {@code length} bytes. Its content is undefined.
     *
     * @throws IllegalArgumentException if the length is negative or above 1 GiB
     * @throws BudgetExhaustedException if the budget has too little memory left
     */
    public Lease lease(long length) {
        var sizeClass = sizeClasses[classIndex(length)];
        var slab = take(sizeClass);
        if (slab == null) {
            slab = new Slab(sizeClass, budget.allocate(sizeClass.bytes, ALIGNMENT_BYTES));
            slabs.put(slab.segment.scope(), slab);
        }
        leased.incrementAndGet();
        return new Lease(slab, length);
    }

    /**
     * Returns the slab that contains a segment.
     *
     * @return null if the segment is not from this pool
     */
    public Slab slab(MemorySegment segment) {
        return slabs.get(segment.scope());
    }

    private Slab take(SizeClass sizeClass) {
        synchronized (sizeClasses) {
            var slab = sizeClass.free.pollLast();
            if (slab != null) {
                kept -= sizeClass.bytes;
                leastKept = Math.min(leastKept, kept);
            }
            return slab;
        }
    }

    /** Returns how many bytes the pool keeps for reuse; at most the maximum of the constructor. */
    public long kept() {
        synchronized (sizeClasses) {
            return kept;
        }
    }

    /** Returns the number of slabs, leased or kept. */
    public int slabs() {
        return slabs.size();
    }

    /** Returns the number of open leases. */
    public int leased() {
        return leased.get();
    }

    /** Returns how many bytes are leased. It counts them, so it is not for each lease. */
    public long leasedBytes() {
        synchronized (sizeClasses) {
            return slabs.values().stream().mapToLong(each -> each.sizeClass.bytes).sum() - kept;
        }
    }

    /**
     * Ends the pool, because its owner has no more use for it. The pool keeps no memory from now
     * on. Leased memory stays valid, but the pool no longer refers to it: it is free when it was
     * returned, or nothing else refers to it either.
     *
     * @param lost runs for each open lease that nobody has closed when nothing refers to it any
     *     more; it must not wait
     */
    public void end(Runnable lost) {
        synchronized (sizeClasses) {
            if (ended) {
                return;
            }
            ended = true;
            while (kept > 0) {
                releaseOldest();
            }
            for (var slab : slabs.values()) {
                slab.left = new Left(lost);
                MemoryBudget.whenUnreachable(slab, slab.left);
                release(slab);
            }
        }
    }

    private static long classBytes(int index) {
        if (index < WHOLE_CLASSES) {
            return 1L << (SMALLEST_SHIFT + index);
        }
        int beyond = index - WHOLE_CLASSES;
        int shift = WHOLE_SHIFT + beyond / PARTS;
        long part = 1L << (shift - PARTS_SHIFT);
        return (1L << shift) + (beyond % PARTS + 1) * part;
    }

    /** Returns the index of the smallest size class that holds {@code length} bytes. */
    private static int classIndex(long length) {
        if (length < 0 || length > 1L << LARGEST_SHIFT) {
            throw new IllegalArgumentException(
                    "a lease must have 0 to " + (1L << LARGEST_SHIFT) + " bytes: " + length);
        }
        long last = Math.max(length, 1) - 1;
        int bits = Long.SIZE - Long.numberOfLeadingZeros(last);
        if (bits <= WHOLE_SHIFT) {
            return Math.max(bits - SMALLEST_SHIFT, 0);
        }
        int shift = bits - 1;
        int part = (int) (last >>> (shift - PARTS_SHIFT)) & (PARTS - 1);
        return WHOLE_CLASSES + (shift - WHOLE_SHIFT) * PARTS + part;
    }

    /** Keeps a slab for reuse, or releases it. The caller holds the lock of the pool. */
    private void keep(Slab slab) {
        if (slab.left != null) {
            slab.left.isReturned = true;
            return;
        }
        if (ended || slab.sizeClass.bytes > keptMax) {
            release(slab);
            return;
        }
        slab.returnedAt = returns++;
        slab.sizeClass.free.addLast(slab);
        kept += slab.sizeClass.bytes;
        while (kept > keptMax) {
            releaseOldest();
        }
    }

    private void release(Slab slab) {
        slabs.remove(slab.segment.scope());
        slab.release();
    }

    private void releaseOldest() {
        var sizeClass = oldest();
        var slab = sizeClass.free.removeFirst();
        kept -= sizeClass.bytes;
        leastKept = Math.min(leastKept, kept);
        release(slab);
    }

    /**
     * Releases kept slabs, longest unused first, until that many bytes are released or none is
     * left.
     *
     * @return how many bytes it released
     */
    long release(long wanted) {
        synchronized (sizeClasses) {
            long before = kept;
            while (kept > 0 && before - kept < wanted) {
                releaseOldest();
            }
            return before - kept;
        }
    }

    /** Releases as many bytes as were kept throughout since the last call: none needed them. */
    void releaseUnused() {
        synchronized (sizeClasses) {
            long unused = leastKept;
            while (unused > 0 && kept > 0 && oldest().bytes <= unused) {
                unused -= oldest().bytes;
                releaseOldest();
            }
            leastKept = kept;
        }
    }

    /** Returns the size class with the free slab that was returned first. */
    private SizeClass oldest() {
        SizeClass found = null;
        for (var sizeClass : sizeClasses) {
            if (!sizeClass.free.isEmpty()
                    && (found == null
                            || sizeClass.free.getFirst().returnedAt
                                    < found.free.getFirst().returnedAt)) {
                found = sizeClass;
            }
        }
        return found;
    }

    /** Leased memory. The lessee owns it until it closes the lease, which it must do once. */
    public final class Lease implements AutoCloseable {
        private final Slab slab;
        private final long length;

        /** Guarded by the lock of the pool. */
        private boolean closed;

        private Lease(Slab slab, long length) {
            this.slab = slab;
            this.length = length;
        }

        /** Returns the memory, as long as was requested. */
        public MemorySegment segment() {
            var whole = slab.segment;
            return length == whole.byteSize() ? whole : whole.asSlice(0, length);
        }

        /** Returns all memory of the slab, at least as many bytes as were requested. */
        public MemorySegment whole() {
            return slab.segment;
        }

        /** Returns the slab; the leased memory begins at its start. */
        public Slab slab() {
            return slab;
        }

        /** Returns how many bytes were requested. */
        public long length() {
            return length;
        }

        /**
         * Returns the memory to the pool.
         *
         * @throws IllegalStateException if the lease is already closed
         */
        @Override
        public void close() {
            synchronized (sizeClasses) {
                if (closed) {
                    throw new IllegalStateException("the lease is already closed");
                }
                closed = true;
                try {
                    keep(slab);
                } finally {
                    leased.decrementAndGet();
                }
            }
        }
    }
}
