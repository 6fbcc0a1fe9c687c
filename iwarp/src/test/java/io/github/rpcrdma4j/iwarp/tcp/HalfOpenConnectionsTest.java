package io.github.rpcrdma4j.iwarp.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.ArrayList;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class HalfOpenConnectionsTest {
    private final HalfOpenConnections queue = new HalfOpenConnections(10, 4);
    private long time;

    private HalfOpenConnection of(String client) {
        return new HalfOpenConnection(null, null, Optional.of(client), time++);
    }

    @Test
    void removesTheOldestOfAClientWithTooMany() {
        var mine = new ArrayList<HalfOpenConnection>();
        for (int i = 0; i < 4; i++) {
            mine.add(of("mine"));
            assertNull(queue.add(mine.getLast()));
        }
        assertSame(mine.get(0), queue.add(of("mine")));
        assertSame(mine.get(1), queue.add(of("mine")));
        assertEquals(4, queue.count());
    }

    /** Goal: a client with one connection keeps it, no matter what other clients do. */
    @Test
    void noClientDisplacesConnectionsOfAnother() {
        var honest = of("honest");
        assertNull(queue.add(honest));
        for (int i = 0; i < 1000; i++) {
            var gone = queue.add(of("hostile " + i % 3));
            assertEquals(false, honest == gone, "after " + i);
        }
        assertEquals(10, queue.count());
    }

    @Test
    void removesTheOldestOfAllWhenEachClientHasOne() {
        var all = new ArrayList<HalfOpenConnection>();
        for (int i = 0; i < 10; i++) {
            all.add(of("client " + i));
            queue.add(all.getLast());
        }
        assertSame(all.get(0), queue.add(of("client 10")));
        assertSame(all.get(1), queue.add(of("client 11")));
    }

    @Test
    void aRemovedConnectionMakesRoom() {
        for (int i = 0; i < 10; i++) {
            var one = of("client");
            queue.add(one);
            queue.remove(one);
            queue.remove(one);
        }
        assertEquals(0, queue.count());
        assertNull(queue.add(of("client")));
    }
}
