package io.github.rpcrdma4j.nfs.client.v4;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.service.LockLostException;
import io.github.rpcrdma4j.nfs.client.service.LockRange;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.client.v4.session.Slot.Outcome;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Goal: both sides agree on slots and on open files, also if an operation is put off, and if a
 * reply is lost. Method: a client at the state of the product's server, in virtual time; each test
 * says what goes wrong. Runs with random faults found these.
 */
class SimulatedFaultsTest extends SimulatedClient {
    /** DELAY of SEQUENCE: the server works on the first copy of the call. */
    @Test
    void aPipelineSendsACallAgainOnWhichTheServerStillWorks() {
        var written = new AtomicInteger();
        simulate(
                () -> {
                    try (var arena = Arena.ofShared();
                            var open = open();
                            var pipeline = service.pipeline()) {
                        faults.answer(Opcode.SEQUENCE, Nfs4Status.DELAY, Nfs4Status.DELAY);
                        write(pipeline, open, arena.allocate(BLOCK), written::incrementAndGet);
                        while (pipeline.poll()) {
                            assertTrue(written.get() <= 1);
                        }
                    }
                });
        assertEquals(1, written.get());
    }

    @Test
    void aSlotIsFreeAgainAfterACallThatTheServerPutOffForTooLong() {
        simulate(
                () -> {
                    faults.answer(Opcode.SEQUENCE, often(Nfs4Status.DELAY));
                    assertThrows(IOException.class, () -> service.mount(PathName.of("/")));
                    faults.forgetAnswers();
                });
    }

    @Test
    void aSlotIsFreeAgainAfterARenewalThatTheServerPutOff() {
        simulate(
                () -> {
                    faults.answer(Opcode.SEQUENCE, Nfs4Status.DELAY);
                    threads.sleep(20 * SimServer.SECOND);
                });
    }

    @Test
    void aPipelineThatIsClosedBeforeItsRepliesGivesItsSlotsBack() {
        simulate(
                () -> {
                    try (var arena = Arena.ofShared();
                            var open = open()) {
                        try (var pipeline = service.pipeline()) {
                            for (int i = 0; i < SLOTS; i++) {
                                write(pipeline, open, arena.allocate(BLOCK), () -> {});
                            }
                            assertTrue(pipeline.poll());
                        }
                    }
                });
    }

    @Test
    void aPipelineDoesNotWaitForeverForASlot() {
        simulate(
                () -> {
                    try (var arena = Arena.ofShared();
                            var open = open();
                            var pipeline = service.pipeline()) {
                        var slots = service.session().slots();
                        var taken = slots.tryTake(Plan.EMPTY).orElseThrow();
                        var other = slots.tryTake(Plan.EMPTY).orElseThrow();
                        write(pipeline, open, arena.allocate(BLOCK), () -> {});
                        assertThrows(IOException.class, pipeline::poll);
                        slots.settle(taken, Outcome.UNSENT);
                        slots.settle(other, Outcome.UNSENT);
                    }
                });
    }

    @Test
    void aFileThatWasMadeAndNotClosedIsClosedLater() {
        simulate(
                () -> {
                    faults.answer(Opcode.CLOSE, Nfs4Status.DELAY, Nfs4Status.DELAY);
                    make();
                });
    }

    @Test
    void aFileIsMadeOnceAlsoIfItsAttributesAreNotTold() {
        simulate(
                () -> {
                    faults.answer(Opcode.GETATTR, Nfs4Status.DELAY);
                    make();
                });
        assertTrue(server.files.names.containsKey("made"));
    }

    @Test
    void anOpenWhoseReplyIsLostIsClosedLater() {
        simulate(
                () -> {
                    // Without a retry time, the call is sent twice.
                    faults.loseReplies(2);
                    assertThrows(IOException.class, this::open);
                });
    }

    /** The server refuses to say that it still works on the OPEN. */
    @Test
    void anOpenThatIsCarriedOutLateIsClosedAfterwards() {
        simulate(
                () -> {
                    faults.pauseOnce(3 * SimServer.SECOND);
                    world.after(SimServer.SECOND, Thread.currentThread()::interrupt);
                    assertThrows(InterruptedException.class, this::open);
                });
    }

    /** Its file cannot be opened once more then. */
    @Test
    void anOpenThatIsFoundByOpeningOnceMoreIsClosedAlsoIfItsFileIsRemoved() {
        simulate(
                () -> {
                    faults.loseReplies(2);
                    faults.answer(Opcode.CLOSE, Nfs4Status.DELAY);
                    assertThrows(IOException.class, this::open);
                    threads.await(
                            () -> server.received.containsKey(Opcode.CLOSE), SimServer.SECOND);
                    threads.sleep(SimServer.SECOND / 2);
                    server.files.remove("file");
                });
    }

    @Test
    void aFileIsClosedLaterIfItsCloseIsNotAnswered() {
        simulate(
                () -> {
                    var open = open();
                    faults.answer(Opcode.CLOSE, often(Nfs4Status.DELAY));
                    open.close();
                    faults.forgetAnswers();
                });
    }

    @Test
    void aFileThatIsClosedByAnInterruptedThreadIsClosedAtTheServer() {
        simulate(
                () -> {
                    var open = open();
                    Thread.currentThread().interrupt();
                    open.close();
                    assertTrue(Thread.interrupted());
                });
    }

    /** The server has given it to another client meanwhile. */
    @Test
    void aLockIsAskedAboutBeforeItIsUsedWhenTheLeaseMayHaveEnded() {
        var other = new SimConnector(server, threads, "other");
        simulate(
                () -> {
                    var one = service;
                    try (var open = open()) {
                        assertTrue(lock(open, LockRange.ALL, true));
                        long dark = 3L * faults.leaseSeconds * SimServer.SECOND;
                        network.darkUntil = server.now() + dark;
                        service = connect(other, 2);
                        var theirs = open();
                        assertTrue(
                                service.lock(
                                        theirs,
                                        LockRange.ALL,
                                        true,
                                        Duration.ofNanos(dark),
                                        "lock"));
                        theirs.close();
                        service.close();
                        service = one;
                        threads.sleep(network.darkUntil - server.now());
                        assertThrows(LockLostException.class, () -> write(open, 1));
                    }
                });
        assertNull(server.received.get(Opcode.WRITE));
    }

    @Test
    void readsAndWritesUnderALockCarryItsStateId() {
        simulate(
                () -> {
                    server.underLocks = made.id;
                    try (var arena = Arena.ofShared();
                            var open = open();
                            var pipeline = service.pipeline()) {
                        assertTrue(lock(open, LockRange.ALL, true));
                        write(open, 1);
                        service.read(open, 0, arena.allocate(BLOCK), "read");
                        write(pipeline, open, arena.allocate(BLOCK).fill((byte) 2), () -> {});
                        while (pipeline.poll()) {
                            // Until it is written.
                        }
                        assertEquals(2, made.content[0]);
                    }
                });
    }

    /** The slot of another call is too high, so this one has its slot still. */
    @Test
    void aSlotIsFreeAgainAfterACallThatTheServerRefusedForTheSlotOfAnother() {
        simulate(
                () -> {
                    faults.answer(Opcode.SEQUENCE, Nfs4Status.BAD_HIGH_SLOT);
                    service.mount(PathName.of("/"));
                });
    }

    @Test
    void aSessionWithoutSlotsIsMadeAnew() {
        simulate(
                () -> {
                    var all = new Nfs4Status[SLOTS];
                    Arrays.fill(all, Nfs4Status.BADSLOT);
                    faults.answer(Opcode.SEQUENCE, all);
                    service.mount(PathName.of("/"));
                });
    }

    @Test
    void slotsThatTheServerRecallsAreNotUsed() {
        simulate(
                () -> {
                    for (int highest : new int[] {0, 1, SLOTS - 1, 0, SLOTS - 1}) {
                        int sequences = server.received.get(Opcode.SEQUENCE);
                        server.recall(highest);
                        threads.sleep(SimServer.SECOND / 10);
                        var slots = service.session().slots().live().slots();
                        assertEquals(highest + 1, slots.usable());
                        assertEquals(sequences + 1, server.received.get(Opcode.SEQUENCE));
                    }
                });
    }

    /**
     * The server may still work on the claim, and carry it out behind those of the next session.
     */
    @Test
    void aSessionInWhichAClaimHadNoAnswerIsEnded() {
        simulate(
                () -> {
                    try (var _ = open()) {
                        // A call is sent twice.
                        faults.loseReplies(Opcode.OPEN, 2);
                        server.restart(SimServer.SECOND / 10, true, false);
                        threads.await(() -> server.claims > 0, 9 * SimServer.SECOND);
                        threads.sleep(5 * SimServer.SECOND);
                        assertEquals(1, server.state.snapshots().counts().sessions());
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

    @Test
    void aCallEndsInItsTimeIfTheServerForgetsEachSession() {
        simulate(
                () -> {
                    faults.answer(Opcode.SEQUENCE, often(Nfs4Status.BADSESSION));
                    long start = server.now();
                    var told = assertThrows(IOException.class, this::open);
                    assertEquals("open: the server forgets each session", told.getMessage());
                    assertTrue(server.now() - start <= TIMEOUT.toNanos(), told::getMessage);
                    faults.forgetAnswers();
                });
    }
}
