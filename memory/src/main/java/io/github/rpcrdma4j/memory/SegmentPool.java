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

    /** Up to this power of two, each power has one shelf. */
    private static final int WHOLE_SHIFT = 12;

    /** Above, four shelves (two to this power) cover the range up to each power of two. */
    private static final int PARTS_SHIFT = 2;

    private static final int PARTS = 1 << PARTS_SHIFT;
    private static final int WHOLE_SHELVES = WHOLE_SHIFT - SMALLEST_SHIFT + 1;
    private static final long ALIGNMENT_BYTES = 64;

    private final long keptMax;
    private final MemoryBudget budget;
    private final AtomicInteger leased = new AtomicInteger();

    /** All slabs, by the scope of their memory, which all views of it share. */
    private final ConcurrentHashMap<MemorySegment.Scope, Slab> slabs = new ConcurrentHashMap<>();

    private final Shelf[] shelves =
            new Shelf[WHOLE_SHELVES + (LARGEST_SHIFT - WHOLE_SHIFT) * PARTS];

    /** The bytes on all shelves. The lock on the shelves array guards this and the shelves. */
    private long kept;

    /** The minimum of {@link #kept} since the last {@link #letGoUnused}; guarded by the shelves. */
    private long leastKept;

    /** The number of slabs that were put on a shelf so far; guarded by the shelves. */
    private long now;

    /** The free slabs of one size, from the slab that was returned first to the most recent. */
    private static final class Shelf {
        final long bytes;
        final ArrayDeque<Slab> free = new ArrayDeque<>(0);

        Shelf(long bytes) {
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
        boolean isOver();

        /**
         * Ends the attachment because the pool releases the slab; no lease of the slab is open. The
         * pool holds its lock during the call. If this method throws, the pool releases the slab
         * nevertheless, and passes the exception on.
         */
        void close();
    }

    /** A block of memory that the pool allocates, keeps and leases as a whole. */
    public static final class Slab {
        private final Shelf shelf;
        private final MemoryBudget.Grant grant;
        private final MemorySegment segment;

        /** The value of {@code now} at its last return to the pool; guarded by the shelves. */
        private long since;

        /** Copied on write. */
        private volatile Attachment[] attachments = {};

        private Slab(Shelf shelf, MemoryBudget.Grant grant) {
            this.shelf = shelf;
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
                                    Stream.of(attachments).filter(each -> !each.isOver()),
                                    Stream.of(own))
                            .toArray(Attachment[]::new);
            return own;
        }

        private synchronized void letGo() {
            try {
                closeAttachments();
            } finally {
                attachments = new Attachment[0];
                grant.letGo();
            }
        }

        private void closeAttachments() {
            RuntimeException failure = null;
            for (var each : attachments) {
                try {
                    each.close();
                } catch (RuntimeException one) {
                    failure = one;
                }
            }
            if (failure != null) {
                throw failure;
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
        for (int i = 0; i < shelves.length; i++) {
            shelves[i] = new Shelf(shelfBytes(i));
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
        var shelf = shelves[shelfIndex(length)];
        var slab = take(shelf);
        if (slab == null) {
            slab = new Slab(shelf, budget.allocate(shelf.bytes, ALIGNMENT_BYTES));
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

    private Slab take(Shelf shelf) {
        synchronized (shelves) {
            var slab = shelf.free.pollLast();
            if (slab != null) {
                kept -= shelf.bytes;
                leastKept = Math.min(leastKept, kept);
            }
            return slab;
        }
    }

    /** Returns how many bytes the pool keeps for reuse; at most the maximum of the constructor. */
    public long kept() {
        synchronized (shelves) {
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

    private static long shelfBytes(int index) {
        if (index < WHOLE_SHELVES) {
            return 1L << (SMALLEST_SHIFT + index);
        }
        int beyond = index - WHOLE_SHELVES;
        int shift = WHOLE_SHIFT + beyond / PARTS;
        long part = 1L << (shift - PARTS_SHIFT);
        return (1L << shift) + (beyond % PARTS + 1) * part;
    }

    /** Returns the index of the shelf with the smallest size that holds {@code length} bytes. */
    private static int shelfIndex(long length) {
        if (length < 0 || length > 1L << LARGEST_SHIFT) {
            throw new IllegalArgumentException("not a length for the pool: " + length);
        }
        long last = Math.max(length, 1) - 1;
        int bits = Long.SIZE - Long.numberOfLeadingZeros(last);
        if (bits <= WHOLE_SHIFT) {
            return Math.max(bits - SMALLEST_SHIFT, 0);
        }
        int shift = bits - 1;
        int part = (int) (last >>> (shift - PARTS_SHIFT)) & (PARTS - 1);
        return WHOLE_SHELVES + (shift - WHOLE_SHIFT) * PARTS + part;
    }

    /** Puts a slab on its shelf, or releases it. The caller holds the lock on the shelves. */
    private void keep(Slab slab) {
        if (slab.shelf.bytes > keptMax) {
            letGo(slab);
            return;
        }
        slab.since = now++;
        slab.shelf.free.addLast(slab);
        kept += slab.shelf.bytes;
        while (kept > keptMax) {
            letGoLongestUnused();
        }
    }

    private void letGo(Slab slab) {
        slabs.remove(slab.segment.scope());
        slab.letGo();
    }

    private void letGoLongestUnused() {
        var shelf = longestUnused();
        var slab = shelf.free.removeFirst();
        kept -= shelf.bytes;
        leastKept = Math.min(leastKept, kept);
        letGo(slab);
    }

    /**
     * Releases kept slabs, longest unused first, until that many bytes are released or none is
     * left.
     *
     * @return how many bytes it released
     */
    long letGo(long wanted) {
        synchronized (shelves) {
            long before = kept;
            while (kept > 0 && before - kept < wanted) {
                letGoLongestUnused();
            }
            return before - kept;
        }
    }

    /** Releases as many bytes as were kept throughout since the last call: none needed them. */
    void letGoUnused() {
        synchronized (shelves) {
            long unused = leastKept;
            while (unused > 0 && kept > 0 && longestUnused().bytes <= unused) {
                unused -= longestUnused().bytes;
                letGoLongestUnused();
            }
            leastKept = kept;
        }
    }

    /** Returns the shelf whose first slab was returned before every other free slab. */
    private Shelf longestUnused() {
        Shelf found = null;
        for (var shelf : shelves) {
            if (!shelf.free.isEmpty()
                    && (found == null
                            || shelf.free.getFirst().since < found.free.getFirst().since)) {
                found = shelf;
            }
        }
        return found;
    }

    /** Leased memory. The lessee owns it until it closes the lease, which it must do once. */
    public final class Lease implements AutoCloseable {
        private final Slab slab;
        private final long length;

        /** Guarded by the shelves. */
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
            synchronized (shelves) {
                if (closed) {
                    throw new IllegalStateException("memory was given back to its pool twice");
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
