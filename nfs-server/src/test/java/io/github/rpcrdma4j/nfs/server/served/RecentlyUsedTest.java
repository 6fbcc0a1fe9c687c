package io.github.rpcrdma4j.nfs.server.served;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

class RecentlyUsedTest {
    private static final int MAX = 10;

    @Test
    void remembersAtLeastTheHalfThatWasUsedLast() {
        var recent = new RecentlyUsed<Integer, Integer>(MAX);
        for (int i = 0; i < 100; i++) {
            recent.put(i, -i);
            for (int j = Math.max(0, i - MAX / 2 + 1); j <= i; j++) {
                assertEquals(-j, recent.find(j));
            }
            assertTrue(recent.size() <= MAX);
        }
    }

    @Test
    void keepsEntriesThatAreUsedRepeatedly() {
        var recent = new RecentlyUsed<String, Integer>(MAX);
        recent.put("always", 1);
        for (int i = 0; i < 100; i++) {
            assertEquals(1, recent.find("always"));
            recent.put("once " + i, i);
        }
        assertNull(recent.find("once 0"));
    }

    @Test
    void holdsItsBoundWithManyThreads() throws Exception {
        int callers = 8;
        var recent = new RecentlyUsed<Integer, Integer>(MAX);
        try (var threads = Executors.newFixedThreadPool(callers)) {
            var all = new ArrayList<Callable<Void>>();
            for (int i = 0; i < callers; i++) {
                all.add(() -> learnMany(recent));
            }
            for (var each : threads.invokeAll(all)) {
                each.get();
            }
        }
        assertTrue(recent.size() <= MAX + callers, () -> recent.size() + " are too many");
    }

    private static Void learnMany(RecentlyUsed<Integer, Integer> recent) {
        for (int i = 0; i < 10_000; i++) {
            int key = i % 50;
            var found = recent.find(key);
            assertTrue(found == null || found == -key);
            recent.put(key, -key);
        }
        return null;
    }
}
