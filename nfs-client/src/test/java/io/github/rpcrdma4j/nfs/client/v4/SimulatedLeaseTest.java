package io.github.rpcrdma4j.nfs.client.v4;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.client.service.LockRange;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: both sides agree on open files by version 4.0, also if an operation is put off, and if a
 * reply is lost. Method: a client at the state of the product's server, in virtual time; each test
 * says what goes wrong. Runs with random faults found these.
 */
class SimulatedLeaseTest extends SimulatedClient {
    SimulatedLeaseTest() {
        super(NfsVersion.VERSION_4_0);
    }

    /** Interrupts an open in the pause behind its first attempt, whose handle is not told. */
    private void openInterrupted() {
        faults.answer(Opcode.GETFH, Nfs4Status.DELAY);
        world.after(SimServer.SECOND / 20, Thread.currentThread()::interrupt);
        assertThrows(InterruptedException.class, this::open);
    }

    @Test
    void anOpenWhoseHandleIsNotToldIsClosedLater() {
        simulate(
                () -> {
                    open().close();
                    openInterrupted();
                });
    }

    @Test
    void theFirstOpenOfAnOwnerWhoseHandleIsNotToldIsClosedLater() {
        simulate(this::openInterrupted);
    }

    @Test
    void aFileWhoseHandleIsNotToldAndThatIsRenamedIsClosedLater() {
        simulate(
                () -> {
                    open().close();
                    openInterrupted();
                    server.files.rename("file", "other");
                });
    }

    /** Nor is it told as if it had not been made. */
    @ParameterizedTest
    @EnumSource(names = {"GETFH", "GETATTR"})
    void aNewFileOfWhichNothingIsToldIsClosedLater(Opcode untold) {
        simulate(
                () -> {
                    open().close();
                    faults.answer(untold, often(Nfs4Status.DELAY));
                    var told = assertThrows(IOException.class, this::make);
                    assertEquals(
                            "make: it is made, but the server tells nothing of it: try again later",
                            told.getMessage());
                    faults.forgetAnswers();
                });
    }

    /** It is unlocked in front of that, which changes the stateid of its locks. */
    @Test
    void aLockedFileWhoseCloseIsPutOffIsClosedLater() {
        simulate(
                () -> {
                    var open = open();
                    assertTrue(lock(open, LockRange.ALL, true));
                    faults.answer(Opcode.CLOSE, Nfs4Status.DELAY, Nfs4Status.DELAY);
                    open.close();
                    assertEquals(3, server.received.get(Opcode.CLOSE));
                });
    }

    private OpenFile openWithUnansweredLock() throws IOException, InterruptedException {
        var open = open();
        loseLock(open);
        return open;
    }

    private void loseLock(OpenFile open) throws InterruptedException {
        // A call is sent twice.
        faults.loseReplies(Opcode.LOCK, 2);
        assertThrows(IOException.class, () -> lock(open, LockRange.ALL, true));
        // The keeper finds another connection.
        threads.sleep((faults.leaseSeconds / 2 + 1) * SimServer.SECOND);
    }

    /** Its stateid is another one then than before. */
    @Test
    void aLockIsHeldBehindOneWithoutAnAnswer() {
        simulate(
                () -> {
                    try (var open = openWithUnansweredLock()) {
                        assertTrue(lock(open, LockRange.ALL, true));
                        write(open, 1);
                        requireLocked(1);
                    }
                });
    }

    @Test
    void aLockWithoutAnAnswerIsUnlocked() {
        simulate(
                () -> {
                    try (var open = openWithUnansweredLock()) {
                        service.unlock(open, LockRange.ALL, "unlock");
                        requireLocked(0);
                    }
                });
    }

    /** The owner has a stateid already. */
    @Test
    void aSecondLockIsHeldBehindOneWithoutAnAnswer() {
        simulate(
                () -> {
                    try (var open = open()) {
                        assertTrue(lock(open, LockRange.ALL, true));
                        service.unlock(open, LockRange.ALL, "unlock");
                        loseLock(open);
                        assertTrue(lock(open, LockRange.ALL, true));
                        write(open, 1);
                        requireLocked(1);
                    }
                });
    }

    /** The client has been there for longer than a grace period lasts. */
    @Test
    void aCallEndsInItsTimeIfTheServerWaitsForItsClientsForever() {
        simulate(
                () -> {
                    threads.sleep(4L * faults.leaseSeconds * SimServer.SECOND);
                    faults.answer(Opcode.OPEN, often(Nfs4Status.GRACE));
                    long start = server.now();
                    var told = assertThrows(NfsException.class, this::open);
                    assertEquals(Status.GRACE, told.status());
                    assertTrue(server.now() - start <= TIMEOUT.toNanos(), told::getMessage);
                    faults.forgetAnswers();
                });
    }

    @Test
    void aCallWaitsForAServerThatMayJustHaveStarted() {
        simulate(
                () -> {
                    faults.answer(Opcode.OPEN, often(Nfs4Status.GRACE));
                    world.after(3 * TIMEOUT.toNanos(), faults::forgetAnswers);
                    open().close();
                });
    }
}
