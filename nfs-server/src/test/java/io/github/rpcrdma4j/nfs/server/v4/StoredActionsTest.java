package io.github.rpcrdma4j.nfs.server.v4;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.server.stable.StableDirectory.Step;
import io.github.rpcrdma4j.nfs.server.state.Action;
import io.github.rpcrdma4j.nfs.server.state.ClientRecord;
import io.github.rpcrdma4j.nfs.server.state.Host;
import io.github.rpcrdma4j.nfs.server.state.HostPlace;
import io.github.rpcrdma4j.nfs.server.state.Principal;
import io.github.rpcrdma4j.nfs.server.v4.StoredActions.End;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: storage that fails or hangs holds up only what needs it. Method: real directories. */
class StoredActionsTest {
    private static final ClientRecord A = client("a");
    private static final ClientRecord B = client("b");
    private static final ClientRecord C = client("c");
    private static final HostPlace HOST = host("host");
    private static final Duration LONG = Duration.ofMinutes(5);

    @TempDir private Path parent;
    private final LinkedBlockingQueue<End> ends = new LinkedBlockingQueue<>();
    private final List<String> lines = new ArrayList<>();
    private final Logger logger = Logger.getLogger(StoredActionsTest.class.getName());
    private final Handler handler =
            new Handler() {
                @Override
                public void publish(LogRecord each) {
                    synchronized (lines) {
                        lines.add(each.getLevel() + " " + each.getMessage());
                    }
                }

                @Override
                public void flush() {}

                @Override
                public void close() {}
            };

    private CountDownLatch hang = new CountDownLatch(0);
    private CountDownLatch isHanging = new CountDownLatch(1);
    private StoredRecords records;
    private StoredActions actions;

    private record TestHost(String name) implements Host {}

    private static HostPlace host(String name) {
        return new HostPlace(new TestHost(name), "");
    }

    private static ClientRecord client(String owner) {
        return new ClientRecord(
                OpaqueName.of(owner.getBytes(StandardCharsets.UTF_8)),
                new Principal("sys:0"),
                "",
                0);
    }

    @BeforeEach
    void start() throws Exception {
        logger.addHandler(handler);
        logger.setUseParentHandlers(false);
        records =
                StoredRecords.open(
                        directory(), InstantSource.system(), StoredRecords.RECORDS_MAX, this::step);
        start(LONG);
    }

    private void start(Duration wait) {
        var failures = new FailureLog(System.getLogger(StoredActionsTest.class.getName()));
        actions = new StoredActions(records, failures, (_, end) -> ends.add(end), wait);
    }

    @AfterEach
    void stop() throws Exception {
        hang.countDown();
        actions.close();
        records.close();
        logger.removeHandler(handler);
    }

    private Path directory() {
        return parent.resolve("clients");
    }

    /** Where the record of a client is. */
    private Path file(ClientRecord client) {
        return directory().resolve(RecordFile.name(client.name()));
    }

    private void step(Step step) {
        if (step == Step.WRITE && hang.getCount() > 0) {
            isHanging.countDown();
            try {
                hang.await();
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Puts something there that is neither replaced nor removed. */
    private void block(ClientRecord client) throws Exception {
        Files.deleteIfExists(file(client));
        Files.createDirectory(file(client));
        Files.createFile(file(client).resolve("x"));
    }

    private void unblock(ClientRecord client) throws Exception {
        Files.delete(file(client).resolve("x"));
        Files.delete(file(client));
    }

    private void delays(long number) {
        var failure = assertThrows(OperationFailure.class, () -> actions.await(number, HOST));
        assertEquals(Nfs4Status.DELAY, failure.status());
    }

    @Test
    void aRecordThatCannotBeWrittenStopsNoOther() throws Exception {
        block(B);
        actions.add(new Action.Persist(1, A));
        actions.add(new Action.Persist(2, B));
        actions.add(new Action.Persist(3, C));
        actions.await(3, HOST);
        assertEquals(List.of(End.WRITTEN, End.FAILED, End.WRITTEN), List.copyOf(ends));
        assertTrue(Files.isRegularFile(file(A)) && Files.isRegularFile(file(C)));
        unblock(B);
        actions.add(new Action.Persist(4, B));
        actions.await(4, HOST);
        assertTrue(Files.isRegularFile(file(B)));
    }

    @Test
    void aFailureIsOneLineThatSaysWhatToDo() throws Exception {
        block(B);
        for (int i = 1; i <= 100; i++) {
            actions.add(new Action.Persist(i, B));
        }
        actions.await(100, HOST);
        synchronized (lines) {
            assertEquals(1, lines.size(), lines::toString);
            var line = lines.getFirst();
            assertTrue(line.startsWith("WARNING the records of NFS clients cannot be"), line);
            assertTrue(line.contains(directory() + " is writable and has room"), line);
            assertTrue(line.indexOf('\n') < 0, line);
        }
    }

    @Test
    void saysThatRecordsCanBeChangedAgain() throws Exception {
        block(B);
        actions.add(new Action.Persist(1, A));
        actions.add(new Action.Persist(2, B));
        actions.add(new Action.Persist(3, C));
        actions.add(new Action.Persist(4, A));
        actions.await(4, HOST);
        synchronized (lines) {
            assertEquals(2, lines.size(), lines::toString);
            assertEquals(
                    "WARNING the records of NFS clients can be changed again: " + directory(),
                    lines.getLast());
        }
    }

    @Test
    void aRemovalThatFailsHoldsUpWhatWaitsForItUntilItSucceeds() throws Exception {
        actions.add(new Action.Persist(1, A));
        actions.await(1, HOST);
        block(A);
        actions.add(new Action.Forget(2, A.name()));
        delays(2);
        actions.await(1, HOST);
        // No record is written meanwhile: it might have to be removed.
        actions.add(new Action.Persist(3, B));
        delays(3);
        assertEquals(List.of(End.WRITTEN, End.REFUSED), List.copyOf(ends));
        assertTrue(!Files.exists(file(B)));
        unblock(A);
        boolean isRemoved = false;
        while (!isRemoved) {
            try {
                actions.await(2, HOST);
                isRemoved = true;
            } catch (OperationFailure _) {
                Thread.onSpinWait();
            }
        }
        actions.add(new Action.Persist(4, B));
        actions.await(4, HOST);
        assertTrue(Files.isRegularFile(file(B)));
    }

    @Test
    void whatIsAlreadyThereIsNotWaitedForWhileStorageHangs() throws Exception {
        actions.add(new Action.Persist(1, A));
        actions.await(1, HOST);
        hang = new CountDownLatch(1);
        actions.add(new Action.Persist(2, B));
        var waiting =
                CompletableFuture.runAsync(
                        () -> {
                            try {
                                actions.await(2, HOST);
                            } catch (OperationFailure failure) {
                                throw new AssertionError(failure);
                            }
                        },
                        task -> Thread.ofPlatform().start(task));
        isHanging.await();
        actions.await(1, HOST);
        actions.add(new Action.Persist(3, C));
        hang.countDown();
        waiting.join();
        actions.await(3, HOST);
        assertEquals(List.of(End.WRITTEN, End.WRITTEN, End.WRITTEN), List.copyOf(ends));
    }

    /** The calls that wait hold threads. One host does not take all that there may be. */
    @Test
    void theCallsOfOneHostLeaveRoomForThoseOfOthers() throws Exception {
        hang = new CountDownLatch(1);
        actions.add(new Action.Persist(1, A));
        isHanging.await();
        int calls = 300;
        var delayed = new Semaphore(0);
        var waiting = new ArrayList<CompletableFuture<Boolean>>();
        for (int i = 0; i < calls; i++) {
            waiting.add(waits(host("evil"), delayed));
        }
        int refused = calls - 64;
        assertTrue(delayed.tryAcquire(refused, 1, TimeUnit.MINUTES), "one host takes more");
        waiting.add(waits(host("honest"), delayed));
        hang.countDown();
        long ended = 0;
        for (var each : waiting) {
            ended += each.join() ? 1 : 0;
        }
        assertEquals(64 + 1, ended);
    }

    /** Starts a call that waits for the first change; returns whether it was there. */
    private CompletableFuture<Boolean> waits(HostPlace place, Semaphore delayed) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        actions.await(1, place);
                        return true;
                    } catch (OperationFailure _) {
                        delayed.release();
                        return false;
                    }
                },
                Thread::startVirtualThread);
    }

    @Test
    void aCallDoesNotWaitForEver() throws Exception {
        actions.close();
        start(Duration.ofNanos(1));
        hang = new CountDownLatch(1);
        actions.add(new Action.Persist(1, A));
        isHanging.await();
        delays(1);
        synchronized (lines) {
            assertTrue(lines.getFirst().contains("has not answered"), lines::toString);
        }
    }
}
