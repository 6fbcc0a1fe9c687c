package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.testing.Eventually;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: a polling thread never waits for the lock of a connection, and the work that it leaves
 * there runs in order.
 */
class ConnectionLockTest {
    private static final int LEFT = 100_000;
    private static final int THREADS = 4;

    private final List<Runnable> elsewhere = new ArrayList<>();
    private final List<Throwable> mistakes = new ArrayList<>();
    private final ConnectionLock lock =
            new ConnectionLock(Threads.OF_MACHINE, elsewhere::add, mistakes::add);
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
    void assertsThatAThreadHoldsIt() throws Exception {
        assertThrows(AssertionError.class, lock::assertHeld);
        lock.lock();
        lock.assertHeld();
        onAnother(() -> assertThrows(AssertionError.class, lock::assertHeld));
        lock.unlock();
        assertThrows(AssertionError.class, lock::assertHeld);
    }

    @Test
    void whatIsLeftIsDoneAtOnceWhereNoThreadHasTheLock() {
        lock.submit(() -> done.add("left " + lock.isHeldByCurrentThread()));
        assertEquals(List.of("left true"), done);
        assertFalse(lock.isLocked());
    }

    @Test
    void theHolderRunsSubmittedWorkBeforeItReleases() throws Exception {
        lock.lock();
        onAnother(() -> lock.submit(() -> done.add("left " + lock.isHeldByCurrentThread())));
        done.add("still locked");
        lock.unlock();
        assertEquals(List.of("still locked", "left true"), done);
        assertFalse(lock.isLocked());
    }

    @Test
    void anInnerUnlockDoesNothingThatWasLeft() throws Exception {
        lock.lock();
        lock.lock();
        onAnother(() -> lock.submit(() -> done.add("left")));
        lock.unlock();
        done.add("inner");
        lock.unlock();
        assertEquals(List.of("inner", "left"), done);
    }

    @Test
    void workThatTakesTheLockAgainIsDoneOnce() {
        lock.submit(
                () -> {
                    lock.lock();
                    done.add("left");
                    lock.unlock();
                });
        assertEquals(List.of("left"), done);
    }

    @Test
    void aConnectionWithWorkLeftIsInUse() throws Exception {
        lock.submitElsewhere(() -> done.add("left"));
        assertFalse(lock.tryLockUnused());
        assertFalse(lock.isLocked());
        elsewhere.getFirst().run();
        assertEquals(List.of("left"), done);
        assertTrue(lock.tryLockUnused());
        onAnother(() -> assertFalse(lock.tryLockUnused()));
        lock.unlock();
    }

    /** Goal: a polling thread does not run work that it left to another thread. */
    @Test
    void whatIsLeftElsewhereIsDoneThereAndWhatFollowsTooInOrder() throws Exception {
        lock.submitElsewhere(() -> done.add("first"));
        lock.submit(() -> done.add("second"));
        lock.lock();
        lock.unlock();
        assertEquals(List.of(), done);
        onAnother(elsewhere.getFirst());
        assertEquals(List.of("first", "second"), done);
        lock.submit(() -> done.add("third"));
        assertEquals(List.of("first", "second", "third"), done);
    }

    @Test
    void whereNoThreadIsElsewhereItIsDoneHere() {
        var alone =
                new ConnectionLock(
                        Threads.OF_MACHINE,
                        _ -> {
                            throw new IllegalStateException("by intent");
                        },
                        mistakes::add);
        alone.submitElsewhere(() -> done.add("left"));
        assertEquals(List.of("left"), done);
        assertFalse(alone.isLocked());
    }

    @Test
    void doesAllThatIsAskedForBeforeEachRelease() {
        var mistake = new IllegalStateException("by intent");
        lock.beforeRelease(
                () -> {
                    if (!done.isEmpty()) {
                        throw mistake;
                    }
                });
        lock.beforeRelease(() -> done.add(lock.isHeldByCurrentThread() ? "held" : "too late"));
        assertEquals(List.of("held"), done);
        lock.lock();
        lock.lock();
        lock.unlock();
        assertEquals(List.of("held"), done);
        lock.unlock();
        assertEquals(List.of("held", "held"), done);
        assertEquals(List.of(mistake), mistakes);
        assertFalse(lock.isLocked());
    }

    @Test
    void failedWorkIsReportedAndTheRestRuns() throws Exception {
        lock.lock();
        var mistake = new IllegalStateException("by intent");
        onAnother(
                () -> {
                    lock.submit(
                            () -> {
                                throw mistake;
                            });
                    lock.submit(() -> done.add("rest"));
                });
        lock.unlock();
        assertEquals(List.of(mistake), mistakes);
        assertEquals(List.of("rest"), done);
        assertFalse(lock.isLocked());
    }

    /** Goal: one thread runs a bounded amount of work, even if other threads always leave more. */
    @Test
    void oneThreadDoesSoMuchAndAnotherTheRest() throws Exception {
        lock.lock();
        onAnother(
                () -> {
                    for (int i = 0; i < 40; i++) {
                        lock.submit(() -> done.add("left"));
                    }
                });
        assertTrue(lock.release());
        assertFalse(lock.isLocked());
        int before = done.size();
        assertTrue(before < 40, () -> before + " were done at once");
        while (!elsewhere.isEmpty()) {
            elsewhere.removeFirst().run();
        }
        assertEquals(40, done.size());
    }

    @Test
    void reportsWhetherWorkWasSubmitted() throws Exception {
        lock.lock();
        assertFalse(lock.release());
        lock.lock();
        onAnother(() -> lock.submit(() -> done.add("left")));
        assertTrue(lock.release());
    }

    /** Goal: a thread does not park after an action before the release failed. */
    @Test
    void aThreadDoesNotParkAfterAFailedReleaseAction() throws Exception {
        lock.beforeRelease(
                () -> {
                    if (mistakes.isEmpty()) {
                        throw new IllegalStateException("by intent");
                    }
                });
        mistakes.clear();
        lock.lock();
        lock.park(Long.MAX_VALUE);
        lock.unlock();
        assertEquals(1, mistakes.size());
    }

    @Test
    void onlyTheThreadThatHasTheLockDoesWhatIsLeft() throws Exception {
        lock.lock();
        onAnother(
                () -> {
                    lock.submit(() -> done.add("left"));
                    assertThrows(IllegalMonitorStateException.class, lock::unlock);
                });
        assertEquals(List.of(), done);
        lock.unlock();
        assertEquals(List.of("left"), done);
    }

    /** Method: several threads take the lock all the time, and one thread leaves numbers. */
    @Test
    void nothingIsLostOrOvertakenHoweverThreadsMeet() throws Exception {
        var lock = new ConnectionLock(Threads.OF_MACHINE, others, mistakes::add);
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
                lock.submit(() -> seen.add(number));
            }
        }
        ended.countDown();
        Eventually.await(() -> lock.tryLockUnused());
        lock.unlock();
        others.close();
        assertEquals(List.of(), mistakes);
        assertEquals(LEFT, seen.size());
        for (int i = 0; i < LEFT; i++) {
            assertEquals(i, seen.get(i));
        }
    }
}
