package io.github.rpcrdma4j.nfs.directories.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Goal: the jobs of one file leave threads to others. Method: jobs that are values of the test. */
class FileQueuesTest {
    private static final int MAX = 2;

    private final FileQueues<String, String> queues = new FileQueues<>(MAX);

    private void add(String... jobs) {
        for (var each : jobs) {
            queues.add(each.substring(0, 1), each);
        }
    }

    private String next() {
        return queues.poll().job();
    }

    @Test
    void filesHaveTurns() {
        add("a1", "a2", "b1", "c1");
        assertEquals(List.of("a1", "b1", "c1", "a2"), List.of(next(), next(), next(), next()));
        assertNull(queues.poll());
    }

    @Test
    void fewJobsOfAFileRunAtATime() {
        add("a1", "a2", "a3", "a4");
        var first = queues.poll();
        next();
        assertNull(queues.poll());
        assertEquals(0, queues.ready());
        assertTrue(queues.add("b", "b1"));
        assertFalse(queues.add("a", "a5"));
        assertEquals("b1", next());
        queues.ended(first);
        assertEquals("a3", next());
        assertNull(queues.poll());
    }

    @Test
    void jobsAtNoFileAllRun() {
        for (int i = 0; i < 10; i++) {
            assertTrue(queues.add(null, "job" + i));
        }
        assertEquals(10, queues.ready());
    }

    @Test
    void jobsThatAreRemovedDoNotRun() {
        add("a1", "a2", "a3", "b1");
        next();
        assertEquals(List.of("a2", "a3"), queues.remove(each -> each.startsWith("a")));
        assertEquals("b1", next());
        assertNull(queues.poll());
    }

    /** Random steps, compared with the rule itself. */
    @Test
    void eachJobRunsAsSoonAsItsFileAllows() {
        long seed = System.nanoTime();
        var random = new Random(seed);
        Map<String, ArrayDeque<String>> waiting = new HashMap<>();
        Map<String, Integer> running = new HashMap<>();
        var taken = new ArrayList<FileQueues.Taken<String>>();
        for (int step = 0; step < 20_000; step++) {
            String file = "abcd".charAt(random.nextInt(4)) + "";
            switch (random.nextInt(8)) {
                case 0, 1, 2 -> {
                    queues.add(file, file + step);
                    waiting.computeIfAbsent(file, _ -> new ArrayDeque<>()).add(file + step);
                }
                case 3, 4, 5 -> {
                    var next = queues.poll();
                    if (next == null) {
                        assertEquals(0, ready(waiting, running), () -> "seed " + seed);
                    } else {
                        String of = next.job().substring(0, 1);
                        assertEquals(waiting.get(of).poll(), next.job(), () -> "seed " + seed);
                        assertTrue(running.merge(of, 1, Integer::sum) <= MAX, () -> "seed " + seed);
                        taken.add(next);
                    }
                }
                case 6 -> {
                    if (!taken.isEmpty()) {
                        var ended = taken.remove(random.nextInt(taken.size()));
                        queues.ended(ended);
                        running.merge(ended.job().substring(0, 1), -1, Integer::sum);
                    }
                }
                default -> {
                    if (random.nextInt(10) == 0) {
                        var removed = queues.remove(each -> each.startsWith(file));
                        var there = waiting.getOrDefault(file, new ArrayDeque<>());
                        assertEquals(List.copyOf(there), removed, () -> "seed " + seed);
                        there.clear();
                    }
                }
            }
            assertEquals(ready(waiting, running), queues.ready(), () -> "seed " + seed);
        }
    }

    private static int ready(
            Map<String, ArrayDeque<String>> waiting, Map<String, Integer> running) {
        return waiting.entrySet().stream()
                .mapToInt(
                        each ->
                                Math.min(
                                        each.getValue().size(),
                                        MAX - running.getOrDefault(each.getKey(), 0)))
                .sum();
    }
}
