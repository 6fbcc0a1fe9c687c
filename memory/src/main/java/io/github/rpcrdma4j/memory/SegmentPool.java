package io.github.rpcrdma4j.memory;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Native memory that is used again and again, in sizes that are powers of two, and for long memory
 * three more between each two: a message that holds a power of two and a little more does not take
 * twice as much. Memory is not cleared between uses. What the pool keeps for later is bounded, over
 * all sizes together: beyond that it lets go what was not wanted for the longest time. All memory,
 * leased or kept, is part of a {@link MemoryBudget}.
 *
 * <p>Thread-safe.
 */
public final class SegmentPool {
    private static final int SMALLEST_SHIFT = 10;
    private static final int LARGEST_SHIFT = 30;

    /** Up to here there is a shelf for each power of two. */
    private static final int WHOLE_SHIFT = 12;

    /** Beyond, so many shelves in place of each. */
    private static final int PARTS_SHIFT = 2;

    private static final int PARTS = 1 << PARTS_SHIFT;
    private static final int WHOLE_SHELVES = WHOLE_SHIFT - SMALLEST_SHIFT + 1;
    private static final long ALIGNMENT_BYTES = 64;

    private final long keptMax;
    private final MemoryBudget budget;
    private final AtomicInteger leased = new AtomicInteger();

    /** By the scope of its arena, which all views of it share. */
    private final ConcurrentHashMap<MemorySegment.Scope, Slab> slabs = new ConcurrentHashMap<>();

    private final Shelf[] shelves =
            new Shelf[WHOLE_SHELVES + (LARGEST_SHIFT - WHOLE_SHIFT) * PARTS];

    /** Guarded by the shelves, as is what lies on them. */
    private long kept;

    /** The least that was kept since this was asked for; guarded by the shelves. */
    private long leastKept;

    /** Counts what was given back; guarded by the shelves. */
    private long now;

    /** All free memory of one size: on top what was given back last, at the bottom what first. */
    private static final class Shelf {
        final long bytes;
        final ArrayDeque<Slab> free = new ArrayDeque<>(0);

        Shelf(long bytes) {
            this.bytes = bytes;
        }
    }

    /**
     * What lasts as long as the pool has a slab, such as its registration with an adapter. Made by
     * its owner when it is first wanted, and closed when the pool lets the slab go.
     */
    public interface Attachment {
        /** By whom it is found again. */
        Object owner();

        /** Whether its owner has no use for it any more. */
        boolean isOver();

        /** The pool lets the slab go; no lease of it is open. */
        void close();
    }

    /** Memory that is allocated, kept and leased as one. */
    public static final class Slab {
        private final Shelf shelf;
        private final MemoryBudget.Grant grant;
        private final MemorySegment segment;

        /** When it was given back; guarded by the shelves. */
        private long since;

        /** Replaced, never changed. */
        private volatile Attachment[] attachments = {};

        private Slab(Shelf shelf, MemoryBudget.Grant grant) {
            this.shelf = shelf;
            this.grant = grant;
            this.segment = grant.segment();
        }

        /** All of it. */
        public MemorySegment segment() {
            return segment;
        }

        /** What an owner attached to it; null if nothing. */
        public Attachment attachment(Object owner) {
            for (var each : attachments) {
                if (each.owner() == owner) {
                    return each;
                }
            }
            return null;
        }

        /**
         * What an owner attached to it, now or before.
         *
         * @param made asked if there is nothing yet; its owner is that owner
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
            for (var each : attachments) {
                each.close();
            }
            attachments = new Attachment[0];
            grant.letGo();
        }
    }

    /**
     * A pool that takes its memory from the budget of the process.
     *
     * @param keptMax how many bytes the pool keeps for later use at most; not negative
     */
    public SegmentPool(long keptMax) {
        this(keptMax, MemoryBudget.process());
    }

    /**
     * A pool with memory of a budget.
     *
     * @param keptMax how many bytes the pool keeps for later use at most; not negative
     * @param budget where new memory comes from
     */
    public SegmentPool(long keptMax, MemoryBudget budget) {
        this.keptMax = keptMax;
        this.budget = budget;
        for (int i = 0; i < shelves.length; i++) {
            shelves[i] = new Shelf(shelfBytes(i));
        }
        budget.join(this);
    }

    /** The budget that its memory is part of. */
    public MemoryBudget budget() {
        return budget;
    }

    /**
     * Leases memory of at least {@code length} bytes, with whatever content.
     *
     * @throws IllegalArgumentException if the length is negative or above 1 GiB
     * @throws BudgetExhaustedException if there is no memory for that now
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
     * The slab that a segment is a part of.
     *
     * @return null if it is none of this pool
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

    /** Bytes that are kept for later use; at most what was agreed on. */
    public long kept() {
        synchronized (shelves) {
            return kept;
        }
    }

    /** How many slabs it has, leased or kept. */
    public int slabs() {
        return slabs.size();
    }

    /** How many leases are open; 0 when nothing leaked. */
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

    /** The shelf of the smallest memory that holds so many bytes. */
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

    /** The caller holds the lock on the shelves. */
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
        letGo(shelf.free.removeFirst());
        kept -= shelf.bytes;
        leastKept = Math.min(leastKept, kept);
    }

    /**
     * Lets go what is kept, longest unused first, until it is as much as wanted or nothing is left.
     *
     * @return how many bytes that were
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

    /** Lets go what was kept all the time since this was called last: so much was not wanted. */
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

    /** The shelf whose lowest memory has been there for longer than any other. */
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

    /** Memory in use. Its lessee owns it until it is closed, once. */
    public final class Lease implements AutoCloseable {
        private final Slab slab;
        private final long length;

        /** Guarded by the shelves. */
        private boolean closed;

        private Lease(Slab slab, long length) {
            this.slab = slab;
            this.length = length;
        }

        /** As many bytes as were asked for. */
        public MemorySegment segment() {
            var whole = slab.segment;
            return length == whole.byteSize() ? whole : whole.asSlice(0, length);
        }

        /** All there is, at least as many bytes as were asked for. */
        public MemorySegment whole() {
            return slab.segment;
        }

        /** What it is leased of, from its start on. */
        public Slab slab() {
            return slab;
        }

        /** How many bytes were asked for. */
        public long length() {
            return length;
        }

        /**
         * Gives the memory back.
         *
         * @throws IllegalStateException if it was given back before
         */
        @Override
        public void close() {
            synchronized (shelves) {
                if (closed) {
                    throw new IllegalStateException("memory was given back to its pool twice");
                }
                closed = true;
                keep(slab);
            }
            leased.decrementAndGet();
        }
    }
}
