package io.github.rpcrdma4j.rpcrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Goal: a thread that polls waits for no connection, and all that it leaves is done, in order. */
class ConnectionLockTest {
    private static final int LEFT = 100_000;
    private static final int THREADS = 4;

    private final ConnectionLock lock = new ConnectionLock();
    private final ExecutorService others = Executors.newCachedThreadPool();
    private final List<String> done = new ArrayList<>();

    @AfterEach
    void stop() {
        others.close();
    }

    private void onAnother(Runnable work) throws Exception {
        others.submit(work).get();
    }

    @Test
    void whatIsLeftIsDoneAtOnceWhereNoThreadHasTheLock() {
        lock.leave(() -> done.add("left " + lock.isHeldByCurrentThread()));
        assertEquals(List.of("left true"), done);
        assertFalse(lock.isLocked());
    }

    @Test
    void theThreadThatHasTheLockDoesWhatWasLeftBeforeItLetsGo() throws Exception {
        lock.lock();
        onAnother(() -> lock.leave(() -> done.add("left " + lock.isHeldByCurrentThread())));
        done.add("still locked");
        lock.unlock();
        assertEquals(List.of("still locked", "left true"), done);
        assertFalse(lock.isLocked());
    }

    @Test
    void anInnerUnlockDoesNothingThatWasLeft() throws Exception {
        lock.lock();
        lock.lock();
        onAnother(() -> lock.leave(() -> done.add("left")));
        lock.unlock();
        done.add("inner");
        lock.unlock();
        assertEquals(List.of("inner", "left"), done);
    }

    @Test
    void workThatTakesTheLockAgainIsDoneOnce() {
        lock.leave(
                () -> {
                    lock.lock();
                    done.add("left");
                    lock.unlock();
                });
        assertEquals(List.of("left"), done);
    }

    @Test
    void aConnectionWithWorkLeftIsInUse() throws Exception {
        var waiting = new ArrayList<Runnable>();
        lock.leave(() -> done.add("left"), waiting::add);
        assertFalse(lock.tryLockUnused());
        assertFalse(lock.isLocked());
        waiting.getFirst().run();
        assertEquals(List.of("left"), done);
        assertTrue(lock.tryLockUnused());
        onAnother(() -> assertFalse(lock.tryLockUnused()));
        lock.unlock();
    }

    @Test
    void whatIsLeftLaterComesAfterWhatWasLeftElsewhere() {
        lock.leave(() -> done.add("first"), _ -> {});
        lock.leave(() -> done.add("second"));
        assertEquals(List.of("first", "second"), done);
    }

    @Test
    void workThatFailsLeavesTheLockFreeAndTheRestToTheNext() {
        lock.leave(
                () -> {
                    throw new IllegalStateException("by intent");
                },
                _ -> {});
        lock.leave(() -> done.add("rest"), _ -> {});
        lock.lock();
        assertThrows(IllegalStateException.class, lock::unlock);
        assertFalse(lock.isLocked());
        lock.lock();
        lock.unlock();
        assertEquals(List.of("rest"), done);
    }

    @Test
    void onlyTheThreadThatHasTheLockDoesWhatIsLeft() throws Exception {
        lock.lock();
        onAnother(
                () -> {
                    lock.leave(() -> done.add("left"));
                    assertThrows(IllegalMonitorStateException.class, lock::unlock);
                });
        assertEquals(List.of(), done);
        lock.unlock();
        assertEquals(List.of("left"), done);
    }

    /** Method: threads that take the lock all the time, and one that leaves numbers. */
    @Test
    void nothingIsLostOrOvertakenHoweverThreadsMeet() throws Exception {
        var seen = new ArrayList<Integer>();
        var ended = new CountDownLatch(1);
        for (int i = 0; i < THREADS; i++) {
            others.execute(
                    () -> {
                        while (ended.getCount() > 0) {
                            lock.lock();
                            lock.unlock();
                        }
                    });
        }
        for (int i = 0; i < LEFT; i++) {
            int number = i;
            if (lock.tryLockUnused()) {
                seen.add(number);
                lock.unlock();
            } else {
                lock.leave(() -> seen.add(number));
            }
        }
        ended.countDown();
        others.close();
        assertEquals(LEFT, seen.size());
        for (int i = 0; i < LEFT; i++) {
            assertEquals(i, seen.get(i));
        }
    }
}
