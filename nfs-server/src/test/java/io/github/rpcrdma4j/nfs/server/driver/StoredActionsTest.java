package io.github.rpcrdma4j.nfs.server.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.server.driver.StoredActions.End;
import io.github.rpcrdma4j.nfs.server.stable.StableDirectory.Step;
import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.ClientRecord;
import io.github.rpcrdma4j.nfs.state.event.Principal;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.oncrpc.share.Host;
import io.github.rpcrdma4j.oncrpc.share.HostPlace;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import io.github.rpcrdma4j.testing.Eventually;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
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
    private final List<ClientRecord> written = Collections.synchronizedList(new ArrayList<>());
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

    private final List<Step> steps = Collections.synchronizedList(new ArrayList<>());
    private Step hanging = Step.WRITE;
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
        actions = new StoredActions(records, failures, this::ended, wait);
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

    private Path revokedFile(ClientRecord client) {
        return file(client).resolveSibling(RecordFile.revokedName(client.name()));
    }

    private void step(Step step) {
        steps.add(step);
        if (step == hanging && hang.getCount() > 0) {
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

    private void ended(Action.Storage change, End end) {
        if (change instanceof Action.Persist record) {
            ends.add(end);
            written.add(record.client());
        }
    }

    private static Action.Persist persist(long number, ClientRecord client) {
        return new Action.Persist(number, client, HOST);
    }

    private static Action.Forget forget(long number, ClientRecord client) {
        return new Action.Forget(number, client.name(), HOST, null);
    }

    private void delays(long number) {
        var failure = assertThrows(OperationFailure.class, () -> actions.await(number, HOST));
        assertEquals(Nfs4Status.DELAY, failure.status());
    }

    @Test
    void aRecordThatCannotBeWrittenStopsNoOther() throws Exception {
        block(B);
        actions.add(persist(1, A));
        actions.add(persist(2, B));
        actions.add(persist(3, C));
        actions.await(3, HOST);
        assertEquals(List.of(End.DONE, End.FAILED, End.DONE), List.copyOf(ends));
        assertTrue(Files.isRegularFile(file(A)) && Files.isRegularFile(file(C)));
        unblock(B);
        actions.add(persist(4, B));
        actions.await(4, HOST);
        assertTrue(Files.isRegularFile(file(B)));
    }

    /** Goal: at no time may a client reclaim again that has lost something. */
    @Test
    void aRecordOfALossTakesThePlaceOfTheRecordOrRemovesIt() throws Exception {
        actions.add(persist(1, A));
        actions.await(1, HOST);
        var lost = A.revoked();
        // It has no record yet, and its own cannot be written.
        var endless = new Principal("x".repeat(10_000));
        var tooLong = new ClientRecord(B.owner(), endless, B.place(), B.verifier(), true);
        actions.add(new Action.Forget(2, A.name(), HOST, lost));
        actions.add(new Action.Forget(3, B.name(), HOST, tooLong));
        actions.await(3, HOST);
        assertTrue(!Files.exists(file(A)));
        assertTrue(Files.exists(revokedFile(A)));
        assertTrue(!Files.exists(file(B)) && !Files.exists(revokedFile(B)));
        actions.add(new Action.Forget(4, A.name(), HOST, lost));
        actions.add(forget(5, A));
        actions.await(5, HOST);
        assertTrue(!Files.exists(file(A)) && !Files.exists(revokedFile(A)));
    }

    @Test
    void aFailureIsOneLineThatSaysWhatToDo() throws Exception {
        block(B);
        for (int i = 1; i <= 100; i++) {
            actions.add(persist(i, B));
            actions.await(i, HOST);
        }
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
        actions.add(persist(1, A));
        actions.add(persist(2, B));
        actions.add(persist(3, C));
        actions.add(persist(4, A));
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
        actions.add(persist(1, A));
        actions.await(1, HOST);
        block(A);
        actions.add(forget(2, A));
        delays(2);
        actions.await(1, HOST);
        // No record is written meanwhile: it might have to be removed.
        actions.add(persist(3, B));
        delays(3);
        assertEquals(List.of(End.DONE, End.REFUSED), List.copyOf(ends));
        assertTrue(!Files.exists(file(B)));
        unblock(A);
        Eventually.await(() -> isDone(2));
        actions.add(persist(4, B));
        actions.await(4, HOST);
        assertTrue(Files.isRegularFile(file(B)));
    }

    private boolean isDone(int number) throws Exception {
        try {
            actions.await(number, HOST);
            return true;
        } catch (OperationFailure _) {
            return false;
        }
    }

    @Test
    void whatIsAlreadyThereIsNotWaitedForWhileStorageHangs() throws Exception {
        actions.add(persist(1, A));
        actions.await(1, HOST);
        hang = new CountDownLatch(1);
        actions.add(persist(2, B));
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
        actions.add(persist(3, C));
        hang.countDown();
        waiting.join();
        actions.await(3, HOST);
        assertEquals(List.of(End.DONE, End.DONE, End.DONE), List.copyOf(ends));
    }

    /** The calls that wait hold threads. One host does not take all that there may be. */
    @Test
    void theCallsOfOneHostLeaveRoomForThoseOfOthers() throws Exception {
        hanging = Step.REMOVE;
        hang = new CountDownLatch(1);
        actions.add(forget(1, A));
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

    /** Has the thread be busy with one record while others are added. */
    private void beBusy() throws Exception {
        hang = new CountDownLatch(1);
        actions.add(persist(1, A));
        isHanging.await();
        steps.clear();
    }

    /** To force a directory takes the time of a turn of a disk. */
    @Test
    void aThousandRemovalsForceTheDirectoryOnce() throws Exception {
        beBusy();
        for (int i = 2; i <= 1001; i++) {
            actions.add(forget(i, client("client" + i)));
        }
        hang.countDown();
        actions.await(1001, host("another host"));
        int first = steps.indexOf(Step.REMOVE);
        assertEquals(1000, steps.stream().filter(Step.REMOVE::equals).count());
        var after = steps.subList(first, steps.size());
        assertEquals(1, after.stream().filter(Step.FORCE_DIRECTORY::equals).count());
    }

    @Test
    void theRecordOfAHostWaitsForFewOfAnother() throws Exception {
        beBusy();
        for (int i = 2; i <= 257; i++) {
            actions.add(new Action.Persist(i, client("client" + i), host("evil")));
        }
        actions.add(new Action.Persist(258, B, host("honest")));
        hang.countDown();
        actions.await(258, host("honest"));
        assertTrue(Files.exists(file(B)));
        actions.await(257, host("evil"));
        assertEquals(258, ends.size());
        assertEquals(Set.of(End.DONE), Set.copyOf(ends));
        assertTrue(isWrittenBefore(B, client("client100")), "it waited for those of the other");
    }

    private boolean isWrittenBefore(ClientRecord one, ClientRecord other) {
        return written.indexOf(one) < written.indexOf(other);
    }

    /** One that cannot be removed does not keep those that came before it. */
    @Test
    void aRemovalThatFailsHoldsUpOnlyThoseBehindIt() throws Exception {
        for (int i = 1; i <= 3; i++) {
            actions.add(persist(i, List.of(A, B, C).get(i - 1)));
        }
        actions.await(3, HOST);
        block(B);
        hanging = Step.WRITE;
        hang = new CountDownLatch(1);
        actions.add(persist(4, client("d")));
        isHanging.await();
        actions.add(forget(5, A));
        actions.add(forget(6, B));
        actions.add(forget(7, C));
        hang.countDown();
        delays(7);
        delays(6);
        actions.await(5, HOST);
        assertTrue(!Files.exists(file(A)));
        unblock(B);
        Eventually.await(() -> Files.notExists(file(C)));
    }

    @Test
    void theOperatorLearnsWhoseChangesWaitForStorage() throws Exception {
        actions.close();
        start(Duration.ofNanos(1));
        beBusy();
        var busy = new HostPlace(new TestHost("network"), "2001:db8::1");
        for (int i = 2; i <= 9; i++) {
            actions.add(new Action.Forget(i, client("client" + i).name(), busy, null));
        }
        delays(9);
        synchronized (lines) {
            var line = lines.getFirst();
            var who = "8 removals and 1 new records wait, 8 of them of 2001:db8::1";
            assertTrue(line.contains(who), line);
        }
    }

    @Test
    void aCallDoesNotWaitForEver() throws Exception {
        actions.close();
        start(Duration.ofNanos(1));
        hang = new CountDownLatch(1);
        actions.add(persist(1, A));
        isHanging.await();
        delays(1);
        synchronized (lines) {
            assertTrue(lines.getFirst().contains("has not answered"), lines::toString);
        }
    }
}
