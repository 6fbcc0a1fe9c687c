package io.github.rpcrdma4j.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

class SegmentPoolTest {
    @Test
    void leasesTheSmallestSizeThatHolds() {
        var pool = new SegmentPool(1 << 20);
        long[][] wanted = {
            {0, 1024},
            {1, 1024},
            {1024, 1024},
            {1025, 2048},
            {65536, 65536},
            {65537, 81920},
            {81920, 81920},
            {81921, 98304},
            {114689, 131072},
            {131072, 131072},
            {1 << 20, 1 << 20},
            {(1 << 20) + 1, 5 << 18},
            {(7 << 18) + 1, 2 << 20}
        };
        for (var each : wanted) {
            try (var lease = pool.lease(each[0])) {
                assertEquals(each[0], lease.segment().byteSize());
                assertEquals(each[1], lease.whole().byteSize());
                assertTrue(lease.whole().isNative());
            }
        }
    }

    /**
     * Goal: every length has a fitting size class. Method: lengths around each quarter of a power.
     */
    @Test
    void leasesAtMostAQuarterMoreThanIsAskedForOfLongMemory() {
        var pool = new SegmentPool(0);
        for (long power = 1 << 12; power <= 1 << 23; power *= 2) {
            for (long length = power; length <= 2 * power; length += power / 4) {
                for (long each = length - 1; each <= length + 1; each++) {
                    try (var lease = pool.lease(each)) {
                        long bytes = lease.whole().byteSize();
                        assertTrue(bytes >= each, "too little for " + each);
                        assertTrue(bytes <= each + power / 2, "too much for " + each);
                    }
                }
            }
        }
    }

    @Test
    void usesMemoryAgain() {
        var pool = new SegmentPool(1 << 20);
        long address;
        try (var lease = pool.lease(5000)) {
            address = lease.whole().address();
        }
        assertEquals(5120, pool.kept());
        try (var lease = pool.lease(5120);
                var other = pool.lease(5120)) {
            assertEquals(address, lease.whole().address());
            assertNotEquals(address, other.whole().address());
            assertEquals(0, pool.kept());
            assertEquals(2, pool.leased());
        }
    }

    @Test
    void keepsNoMoreThanAgreed() {
        var pool = new SegmentPool(3 * 1024);
        var leases = new ArrayList<SegmentPool.Lease>();
        for (int i = 0; i < 5; i++) {
            leases.add(pool.lease(1));
        }
        leases.forEach(SegmentPool.Lease::close);
        assertEquals(3 * 1024, pool.kept());
        pool.lease(2048).close();
        assertEquals(3 * 1024, pool.kept());
        assertEquals(0, pool.leased());
    }

    /** Goal: kept memory of a size that is no longer leased gives way to a size that is. */
    @Test
    void leasedSizesDisplaceUnusedOnes() {
        var pool = new SegmentPool(4 * 4096);
        closeAll(pool, 4, 4096);
        assertEquals(4 * 4096, pool.kept());
        var before = addresses(pool, 4, 2048);
        assertEquals(4 * 4096, pool.kept(), "half of the room was taken over");
        assertEquals(before, addresses(pool, 4, 2048), "all are used again");
        closeAll(pool, 1, 16384);
        assertEquals(16384, pool.kept());
    }

    @Test
    void releasesTheOldestSlabOfAnySize() {
        var pool = new SegmentPool(4096 + 2048);
        long large = addresses(pool, 1, 4096).getFirst();
        closeAll(pool, 1, 2048);
        assertEquals(large, addresses(pool, 1, 4096).getFirst(), "now the small one is older");
        closeAll(pool, 1, 1024);
        assertEquals(4096 + 1024, pool.kept());
        assertEquals(large, addresses(pool, 1, 4096).getFirst());
    }

    @Test
    void keepsNoSlabAboveItsMaximum() {
        var pool = new SegmentPool(4096);
        closeAll(pool, 2, 2048);
        closeAll(pool, 1, 4097);
        assertEquals(4096, pool.kept(), "no other slab was released");
    }

    private static void closeAll(SegmentPool pool, int count, long length) {
        addresses(pool, count, length);
    }

    /** Opens {@code count} leases at once, closes them, and returns their addresses. */
    private static List<Long> addresses(SegmentPool pool, int count, long length) {
        var leases = new ArrayList<SegmentPool.Lease>();
        for (int i = 0; i < count; i++) {
            leases.add(pool.lease(length));
        }
        // Closed in reverse order, so that the next leases get these addresses in order.
        leases.reversed().forEach(SegmentPool.Lease::close);
        return leases.stream().map(lease -> lease.whole().address()).toList();
    }

    /** Goal: a second close fails, and does not take the memory from its next lessee. */
    @Test
    void refusesToTakeALeaseBackTwice() {
        var pool = new SegmentPool(1 << 20);
        var first = pool.lease(1);
        first.close();
        try (var second = pool.lease(1)) {
            assertThrows(IllegalStateException.class, first::close);
            assertEquals(1, pool.leased());
            assertEquals(1, second.segment().byteSize());
        }
    }

    @Test
    void refusesLengthsWithoutASizeClass() {
        var pool = new SegmentPool(0);
        assertThrows(IllegalArgumentException.class, () -> pool.lease(-1));
        assertThrows(IllegalArgumentException.class, () -> pool.lease((1L << 30) + 1));
        assertThrows(IllegalArgumentException.class, () -> pool.lease(Long.MAX_VALUE));
        assertEquals(0, pool.leased());
    }

    @Test
    void refusesToKeepLessThanNothing() {
        assertThrows(IllegalArgumentException.class, () -> new SegmentPool(-1));
    }

    private static final class Note implements SegmentPool.Attachment {
        private final Object owner;
        boolean isObsolete;
        int closed;
        RuntimeException failure;
        Error error;

        Note(Object owner) {
            this.owner = owner;
        }

        @Override
        public Object owner() {
            return owner;
        }

        @Override
        public boolean isObsolete() {
            return isObsolete;
        }

        @Override
        public void close() {
            closed++;
            if (failure != null) {
                throw failure;
            }
            if (error != null) {
                throw error;
            }
        }
    }

    @Test
    void findsTheSlabOfEverySliceOfALease() {
        var pool = new SegmentPool(1 << 20);
        var other = new SegmentPool(1 << 20);
        try (var lease = pool.lease(5000);
                var foreign = other.lease(5000)) {
            assertSame(lease.slab(), pool.slab(lease.segment().asSlice(77, 100)));
            assertSame(lease.slab(), pool.slab(lease.whole().asReadOnly()));
            assertNull(pool.slab(foreign.segment()));
            assertNull(pool.slab(Arena.ofAuto().allocate(8)));
            assertNull(pool.slab(MemorySegment.ofArray(new byte[8])));
            assertEquals(1, pool.slabs());
        }
    }

    @Test
    void keepsAttachmentsAsLongAsTheSlab() {
        var pool = new SegmentPool(4096);
        var one = new Note("one");
        var two = new Note("two");
        try (var lease = pool.lease(4096)) {
            var slab = lease.slab();
            assertNull(slab.attachment("one"));
            assertSame(one, slab.attach(one.owner, _ -> one));
            assertSame(two, slab.attach(two.owner, _ -> two));
            assertSame(one, slab.attach(one.owner, _ -> new Note("never made")));
        }
        try (var again = pool.lease(4096)) {
            assertSame(one, again.slab().attachment(one.owner));
            assertEquals(0, one.closed);
        }
        pool.lease(2048).close();
        assertEquals(List.of(1, 1), List.of(one.closed, two.closed), "the slab was released");
        assertEquals(1, pool.slabs());
    }

    @Test
    void dropsObsoleteAttachmentsWhenOneIsAttached() {
        var pool = new SegmentPool(4096);
        var gone = new Note("gone");
        try (var lease = pool.lease(1)) {
            lease.slab().attach(gone.owner, _ -> gone);
            gone.isObsolete = true;
            lease.slab().attach("next", _ -> new Note("next"));
            assertNull(lease.slab().attachment(gone.owner));
        }
    }

    /** Goal: a failing attachment costs no memory, and leaves no other attachment open. */
    @Test
    void releasesASlabWhoseAttachmentFails() {
        var budget = new MemoryBudget(4096);
        var pool = new SegmentPool(0, budget);
        var failing = failing();
        var other = new Note("other");
        var lease = pool.lease(4096);
        lease.slab().attach(failing.owner, _ -> failing);
        lease.slab().attach(other.owner, _ -> other);
        assertSame(failing.failure, assertThrows(RuntimeException.class, lease::close));
        assertEquals(1, other.closed);
        assertEquals(0, pool.leased());
        assertEquals(0, pool.slabs());
        assertTrue(budget.hasRoom(4096), "the slab counts as garbage");
    }

    @Test
    void closesEveryAttachmentIfOneThrowsAnError() {
        var pool = new SegmentPool(0);
        var failing = new Note("failing");
        failing.error = new AssertionError("it fails on purpose");
        var other = new Note("other");
        var lease = pool.lease(4096);
        lease.slab().attach(failing.owner, _ -> failing);
        lease.slab().attach(other.owner, _ -> other);
        assertSame(failing.error, assertThrows(AssertionError.class, lease::close));
        assertEquals(1, other.closed);
        assertEquals(0, pool.slabs());
    }

    @Test
    void countsWhatItKeepsAfterAnAttachmentFailed() {
        var pool = new SegmentPool(4096);
        var failing = failing();
        try (var lease = pool.lease(4096)) {
            lease.slab().attach(failing.owner, _ -> failing);
        }
        var next = pool.lease(2048);
        assertSame(failing.failure, assertThrows(RuntimeException.class, next::close));
        assertEquals(2048, pool.kept());
        assertEquals(0, pool.leased());
    }

    private static Note failing() {
        var note = new Note("failing");
        note.failure = new IllegalStateException("it fails on purpose");
        return note;
    }

    /** Goal: no memory has two lessees. Method: many threads write marks and read them back. */
    @Test
    void servesManyThreads() throws Exception {
        var pool = new SegmentPool(16 * 1024);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var owners = new ArrayList<Callable<Void>>();
            for (int i = 0; i < 8; i++) {
                int mark = i;
                owners.add(() -> leaseAndMark(pool, mark));
            }
            for (var owner : threads.invokeAll(owners)) {
                owner.get();
            }
        }
        assertEquals(0, pool.leased());
        assertTrue(pool.kept() <= 16 * 1024);
    }

    private static Void leaseAndMark(SegmentPool pool, int mark) {
        for (int i = 0; i < 5000; i++) {
            try (var lease = pool.lease(1L << (8 + (i + mark) % 5))) {
                lease.segment().set(ValueLayout.JAVA_INT, 0, mark);
                Thread.yield();
                assertEquals(mark, lease.segment().get(ValueLayout.JAVA_INT, 0));
            }
        }
        return null;
    }
}
