package io.github.rpcrdma4j.nfs.state;

import static io.github.rpcrdma4j.nfs.state.StateServer.FILE;
import static io.github.rpcrdma4j.nfs.state.StateServer.LEASE;
import static io.github.rpcrdma4j.nfs.state.StateServer.SECOND;
import static io.github.rpcrdma4j.nfs.state.StateServer.name;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.LockOutcome;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.state.limit.LockLimits;
import io.github.rpcrdma4j.nfs.state.range.ByteRange;
import io.github.rpcrdma4j.nfs.state.range.LockMode;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: the table of locks stays right while the kernel owes an answer. */
class HangingKernelTest {
    private static final ByteRange TEN = new ByteRange(0, 9);

    private final StateServer server = StateServer.start();
    private final TestKernel kernel = server.kernel;
    private final StateClient client = server.client("client");
    private final StateClient other = server.client("other");
    private final StateId open = client.open();
    private final StateId otherOpen = other.open();

    /** Sends a LOCK of the first ten bytes. Returns its outcome. */
    private Outcome<LockOutcome> lock(StateClient of, StateId by, LockMode type) {
        return of.lock(by, "locker", type, 0, 10);
    }

    /** Sends a LOCK whose answer is still due. Returns the number of the question. */
    private long ask(StateClient of, StateId by, LockMode type) {
        var outcome = server.ok(lock(of, by, type));
        return assertInstanceOf(LockOutcome.Asked.class, outcome).number();
    }

    private Outcome<LockOutcome> answer(long number) {
        return kernel.outcome(number);
    }

    /** What the server holds of the first ten bytes when the kernel has done all its work. */
    private void holds(LockMode table, LockMode inKernel) {
        var locks = server.state.snapshots().locks(9);
        assertEquals(
                table == null ? List.of() : List.of(table),
                locks.stream().map(each -> each.lock().type()).toList());
        assertEquals(inKernel, kernel.held(TEN));
    }

    @Test
    void aLockIsHeldFromTheAnswerOn() {
        kernel.hang();
        long number = ask(client, open, LockMode.WRITE);
        assertEquals(List.of(), server.state.snapshots().locks(9));
        kernel.goOn();
        assertInstanceOf(LockOutcome.Granted.class, server.ok(answer(number)));
        holds(LockMode.WRITE, LockMode.WRITE);
    }

    @Test
    void conflictingLocksAreDeniedMeanwhile() {
        kernel.hang();
        long number = ask(client, open, LockMode.WRITE);
        for (var outcome :
                List.of(
                        lock(other, otherOpen, LockMode.READ),
                        client.lock(open, "another", LockMode.READ, 9, 1),
                        other.testLock("locker", LockMode.READ, 0, 1))) {
            server.refuses(Nfs4Status.DENIED, outcome);
            var denied = assertInstanceOf(LockOutcome.Denied.class, outcome.value());
            assertEquals(new StateOwner(client.id, name("locker")), denied.conflict().owner());
        }
        // What does not conflict has its turn behind it.
        var beside = server.ok(other.lock(otherOpen, "locker", LockMode.WRITE, 10, 1));
        assertInstanceOf(LockOutcome.Asked.class, beside);
        kernel.goOn();
        server.ok(answer(number));
        assertEquals(2, server.state.snapshots().locks(9).size());
    }

    @Test
    void oneThatWaitsIsToldWhenTheKernelRefuses() {
        kernel.lockLocally(LockMode.READ, TEN);
        kernel.hang();
        ask(client, open, LockMode.WRITE);
        server.refuses(Nfs4Status.DENIED, other.await(otherOpen, "locker", LockMode.READ, 0, 10));
        assertEquals(List.of(), server.actions(Action.NotifyLock.class));
        kernel.goOn();
        assertEquals(1, server.actions(Action.NotifyLock.class).size());
        server.ok(lock(other, otherOpen, LockMode.READ));
    }

    @Test
    void aClosedFileGetsNothing() {
        kernel.hang();
        long number = ask(client, open, LockMode.WRITE);
        server.ok(client.close(FILE, open));
        kernel.goOn();
        server.refuses(Nfs4Status.BAD_STATEID, answer(number));
        holds(null, null);
        server.ok(lock(other, otherOpen, LockMode.WRITE));
    }

    /** The file has no opens for a moment, and is the same one when it is opened again. */
    @Test
    void aFileThatIsOpenedAgainKeepsItsOrder() {
        server.ok(other.close(FILE, otherOpen));
        kernel.hang();
        long first = ask(client, open, LockMode.WRITE);
        server.ok(client.close(FILE, open));
        long second = ask(other, other.open(), LockMode.WRITE);
        kernel.goOn();
        server.refuses(Nfs4Status.BAD_STATEID, answer(first));
        server.ok(answer(second));
        holds(LockMode.WRITE, LockMode.WRITE);
    }

    @Test
    void aClientThatVanishesGetsNothing() {
        kernel.hang();
        long number = ask(client, open, LockMode.WRITE);
        server.pass(LEASE / 2);
        other.renew();
        server.pass(LEASE / 2 + SECOND);
        long second = ask(other, otherOpen, LockMode.READ);
        assertEquals(2, second - number + 1);
        kernel.goOn();
        server.ok(answer(second));
        holds(LockMode.READ, LockMode.READ);
    }

    @Test
    void aRevokedClientGetsNothing() {
        kernel.hang();
        long number = ask(client, open, LockMode.WRITE);
        server.ok(server.state.revocations().client(client.id, server.now));
        kernel.goOn();
        server.refuses(Nfs4Status.ADMIN_REVOKED, answer(number));
        holds(null, null);
    }

    @Test
    void aRestartedClientGetsNothing() {
        kernel.hang();
        long number = ask(client, open, LockMode.WRITE);
        var restarted = server.stranger("client");
        restarted.verifier = 2;
        restarted.connect();
        server.ok(restarted.reclaimComplete());
        kernel.goOn();
        server.refuses(Nfs4Status.BAD_STATEID, answer(number));
        holds(null, null);
        server.ok(lock(restarted, restarted.open(), LockMode.WRITE));
    }

    @Test
    void unlockingMeanwhileComesBeforeTheAnswer() {
        var held = client.locked(open, "locker", LockMode.WRITE, 0, 20);
        kernel.hang();
        long number = ask(client, open, LockMode.READ);
        server.ok(client.unlock(held, 0, -1));
        kernel.goOn();
        server.ok(answer(number));
        holds(LockMode.READ, LockMode.READ);
        assertEquals(null, kernel.held(new ByteRange(10, 19)));
    }

    @Test
    void unlockingMeanwhileLeavesNothingOfARefusedUpgrade() {
        var held = client.locked(open, "locker", LockMode.READ, 0, 10);
        kernel.lockLocally(LockMode.READ, TEN);
        kernel.hang();
        long number = ask(client, open, LockMode.WRITE);
        server.ok(client.unlock(held, 0, -1));
        kernel.goOn();
        server.refuses(Nfs4Status.DENIED, answer(number));
        holds(null, null);
    }

    @Test
    void whatIsNotWaitedForIsTakenBack() {
        kernel.hang();
        long number = ask(client, open, LockMode.WRITE);
        assertTrue(server.ok(server.state.kernelLocks().abandon(number, server.now)));
        // It is in the way of no lock any more.
        long second = ask(other, otherOpen, LockMode.READ);
        kernel.goOn();
        server.ok(answer(second));
        holds(LockMode.READ, LockMode.READ);
        assertFalse(server.ok(server.state.kernelLocks().abandon(number, server.now)));
    }

    @Test
    void anUpgradeThatIsNotWaitedForLeavesTheLockAsItWas() {
        client.locked(open, "locker", LockMode.READ, 0, 10);
        kernel.hang();
        long number = ask(client, open, LockMode.WRITE);
        server.ok(server.state.kernelLocks().abandon(number, server.now));
        kernel.goOn();
        holds(LockMode.READ, LockMode.READ);
    }

    /** A local process may have a READ lock before the server learns of its own. */
    @Test
    void aDowngradeThatIsNotWaitedForIsOneNevertheless() {
        client.locked(open, "locker", LockMode.WRITE, 0, 10);
        kernel.hang();
        long number = ask(client, open, LockMode.READ);
        server.ok(server.state.kernelLocks().abandon(number, server.now));
        kernel.beforeAnswers(() -> kernel.lockLocally(LockMode.READ, TEN));
        kernel.goOn();
        holds(LockMode.READ, LockMode.READ);
    }

    /**
     * Asks for locks of one file, apart from each other, until the server refuses. Returns how many
     * it asked for.
     */
    private int most(StateClient of, StateId opened, int from) {
        for (int i = 0; ; i++) {
            var outcome = of.lock(opened, "locker", LockMode.WRITE, from + 2L * i, 1);
            if (!outcome.isOk()) {
                server.refuses(Nfs4Status.DELAY, outcome);
                return i;
            }
        }
    }

    @Test
    void aClientAsksHalfOfTheQuestionsAboutAFileThatOthersOfItsHostLeave() {
        kernel.hang();
        int most = LockLimits.DEFAULTS.asksOfFile() / 4;
        assertEquals(most / 2, most(client, open, 0));
        assertEquals(most / 4, most(other, otherOpen, 1000));
        kernel.goOn();
        assertEquals(most / 2 + most / 4, server.state.snapshots().locks(1000).size());
        kernel.hang();
        assertEquals(most / 2, most(other, otherOpen, 2000));
        kernel.goOn();
    }

    @Test
    void aHostLeavesQuestionsAboutAFileToOthers() {
        kernel.hang();
        int all = 0;
        for (int i = 0; i < 20; i++) {
            var evil = server.client("evil" + i);
            all += most(evil, evil.open(), 10_000 + 1000 * i);
        }
        int most = LockLimits.DEFAULTS.asksOfFile() / 4;
        assertEquals(most, all);
        var honest = server.stranger("honest");
        honest.host = new StateServer.TestHost("another host");
        honest.connect();
        server.ok(honest.reclaimComplete());
        assertEquals(most * 3 / 8, most(honest, honest.open(), 0));
        kernel.goOn();
    }
}
