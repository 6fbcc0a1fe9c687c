package io.github.rpcrdma4j.nfs.client.v4;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.LockRange;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import io.github.rpcrdma4j.nfs.client.service.Waits;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeResult;
import io.github.rpcrdma4j.nfs.v4.operation.LockResult;
import io.github.rpcrdma4j.nfs.v4.operation.LockType;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: it is known for what a call waits, from the first refusal until it goes on. Method: a
 * server that the test operates by hand.
 */
@Timeout(120)
class WaitsOfClientsTest {
    private static final FileHandle FILE = new FileHandle(new byte[32]);
    private static final int SECONDS = 20;

    private ServerByHand server;
    private Waits waits;
    private Nfs4Service service;

    @BeforeEach
    void connect() throws Exception {
        server = new ServerByHand();
        waits = server.waits();
        service = server.connect(NfsVersion.VERSION_4_2, 4096);
    }

    @AfterEach
    void close() {
        service.close();
        server.close();
    }

    private Optional<Waits.Reason> now() {
        return waits.now().map(Waits.Wait::reason);
    }

    @ParameterizedTest
    @CsvSource({"GRACE,GRACE", "DELAY,BUSY"})
    void aCallThatTheServerPutsOffWaits(Nfs4Status status, Waits.Reason reason) throws Exception {
        var opening = server.calling(() -> service.open(FILE, OpenFile.Mode.READ, "no"));
        for (int i = 0; i < 2; i++) {
            server.next(Opcode.SEQUENCE, Opcode.PUTFH, Opcode.OPEN).fail(status);
        }
        var last = server.next(Opcode.SEQUENCE, Opcode.PUTFH, Opcode.OPEN);
        assertEquals(Optional.of(reason), now());
        last.answerAsServer();
        opening.get(SECONDS, TimeUnit.SECONDS);
        assertEquals(Optional.empty(), now());
    }

    /** Then the same call is sent again, in its slot. */
    @Test
    void aCallWhoseSequenceIsPutOffWaits() throws Exception {
        var asking = server.calling(() -> service.attributes(FILE, "no"));
        server.next(Opcode.SEQUENCE, Opcode.PUTFH, Opcode.GETATTR).failSequence(Nfs4Status.DELAY);
        var again = server.next(Opcode.SEQUENCE, Opcode.PUTFH, Opcode.GETATTR);
        assertEquals(Optional.of(Waits.Reason.BUSY), now());
        again.fail(Nfs4Status.STALE);
        assertThrows(ExecutionException.class, () -> asking.get(SECONDS, TimeUnit.SECONDS));
        assertEquals(Optional.empty(), now());
    }

    @Test
    void aCallThatFailsWaitsNoMore() throws Exception {
        var asking =
                server.calling(
                        () ->
                                assertThrows(
                                        NfsException.class, () -> service.attributes(FILE, "no")));
        server.next(Opcode.SEQUENCE, Opcode.PUTFH, Opcode.GETATTR).fail(Nfs4Status.DELAY);
        var again = server.next(Opcode.SEQUENCE, Opcode.PUTFH, Opcode.GETATTR);
        assertEquals(Optional.of(Waits.Reason.BUSY), now());
        again.fail(Nfs4Status.STALE);
        asking.get(SECONDS, TimeUnit.SECONDS);
        assertEquals(Optional.empty(), now());
    }

    @ParameterizedTest
    @CsvSource({"false,GRACE", "true,BUSY"})
    void aCallOfAPipelineWaitsUntilItEndsOrIsGivenUp(boolean isOfSequence, Waits.Reason reason)
            throws Exception {
        var opening = server.calling(() -> service.open(FILE, OpenFile.Mode.BOTH, "no"));
        server.next(Opcode.SEQUENCE, Opcode.PUTFH, Opcode.OPEN).answerAsServer();
        var file = opening.get(SECONDS, TimeUnit.SECONDS);
        for (boolean isGivenUp : new boolean[] {false, true}) {
            var moving =
                    server.calling(
                            () -> {
                                try (var pipeline = service.pipeline()) {
                                    pipeline.change(FILE, AttributeChanges.ofMode(0600), "no");
                                    while (pipeline.poll()) {
                                        // Until it has ended.
                                    }
                                }
                                return file;
                            });
            var first = server.next(Opcode.SEQUENCE, Opcode.PUTFH, Opcode.SETATTR);
            if (isOfSequence) {
                first.failSequence(Nfs4Status.DELAY);
            } else {
                first.fail(Nfs4Status.GRACE);
            }
            var again = server.next(Opcode.SEQUENCE, Opcode.PUTFH, Opcode.SETATTR);
            assertEquals(Optional.of(reason), now());
            if (isGivenUp) {
                moving.cancel(true);
                again.fail(Nfs4Status.ACCESS);
            } else {
                again.answer(
                        Result.done(Opcode.PUTFH),
                        new AttributeResult.SetAttr(Nfs4Status.OK, AttributeSet.NONE));
                moving.get(SECONDS, TimeUnit.SECONDS);
            }
            waits.awaitEnd(reason);
        }
    }

    @Test
    void aLockOfAnotherClientIsWaitedFor() throws Exception {
        var opening = server.calling(() -> service.open(FILE, OpenFile.Mode.BOTH, "no"));
        server.next(Opcode.SEQUENCE, Opcode.PUTFH, Opcode.OPEN).answerAsServer();
        var file = opening.get(SECONDS, TimeUnit.SECONDS);
        var locking =
                server.calling(
                        () ->
                                service.lock(
                                        file,
                                        LockRange.ALL,
                                        true,
                                        Duration.ofSeconds(SECONDS),
                                        "no"));
        server.next(Opcode.SEQUENCE, Opcode.PUTFH, Opcode.LOCK)
                .answer(
                        Result.done(Opcode.PUTFH),
                        new LockResult.Denied(
                                Opcode.LOCK,
                                0,
                                -1,
                                LockType.WRITE,
                                new StateOwner(9, OpaqueName.of(new byte[1]))));
        var again = server.next(Opcode.SEQUENCE, Opcode.PUTFH, Opcode.LOCK);
        assertEquals(Optional.of(Waits.Reason.LOCK), now());
        again.answer(Result.done(Opcode.PUTFH), new LockResult.Lock(new StateId(1, 5, 6)));
        locking.get(SECONDS, TimeUnit.SECONDS);
        assertEquals(Optional.empty(), now());
    }

    /** A session that is forgotten is made anew by the keeper. */
    @Test
    void aSessionThatIsForgottenIsWaitedFor() throws Exception {
        server.hand(Opcode.CREATE_SESSION);
        var asking = server.calling(() -> service.attributes(FILE, "no"));
        server.next(Opcode.SEQUENCE, Opcode.PUTFH, Opcode.GETATTR)
                .failSequence(Nfs4Status.BADSESSION);
        var making = server.next(Opcode.CREATE_SESSION);
        assertEquals(Optional.of(Waits.Reason.RECOVERY), now());
        server.handNoMore();
        making.answerAsServer();
        server.next(Opcode.SEQUENCE, Opcode.PUTFH, Opcode.GETATTR).fail(Nfs4Status.STALE);
        assertThrows(Exception.class, () -> asking.get(SECONDS, TimeUnit.SECONDS));
        waits.awaitEnd(Waits.Reason.RECOVERY);
        assertEquals(Optional.empty(), now());
    }
}
