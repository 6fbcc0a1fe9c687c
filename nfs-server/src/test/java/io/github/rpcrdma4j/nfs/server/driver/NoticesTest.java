package io.github.rpcrdma4j.nfs.server.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: many notices cost as little as two, and the last one is not lost. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NoticesTest {
    private static final int MANY = 10_000;

    private final Queue<Runnable> threads = new ArrayDeque<>();

    @Test
    void thoseThatComeMeanwhileAreHeededOnceMore() {
        var heeded = new AtomicInteger();
        var self = new Notices[1];
        self[0] =
                new Notices(
                        threads::add,
                        () -> {
                            if (heeded.incrementAndGet() == 1) {
                                addMany(self[0]);
                            }
                        });
        addMany(self[0]);
        assertEquals(1, threads.size());
        threads.remove().run();
        assertEquals(2, heeded.get());
        assertEquals(0, threads.size());
        self[0].add();
        threads.remove().run();
        assertEquals(3, heeded.get());
    }

    private static void addMany(Notices notices) {
        for (int i = 0; i < MANY; i++) {
            notices.add();
        }
    }

    @Test
    void eachIsHeededAfterItHasCome() throws Exception {
        var came = new AtomicInteger();
        var last = new CountDownLatch(1);
        var notices =
                new Notices(
                        task -> Thread.ofVirtual().start(task),
                        () -> {
                            if (came.get() == MANY) {
                                last.countDown();
                            }
                        });
        for (int i = 0; i < MANY; i++) {
            came.incrementAndGet();
            notices.add();
        }
        last.await();
    }

    @Test
    void anErrorEndsNothing() {
        var notices =
                new Notices(
                        threads::add,
                        () -> {
                            throw new IllegalStateException("test");
                        });
        for (int i = 0; i < 3; i++) {
            notices.add();
            assertThrows(IllegalStateException.class, threads.remove()::run);
        }
    }
}
