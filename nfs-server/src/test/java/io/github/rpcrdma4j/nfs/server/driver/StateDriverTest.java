package io.github.rpcrdma4j.nfs.server.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.server.stable.StableDirectory.Step;
import io.github.rpcrdma4j.nfs.state.Sequenced;
import io.github.rpcrdma4j.nfs.state.SlotUse;
import io.github.rpcrdma4j.nfs.state.event.ClientName;
import io.github.rpcrdma4j.nfs.state.event.Connection;
import io.github.rpcrdma4j.nfs.state.event.CreateSessionCall;
import io.github.rpcrdma4j.nfs.state.event.ExchangeIdCall;
import io.github.rpcrdma4j.nfs.state.event.FileKey;
import io.github.rpcrdma4j.nfs.state.event.OpenCall;
import io.github.rpcrdma4j.nfs.state.event.Principal;
import io.github.rpcrdma4j.nfs.state.event.Protection;
import io.github.rpcrdma4j.nfs.state.event.Sender;
import io.github.rpcrdma4j.nfs.state.event.SequenceCall;
import io.github.rpcrdma4j.nfs.state.limit.StateLimits;
import io.github.rpcrdma4j.nfs.state.limit.StateSettings;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.ChannelAttributes;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.SessionId;
import io.github.rpcrdma4j.oncrpc.KeyedHash;
import io.github.rpcrdma4j.oncrpc.share.Host;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import io.github.rpcrdma4j.testing.Eventually;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Goal: clients whose records are on storage go on, even if storage hangs or fails. */
class StateDriverTest {
    private static final ChannelAttributes CHANNEL =
            new ChannelAttributes(0, 8192, 8192, 1024, 16, 8, OptionalInt.empty());
    private static final Host HOST = new TestHost();
    private static final long LEASE = Duration.ofSeconds(90).toNanos();

    private record TestFile(String name) implements FileKey {
        @Override
        public Object store() {
            return name;
        }
    }

    private record TestHost() implements Host {}

    @TempDir private Path parent;
    private CountDownLatch hang = new CountDownLatch(0);
    private final CountDownLatch isHanging = new CountDownLatch(1);
    private StoredRecords records;
    private StateDriver driver;
    private int lastClient;

    /** How long the server did not run, in nanoseconds. */
    private final AtomicLong stopped = new AtomicLong();

    @BeforeEach
    void start() throws Exception {
        records =
                StoredRecords.open(
                        parent.resolve("clients"),
                        InstantSource.system(),
                        StoredRecords.RECORDS_MAX,
                        this::step);
        start(LEASE);
    }

    private void start(long lease) {
        driver =
                new StateDriver(
                        new StateSettings(
                                1, KeyedHash.random(), lease, lease, lease, StateLimits.DEFAULTS),
                        records,
                        new Connections(),
                        new StateNotices(),
                        new FailureLog(System.getLogger(StateDriverTest.class.getName())),
                        () -> System.nanoTime() + stopped.get());
    }

    @AfterEach
    void stop() throws Exception {
        hang.countDown();
        driver.close();
        records.close();
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

    /** A client with a session, of which it uses one slot. */
    private final class DrivenClient {
        private final OpaqueName name;
        private final Sender sender;
        private final SessionId session;
        private int sequence;

        DrivenClient(String name) throws OperationFailure {
            this.name = OpaqueName.of(name.getBytes(StandardCharsets.UTF_8));
            int number = ++lastClient;
            sender =
                    new Sender(
                            new Principal("sys:0"), false, new Connection(number, true), HOST, "");
            var call =
                    new ExchangeIdCall(new ClientOwner(1, this.name), 0, Protection.NONE, "test");
            var id = driver.results((all, now) -> all.exchangeId(call, number, sender, now));
            var creation =
                    new CreateSessionCall(
                            id.clientId(), id.sequence(), 0, CHANNEL, CHANNEL, 1, () -> 300);
            var fresh = new SessionId(number, 1);
            session =
                    driver.results((all, now) -> all.createSession(creation, fresh, sender, now))
                            .id();
        }

        private SlotUse begin() throws OperationFailure {
            var call = new SequenceCall(session, ++sequence, 0, 0, false, 2, 200, sequence);
            var sequenced = driver.results((all, now) -> all.sequence(call, sender, now));
            return ((Sequenced.Started) sequenced).use();
        }

        private void end(SlotUse use) {
            driver.finish(use, null);
        }

        void complete() throws OperationFailure {
            var use = begin();
            try {
                driver.results((all, now) -> all.reclaimComplete(use, false, now));
            } finally {
                end(use);
            }
        }

        void open(String file) throws OperationFailure {
            var call = new OpenCall(new TestFile(file), name, 3, 0, false);
            var use = begin();
            try {
                driver.results((all, now) -> all.open(use, call, now));
            } finally {
                end(use);
            }
        }
    }

    /** What time has brought is carried out, even if the event is the end of a COMPOUND. */
    @Test
    @Timeout(60)
    void aLeaseThatEndsDuringACompoundOfAnotherEndsWithItsRecord() throws Exception {
        driver.close();
        long lease = Duration.ofMillis(500).toNanos();
        start(lease);
        var b = new DrivenClient("b");
        var use = b.begin();
        var a = new DrivenClient("a");
        a.complete();
        var file = parent.resolve("clients").resolve(RecordFile.name(new ClientName(a.name, "")));
        assertTrue(Files.exists(file));
        long end = System.nanoTime() + lease + lease / 10;
        Eventually.await(() -> System.nanoTime() - end >= 0);
        b.end(use);
        Eventually.await(() -> Files.notExists(file));
    }

    /** The calls of a client wait in a socket, and another one's call is read first. */
    @Test
    void aServerThatDidNotRunHearsItsClientsBeforeTheirLeasesEnd() throws Exception {
        var a = new DrivenClient("a");
        a.complete();
        var b = new DrivenClient("b");
        b.complete();
        stopped.addAndGet(10 * LEASE);
        b.open("file");
        a.open("other");
    }

    @Test
    void aHungDirectoryStopsOnlyTheClientsThatNeedItNow() throws Exception {
        var a = new DrivenClient("a");
        a.complete();
        hang = new CountDownLatch(1);
        var b = new DrivenClient("b");
        var completed =
                CompletableFuture.runAsync(
                        () -> {
                            try {
                                b.complete();
                            } catch (OperationFailure failure) {
                                throw new AssertionError(failure);
                            }
                        },
                        task -> Thread.ofPlatform().start(task));
        isHanging.await();
        a.open("file");
        a.end(a.begin());
        new DrivenClient("c");
        assertFalse(completed.isDone());
        hang.countDown();
        completed.join();
        b.open("file");
    }

    @Test
    void aRecordThatCannotBeWrittenFailsItsOwnCall() throws Exception {
        var a = new DrivenClient("a");
        a.complete();
        var b = new DrivenClient("b");
        var file = parent.resolve("clients").resolve(RecordFile.name(new ClientName(b.name, "")));
        Files.createDirectory(file);
        for (int i = 0; i < 3; i++) {
            var failure = assertThrows(OperationFailure.class, b::complete);
            assertEquals(Nfs4Status.DELAY, failure.status());
            var grace = assertThrows(OperationFailure.class, () -> b.open("file"));
            assertEquals(Nfs4Status.GRACE, grace.status());
            // The others go on, also those that come only now.
            a.open("file" + i);
            new DrivenClient("other" + i).complete();
        }
        Files.delete(file);
        b.complete();
        b.open("file");
        assertTrue(Files.isRegularFile(file));
    }
}
