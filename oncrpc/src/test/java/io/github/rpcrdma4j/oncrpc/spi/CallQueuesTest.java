package io.github.rpcrdma4j.oncrpc.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

class CallQueuesTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    private final CallQueues queues = new CallQueues();
    private final List<String> done = new ArrayList<>();

    private void add(String client, String call) {
        queues.add(new CallQueues.Call(client, () -> done.add(call)));
    }

    private List<String> takeAll() {
        for (var call = queues.poll(); call != null; call = queues.poll()) {
            call.work().run();
        }
        return done;
    }

    @Test
    void aClientWithManyCallsCostsAnotherOne() {
        for (int i = 1; i <= 4; i++) {
            add("many", "m" + i);
        }
        add("one", "o1");
        assertEquals(List.of("m1", "o1", "m2", "m3", "m4"), takeAll());
        assertTrue(queues.isEmpty());
    }

    @Test
    void clientsHaveTurnsAndTheirCallsAnOrder() {
        for (var call : List.of("a1", "a2", "b1", "c1", "b2", "a3")) {
            add(call.substring(0, 1), call);
        }
        assertEquals(List.of("a1", "b1", "c1", "a2", "b2", "a3"), takeAll());
    }

    @Test
    void aClientThatReturnsQueuesBehindOthers() {
        add("a", "a1");
        add("b", "b1");
        queues.poll().work().run();
        add("a", "a2");
        assertEquals(List.of("a1", "b1", "a2"), takeAll());
    }

    @Test
    void returnsWhetherAThreadIsIdle() {
        assertFalse(queues.add(new CallQueues.Call("a", () -> {})));
        assertFalse(queues.isEmpty());
    }

    @Test
    void aThreadWaitsNoLongerThanItsTimeout() throws Exception {
        assertNull(queues.poll(Duration.ofMillis(1)));
        add("a", "a1");
        queues.poll(LONG).work().run();
        assertEquals(List.of("a1"), done);
    }

    @Test
    void eachCallIsTakenOnceHoweverThreadsMeet() throws Exception {
        int threads = 4;
        int calls = 20_000;
        var taken = new ConcurrentLinkedQueue<Integer>();
        var all = new CountDownLatch(calls);
        try (var takers = Executors.newFixedThreadPool(threads)) {
            for (int i = 0; i < threads; i++) {
                takers.execute(
                        () -> {
                            try {
                                while (all.getCount() > 0) {
                                    var call = queues.poll(Duration.ofMillis(10));
                                    if (call != null) {
                                        call.work().run();
                                    }
                                }
                            } catch (InterruptedException failure) {
                                throw new AssertionError(failure);
                            }
                        });
            }
            for (int i = 0; i < calls; i++) {
                int number = i;
                queues.add(
                        new CallQueues.Call(
                                number % 7,
                                () -> {
                                    taken.add(number);
                                    all.countDown();
                                }));
            }
            all.await();
        }
        assertEquals(calls, taken.size());
        assertEquals(calls, taken.stream().distinct().count());
    }
}
