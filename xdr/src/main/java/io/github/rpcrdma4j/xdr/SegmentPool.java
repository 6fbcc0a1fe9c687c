package io.github.rpcrdma4j.xdr;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Native memory that is used again and again, in sizes that are powers of two. Memory is not
 * cleared between uses. What the pool keeps for later is bounded; what is leased is not: that is
 * the caller's bound.
 *
 * <p>Thread-safe.
 */
public final class SegmentPool {
    private static final int SMALLEST_SHIFT = 10;
    private static final int SHIFTS = 31 - SMALLEST_SHIFT;
    private static final long ALIGNMENT_BYTES = 64;

    private final long keptMax;
    private final AtomicLong kept = new AtomicLong();
    private final AtomicInteger leased = new AtomicInteger();
    private final Shelf[] shelves = new Shelf[SHIFTS];

    /**
     * @param keptMax how many octets the pool keeps for later use at most; not negative
     */
    public SegmentPool(long keptMax) {
        this.keptMax = keptMax;
        for (int i = 0; i < SHIFTS; i++) {
            shelves[i] = new Shelf(1L << (i + SMALLEST_SHIFT));
        }
    }

    /**
     * Leases memory of at least {@code length} octets, with whatever content.
     *
     * @throws IllegalArgumentException if the length is negative or above 1 GiB
     */
    public Lease lease(long length) {
        var shelf = shelves[shelfIndex(length)];
        var memory = shelf.free.pollFirst();
        if (memory == null) {
            // An automatic arena: memory that the pool lets go is freed when nobody sees it.
            memory = Arena.ofAuto().allocate(shelf.bytes, ALIGNMENT_BYTES);
        } else {
            kept.addAndGet(-shelf.bytes);
        }
        leased.incrementAndGet();
        return new Lease(shelf, memory, length);
    }

    /** Octets that are kept for later use; at most what was agreed on. */
    public long kept() {
        return kept.get();
    }

    /** How many leases are open; 0 when nothing leaked. */
    public int leased() {
        return leased.get();
    }

    private static int shelfIndex(long length) {
        if (length < 0 || length > 1L << (SMALLEST_SHIFT + SHIFTS - 1)) {
            throw new IllegalArgumentException("not a length for the pool: " + length);
        }
        int bits = Long.SIZE - Long.numberOfLeadingZeros(Math.max(length, 1) - 1);
        return Math.max(bits - SMALLEST_SHIFT, 0);
    }

    private static final class Shelf {
        final long bytes;
        final ConcurrentLinkedDeque<MemorySegment> free = new ConcurrentLinkedDeque<>();

        Shelf(long bytes) {
            this.bytes = bytes;
        }
    }

    /** Memory in use. Owned by whoever leased it, until it is closed, once. */
    public final class Lease implements AutoCloseable {
        private final Shelf shelf;
        private final MemorySegment memory;
        private final long length;
        private final AtomicBoolean closed = new AtomicBoolean();

        private Lease(Shelf shelf, MemorySegment memory, long length) {
            this.shelf = shelf;
            this.memory = memory;
            this.length = length;
        }

        /** As many octets as were asked for. */
        public MemorySegment segment() {
            return length == memory.byteSize() ? memory : memory.asSlice(0, length);
        }

        /** All there is, at least as many octets as were asked for. */
        public MemorySegment whole() {
            return memory;
        }

        /**
         * Gives the memory back.
         *
         * @throws IllegalStateException if it was given back before
         */
        @Override
        public void close() {
            if (!closed.compareAndSet(false, true)) {
                throw new IllegalStateException("memory was given back to its pool twice");
            }
            leased.decrementAndGet();
            if (kept.addAndGet(shelf.bytes) <= keptMax) {
                shelf.free.addFirst(memory);
            } else {
                kept.addAndGet(-shelf.bytes);
            }
        }
    }
}
