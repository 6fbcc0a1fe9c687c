package io.github.rpcrdma4j.rpcrdma.requester;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionMemory;
import io.github.rpcrdma4j.sim.Seeds;
import java.util.HashMap;
import java.util.HashSet;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

/** Goal: the table acts like a map. Method: equal random steps on both, with colliding XIDs. */
class CallTableTest {
    private static final int TABLES = 200;
    private static final int STEPS = 300;

    @Test
    void findsWhatAMapFinds() {
        var pool = new SegmentPool(1 << 20);
        var memory = new ConnectionMemory(null, null, pool);
        var calls = new CallMemory.Spares(memory, 1, 0);
        Seeds.many(TABLES)
                .forEach(
                        seed -> {
                            var random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
                            // XIDs with few different high bits, so that many collide.
                            int range = 1 << random.nextInt(3, 9);
                            int stride = 1 << random.nextInt(28);
                            var table = new CallTable();
                            var map = new HashMap<Integer, ShortCall>();
                            for (int step = 0; step < STEPS; step++) {
                                int xid = random.nextInt(range) * stride;
                                if (map.containsKey(xid) && random.nextBoolean()) {
                                    table.remove(xid);
                                    map.remove(xid).release();
                                } else if (!map.containsKey(xid)) {
                                    table.remove(xid);
                                    var call = calls.take().shortCall(xid);
                                    table.put(call);
                                    map.put(xid, call);
                                }
                                assertEquals(map.size(), table.size(), () -> "seed " + seed);
                            }
                            for (int i = 0; i < range; i++) {
                                int xid = i * stride;
                                assertSame(map.get(xid), table.get(xid), () -> "seed " + seed);
                            }
                            assertEquals(new HashSet<>(map.values()), new HashSet<>(table.all()));
                            map.values().forEach(ShortCall::release);
                        });
        assertEquals(0, pool.leased());
    }
}
