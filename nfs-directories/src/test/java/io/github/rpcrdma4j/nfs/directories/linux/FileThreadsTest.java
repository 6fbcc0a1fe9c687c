package io.github.rpcrdma4j.nfs.directories.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: operations that hang at a file hold up no operations at others. Method: operations that the
 * test lets go on, and looks at times of the test.
 */
// A call waits for its job despite interrupts, so an interrupt would not end this test.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FileThreadsTest {
    private static final FileId HANGING = file(0);
    private static final FileId OTHER = file(1000);

    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private final Semaphore begun = new Semaphore(0);
    private final ExecutorService virtual = Executors.newVirtualThreadPerTaskExecutor();
    private final ExecutorService platform = Executors.newThreadPerTaskExecutor(Thread::new);
    private final Semaphore refused = new Semaphore(0);
    private final List<Future<Failure>> hung = new ArrayList<>();
    private FileThreads threads;
    private long now;

    private static FileId file(int number) {
        return new FileId(new byte[] {(byte) number, (byte) (number >> 8)});
    }

    @BeforeEach
    void start(TestInfo test) {
        assumeTrue(LinuxStores.missing().isEmpty(), () -> LinuxStores.missing().orElse(""));
        threads = new FileThreads(test.getDisplayName(), Identity.ofProcess());
    }

    @AfterEach
    void end() {
        mayEnd.countDown();
        virtual.close();
        platform.close();
        if (threads != null) {
            threads.close();
        }
    }

    private Future<Failure> on(ExecutorService executor, Callable<Void> operation) {
        return executor.submit(
                () -> {
                    try {
                        operation.call();
                        return null;
                    } catch (StoreException failed) {
                        refused.release();
                        return failed.failure();
                    }
                });
    }

    /** Begins an operation that does not end. */
    private Future<Failure> hang(ExecutorService executor, FileId at) {
        return on(
                executor,
                () ->
                        threads.runWaiting(
                                at,
                                _ -> {
                                    begun.release();
                                    awaitEnd();
                                    return null;
                                }));
    }

    private void awaitEnd() {
        boolean isOver = false;
        while (!isOver) {
            try {
                mayEnd.await();
                isOver = true;
            } catch (InterruptedException _) {
                // It hangs.
            }
        }
    }

    /** Begins operations on platform threads, and waits until they hang. */
    private void hangOnCallThreads(int operations, FileId at) throws InterruptedException {
        for (int i = 0; i < operations; i++) {
            hung.add(hang(platform, at));
        }
        begun.acquire(operations);
        look();
    }

    /** Looks before and after the time after which nothing waits for an operation. */
    private void look() {
        look(HangingFiles.REFUSED_NANOS);
    }

    private void look(long nanos) {
        threads.look(now);
        now += nanos;
        threads.look(now);
    }

    private Failure failureOf(ExecutorService executor, FileId at) throws Exception {
        return on(executor, () -> threads.runWaiting(at, _ -> null)).get(20, TimeUnit.SECONDS);
    }

    /** Neither a call thread nor a thread of the store waits at a file where many hang. */
    private void assertRefused(FileId at) throws Exception {
        assertEquals(Failure.AGAIN, failureOf(platform, at));
        assertEquals(Failure.AGAIN, failureOf(virtual, at));
    }

    private void assertServed(FileId at) throws Exception {
        assertEquals(null, failureOf(platform, at));
        assertEquals(null, failureOf(virtual, at));
    }

    @Test
    void operationsWhereManyHangAreRefusedAndOthersGoOn() throws Exception {
        hangOnCallThreads(HangingFiles.OF_FILE_MAX - 1, HANGING);
        assertServed(HANGING);
        hangOnCallThreads(1, HANGING);
        assertRefused(HANGING);
        assertServed(OTHER);
        mayEnd.countDown();
        for (var each : hung) {
            assertEquals(null, each.get(20, TimeUnit.SECONDS));
        }
        look();
        assertServed(HANGING);
    }

    /** A slow disk is no reason to send clients away. */
    @Test
    void operationsWaitForThoseThatAreSlow() throws Exception {
        for (int i = 0; i < HangingFiles.OF_FILE_MAX; i++) {
            hung.add(hang(platform, HANGING));
        }
        begun.acquire(HangingFiles.OF_FILE_MAX);
        look(HangingFiles.REFUSED_NANOS - 1);
        assertServed(HANGING);
        assertFalse(threads.hangsAt(HANGING));
        now += 1;
        threads.look(now);
        assertRefused(HANGING);
        assertTrue(threads.hangsAt(HANGING));
    }

    @Test
    void anOperationThatNeedNotWaitIsNotRefused() throws Exception {
        hangOnCallThreads(HangingFiles.OF_FILE_MAX, HANGING);
        assertEquals("cached", threads.run(HANGING, _ -> "cached"));
        var failed =
                assertThrows(
                        StoreException.class,
                        () ->
                                threads.run(
                                        HANGING,
                                        call -> {
                                            call.mustWait();
                                            return null;
                                        }));
        assertEquals(Failure.AGAIN, failed.failure());
    }

    /** If it were, the caller would make the change again. */
    @Test
    void theRestOfAChangeIsNotRefused() throws Exception {
        hangOnCallThreads(HangingFiles.OF_FILE_MAX, HANGING);
        assertEquals("stored", threads.finish(HANGING, _ -> "stored"));
    }

    @Test
    void operationsAtManyFilesAreRefusedWhenManyHangInTheStore() throws Exception {
        for (int i = 0; i < HangingFiles.OF_STORE_MAX - 1; i++) {
            hang(platform, file(i));
        }
        begun.acquire(HangingFiles.OF_STORE_MAX - 1);
        look();
        assertServed(OTHER);
        hangOnCallThreads(1, file(500));
        assertRefused(OTHER);
        assertEquals("cached", threads.run(OTHER, _ -> "cached"));
    }

    /** However many operations had begun before the file was found to hang. */
    @Test
    void oneFileDoesNotUseUpTheStore() throws Exception {
        hangOnCallThreads(2 * HangingFiles.OF_STORE_MAX, HANGING);
        assertRefused(HANGING);
        assertServed(OTHER);
    }

    @Test
    void aBurstAtOneFileLeavesThreadsOfTheStoreToOthersAtOnce() throws Exception {
        int burst = 3 * FileThreads.THREADS_MAX;
        for (int i = 0; i < burst; i++) {
            hang(virtual, HANGING);
        }
        begun.acquire(HangingFiles.OF_FILE_MAX);
        assertServed(OTHER);
        assertEquals(0, begun.availablePermits());
        // Those that wait for the others are refused when these are found to hang.
        look();
        refused.acquire(burst - HangingFiles.OF_FILE_MAX);
        assertServed(OTHER);
        assertEquals(0, begun.availablePermits());
    }

    @Test
    void threadsReplaceThoseThatHangUpToABound(TestInfo test) throws Exception {
        int most = FileThreads.THREADS_MAX + FileThreads.THREADS_BESIDES_MAX;
        for (int i = 0; i < FileThreads.THREADS_MAX; i++) {
            hang(virtual, file(i));
        }
        begun.acquire(FileThreads.THREADS_MAX);
        var rest = new ArrayList<Future<String>>();
        for (int i = 0; i < most; i++) {
            rest.add(
                    virtual.submit(
                            () ->
                                    threads.finish(
                                            OTHER,
                                            _ -> {
                                                begun.release();
                                                return "stored";
                                            })));
        }
        assertTrue(rest.stream().noneMatch(Future::isDone));
        look(HangingFiles.HANGS_NANOS);
        for (var each : rest) {
            assertEquals("stored", each.get(20, TimeUnit.SECONDS));
        }
        begun.drainPermits();
        for (int i = 0; i < FileThreads.THREADS_BESIDES_MAX; i++) {
            hang(virtual, file(FileThreads.THREADS_MAX + i));
        }
        begun.acquire(FileThreads.THREADS_BESIDES_MAX);
        look(HangingFiles.HANGS_NANOS);
        threads.later(OTHER, _ -> null);
        var started = "nfs-files-" + test.getDisplayName() + "-";
        long count =
                Thread.getAllStackTraces().keySet().stream()
                        .filter(each -> each.getName().startsWith(started))
                        .count();
        assertEquals(most, count);
    }

    @Test
    void anOperationAtSeveralFilesIsRefusedIfManyHangAtAnyOfThem() throws Exception {
        hangOnCallThreads(HangingFiles.OF_FILE_MAX, HANGING);
        for (var executor : List.of(platform, virtual)) {
            for (var two : List.of(List.of(HANGING, OTHER), List.of(OTHER, HANGING))) {
                var failed =
                        on(
                                executor,
                                () ->
                                        threads.runWaiting(
                                                two.getFirst(), two.subList(1, 2), _ -> null));
                assertEquals(Failure.AGAIN, failed.get(20, TimeUnit.SECONDS));
            }
        }
    }

    @Test
    void aChangeIsRefusedWhenTheOneBeforeItHangs() throws Exception {
        var locks = new ChangeLocks(threads::hangsAt);
        var held = new CountDownLatch(1);
        var holder =
                on(
                        platform,
                        () -> {
                            try (var _ = locks.lock(HANGING)) {
                                held.countDown();
                                return threads.runWaiting(
                                        HANGING,
                                        _ -> {
                                            begun.release();
                                            awaitEnd();
                                            return null;
                                        });
                            }
                        });
        held.await();
        begun.acquire();
        var next =
                on(
                        virtual,
                        () -> {
                            try (var _ = locks.lock(HANGING)) {
                                return null;
                            }
                        });
        look();
        assertEquals(Failure.AGAIN, next.get(20, TimeUnit.SECONDS));
        mayEnd.countDown();
        assertEquals(null, holder.get(20, TimeUnit.SECONDS));
        assertEquals(0, locks.size());
    }
}
