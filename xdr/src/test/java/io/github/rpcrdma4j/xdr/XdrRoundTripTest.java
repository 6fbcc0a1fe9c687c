package io.github.rpcrdma4j.xdr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.memory.SegmentPool;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: the reader reads what the writer wrote. Method: random sequences of items, with all bulk
 * data placed apart.
 */
class XdrRoundTripTest {
    private static final int RUNS = 2000;
    private static final int ITEMS_MAX = 20;
    private static final int BYTES_MAX = 300;

    private final SegmentPool pool = new SegmentPool(1 << 20);
    private Random random;

    @BeforeEach
    void seed() {
        var given = System.getProperty("seed", "");
        long seed = given.isEmpty() ? System.nanoTime() : Long.parseLong(given);
        System.out.println("seed=" + seed);
        random = new Random(seed);
    }

    @Test
    void readsWhatWasWritten() throws Exception {
        for (int run = 0; run < RUNS; run++) {
            var items = items();
            try (var out = new XdrWriter(pool)) {
                items.forEach(item -> item.write(out));
                var placed = new Placed(out.bulkItems());
                var in = new XdrReader(out.reducedStream(), placed);
                for (var item : items) {
                    item.readBack(in);
                }
                in.finish();
                assertEquals(out.position(), in.position());
            }
        }
        assertEquals(0, pool.leased());
    }

    @Test
    void refusesRandomBytesOnlyWithAnXdrException() {
        for (int run = 0; run < RUNS; run++) {
            byte[] bytes = new byte[random.nextInt(BYTES_MAX)];
            random.nextBytes(bytes);
            var in = new XdrReader(MemorySegment.ofArray(bytes));
            var items = items();
            assertThrows(
                    XdrException.class,
                    () -> {
                        while (true) {
                            for (var item : items) {
                                item.skip(in);
                            }
                            in.uint32();
                        }
                    });
            assertTrue(in.remaining() >= 0);
        }
    }

    private List<Item> items() {
        var items = new ArrayList<Item>();
        int count = random.nextInt(ITEMS_MAX);
        for (int i = 0; i < count; i++) {
            items.add(
                    switch (random.nextInt(5)) {
                        case 0 -> new Item.Word(random.nextInt());
                        case 1 -> new Item.Hyper(random.nextLong());
                        case 2 -> new Item.Flag(random.nextBoolean());
                        case 3 -> new Item.Opaque(bytes());
                        default -> new Item.Bulk(bytes());
                    });
        }
        return items;
    }

    private MemorySegment bytes() {
        byte[] bytes = new byte[random.nextInt(BYTES_MAX)];
        random.nextBytes(bytes);
        return MemorySegment.ofArray(bytes);
    }

    private sealed interface Item {
        record Word(int value) implements Item {}

        record Hyper(long value) implements Item {}

        record Flag(boolean value) implements Item {}

        record Opaque(MemorySegment value) implements Item {}

        record Bulk(MemorySegment value) implements Item {}

        default void write(XdrWriter out) {
            switch (this) {
                case Word(var value) -> out.uint32(value);
                case Hyper(var value) -> out.uint64(value);
                case Flag(var value) -> out.bool(value);
                case Opaque(var value) -> out.opaque(value);
                case Bulk(var value) -> out.bulk(value);
            }
        }

        default void readBack(XdrReader in) throws XdrException {
            switch (this) {
                case Word(var value) -> assertEquals(value, in.uint32());
                case Hyper(var value) -> assertEquals(value, in.uint64());
                case Flag(var value) -> assertEquals(value, in.bool());
                case Opaque(var value) -> assertEquals(-1, value.mismatch(in.opaque(BYTES_MAX)));
                case Bulk(var value) -> assertEquals(-1, value.mismatch(in.bulk(BYTES_MAX)));
            }
        }

        default void skip(XdrReader in) throws XdrException {
            switch (this) {
                case Word _ -> in.uint32();
                case Hyper _ -> in.uint64();
                case Flag _ -> in.bool();
                case Opaque _ -> in.opaque(BYTES_MAX);
                case Bulk _ -> in.bulk(BYTES_MAX);
            }
        }
    }

    /** Places all bulk items apart, and checks that the reader asks for each at its position. */
    private static final class Placed implements Placements {
        private final ArrayDeque<BulkItem> left;

        Placed(List<BulkItem> items) {
            this.left = new ArrayDeque<>(items);
        }

        @Override
        public MemorySegment take(long position, long count) {
            var item = left.removeFirst();
            assertEquals(item.position(), position);
            assertEquals(item.data().byteSize(), count);
            return item.data();
        }

        @Override
        public void skipAbsent() {
            left.removeFirst();
        }

        @Override
        public void finish() {
            assertTrue(left.isEmpty());
        }
    }
}
