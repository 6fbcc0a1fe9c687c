package io.github.rpcrdma4j.nfs.client.v4;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.client.service.LockRange;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import io.github.rpcrdma4j.nfs.client.service.OutcomeUnknownException;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.client.v4.session.Slot.Outcome;
import io.github.rpcrdma4j.nfs.state.range.ByteRange;
import io.github.rpcrdma4j.nfs.state.range.LockMode;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/**
 * Goal: a call that the server carries out late undoes nothing that was done after it, and what it
 * leaves behind is taken away. Method: its thread leaves it, or its reply is lost.
 */
class LateCallsTest extends SimulatedClient {
    @Test
    void aWriteIsNotMadeBeforeTheEndOfAnEarlierOne() {
        simulate(
                () -> {
                    try (var open = open()) {
                        leave(() -> write(open, 1));
                        write(open, 2);
                        requireContent(2);
                    }
                });
    }

    @Test
    void aWriteIsNotMadeBeforeTheEndOfAnEarlierOneOfAPipeline() {
        simulate(
                () -> {
                    try (var arena = Arena.ofShared();
                            var open = open()) {
                        var data = arena.allocate(BLOCK).fill((byte) 1);
                        try (var pipeline = service.pipeline()) {
                            write(pipeline, open, data, () -> {});
                            leave(pipeline::poll);
                        }
                        try (var pipeline = service.pipeline()) {
                            write(pipeline, open, data.fill((byte) 2), () -> {});
                            while (pipeline.poll()) {
                                // Until it is written.
                            }
                        }
                        requireContent(2);
                    }
                });
    }

    /** It is another open file for the server, which does not know when the first one is closed. */
    @Test
    void aFileThatIsOpenedAnewIsNotWrittenBeforeTheEndOfAnEarlierWrite() {
        simulate(
                () -> {
                    var open = open();
                    leave(() -> write(open, 1));
                    long start = server.now();
                    open.close();
                    assertTrue(server.now() - start < SimServer.SECOND, "the keeper closes it");
                    try (var again = open()) {
                        write(again, 2);
                        requireContent(2);
                    }
                });
    }

    @Test
    void aLockIsHeldUntilTheEndOfAWriteUnderIt() {
        simulate(
                () -> {
                    try (var open = open()) {
                        service.lock(open, LockRange.ALL, true, Duration.ZERO, "lock");
                        leave(() -> write(open, 1));
                        service.unlock(open, LockRange.ALL, "unlock");
                        assertEquals(1, made.content[0]);
                    }
                });
    }

    @Test
    void aNameIsNotUsedAgainBeforeTheEndOfItsRemoval() {
        simulate(
                () -> {
                    make();
                    leave(() -> service.remove(new RemotePlace(root, "made"), "remove"));
                    make();
                    threads.sleep(10 * SimServer.SECOND);
                });
        assertTrue(server.files.names.containsKey("made"));
    }

    /** Nobody can tell for how long the server works on it. */
    @Test
    void aFileFailsWhoseEarlierChangeDoesNotEndInTime() {
        simulate(
                () -> {
                    try (var open = open()) {
                        leave(() -> write(open, 1), 12);
                        var told = assertThrows(NfsException.class, () -> write(open, 2));
                        assertEquals(
                                "write: an earlier change of the file has had no answer, and the"
                                        + " server may still make it",
                                told.getMessage());
                        requireContent(1);
                        write(open, 3);
                        requireContent(3);
                    }
                });
    }

    /** The file is not the reason then. */
    @Test
    void aServerThatTellsNothingFailsCallsAsAnyOther() {
        simulate(
                () -> {
                    var open = open();
                    leave(() -> write(open, 1));
                    network.darkUntil = server.now() + 60 * SimServer.SECOND;
                    assertThrows(IOException.class, () -> write(open, 2));
                    assertThrows(RpcException.class, () -> write(open, 2));
                    network.darkUntil = 0;
                    open.close();
                    requireContent(1);
                });
    }

    @Test
    void otherFilesDoNotWaitForIt() {
        var other = server.files.make("other");
        simulate(
                () -> {
                    try (var open = open();
                            var free =
                                    service.open(
                                            Nfs4Values.handle(SimFiles.handle(other.id)),
                                            OpenFile.Mode.BOTH,
                                            "open")) {
                        leave(() -> write(open, 1));
                        write(free, 2);
                        assertEquals(2, other.content[0]);
                        assertEquals(0, made.content.length);
                    }
                });
    }

    /** The server refuses to say that it still works on the first copy of the call. */
    @Test
    void aWriteIsNotMadeOnceMoreBeforeTheEndOfItsFirstCopy() {
        simulate(
                () -> {
                    try (var open = open()) {
                        faults.onRepetition(Nfs4Status.RETRY_UNCACHED_REP);
                        cutAtAWrite();
                        var taken = new AtomicReference<SlotTicket>();
                        world.after(
                                SimServer.SECOND + SimServer.SECOND / 20, () -> taken.set(take()));
                        write(open, 1);
                        write(open, 2);
                        requireContent(2);
                        giveBack(taken.get());
                    }
                });
    }

    /** The server refuses the second copy before it looks whether there was a first one. */
    @Test
    void aWriteIsNotMadeBeforeTheEndOfOneWhoseSecondCopyIsRefused() {
        simulate(
                () -> {
                    try (var open = open()) {
                        cutAtAWrite();
                        world.after(
                                SimServer.SECOND,
                                () -> faults.answer(Opcode.SEQUENCE, Nfs4Status.SERVERFAULT));
                        assertThrows(OutcomeUnknownException.class, () -> write(open, 1));
                        var taken = take();
                        write(open, 2);
                        requireContent(2);
                        giveBack(taken);
                    }
                });
    }

    /** The next call takes three seconds, and its connection is lost after one. */
    private void cutAtAWrite() {
        faults.pauseOnce(3 * SimServer.SECOND);
        world.after(SimServer.SECOND, () -> network.newest.cut("cut"));
    }

    /** Takes the first free slot, so that the next call does not have the slot of the last one. */
    private SlotTicket take() {
        return service.session().slots().tryTake(Plan.EMPTY).orElseThrow();
    }

    private void giveBack(SlotTicket taken) {
        service.session().slots().settle(taken, Outcome.UNSENT);
    }

    /** The sides do not agree on the numbers, so there is another session. */
    @Test
    void aWriteIsNotMadeInAnotherSessionBeforeTheEndOfAnEarlierOne() {
        simulate(
                () -> {
                    try (var open = open()) {
                        faults.pauseOnce(3 * SimServer.SECOND);
                        world.after(
                                SimServer.SECOND,
                                () ->
                                        faults.answer(
                                                Opcode.SEQUENCE,
                                                Nfs4Status.SEQ_MISORDERED,
                                                Nfs4Status.SEQ_MISORDERED));
                        world.after(SimServer.SECOND, Thread.currentThread()::interrupt);
                        assertThrows(InterruptedException.class, () -> write(open, 1));
                        write(open, 2);
                        requireContent(2);
                    }
                });
        assertEquals(1, server.received.get(Opcode.EXCHANGE_ID));
    }

    @Test
    void aChangeWhoseReplyIsGoneIsNotMadeOnceMore() {
        simulate(
                () -> {
                    faults.keepNoReply();
                    faults.loseReplies(1);
                    assertThrows(
                            OutcomeUnknownException.class,
                            () ->
                                    service.rename(
                                            new RemotePlace(root, "file"),
                                            new RemotePlace(root, "renamed"),
                                            "rename"));
                    assertEquals(2, server.received.get(Opcode.RENAME), "copies of the call");
                });
        assertTrue(server.files.names.containsKey("renamed"));
    }

    @Test
    void aLockThatIsGrantedLateIsUnlocked() {
        simulate(
                () -> {
                    try (var open = open()) {
                        leave(() -> lock(open, LockRange.ALL, true));
                        requireLocked(0);
                        faults.loseReplies(2);
                        assertThrows(IOException.class, () -> lock(open, LockRange.ALL, true));
                        requireLocked(0);
                        assertTrue(lock(open, LockRange.ALL, true));
                        requireLocked(1);
                        write(open, 1);
                    }
                });
    }

    @Test
    void aLockWhoseUnlockingIsNotAnsweredIsUnlocked() {
        simulate(
                () -> {
                    try (var open = open()) {
                        assertTrue(lock(open, LockRange.ALL, true));
                        faults.answer(Opcode.LOCKU, often(Nfs4Status.DELAY));
                        faults.loseReplies(2);
                        assertThrows(
                                IOException.class,
                                () -> service.unlock(open, LockRange.ALL, "unlock"));
                        faults.forgetAnswers();
                        requireLocked(0);
                        write(open, 1);
                    }
                });
    }

    @Test
    void aLockThatIsGrantedLateIsUnlockedAlsoIfItsFileIsClosed() {
        simulate(
                () -> {
                    var open = open();
                    leave(() -> lock(open, LockRange.ALL, true));
                    open.close();
                    requireLocked(0);
                    // A server may refuse to close a file that has locks.
                    assertTrue(server.received.containsKey(Opcode.LOCKU));
                });
    }

    /** What this side holds is as it was before. */
    @Test
    void aLockThatIsGrantedLateLeavesThoseOfItsOwner() {
        simulate(
                () -> {
                    try (var open = open()) {
                        assertTrue(lock(open, new LockRange(10, 10), false));
                        leave(() -> lock(open, LockRange.ALL, true));
                        requireLocked(1);
                        var left = server.state.snapshots().locks(9).getFirst().lock();
                        assertEquals(new ByteRange(10, 19), left.range());
                        assertEquals(LockMode.READ, left.type());
                    }
                });
    }
}
