package io.github.rpcrdma4j.nfs.state;

import static io.github.rpcrdma4j.nfs.state.StateServer.FILE;
import static io.github.rpcrdma4j.nfs.state.StateServer.name;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.GrantAnswer;
import io.github.rpcrdma4j.nfs.state.event.GrantNote;
import io.github.rpcrdma4j.nfs.state.event.HostClaim;
import io.github.rpcrdma4j.nfs.state.event.HostLock;
import io.github.rpcrdma4j.nfs.state.event.HostName;
import io.github.rpcrdma4j.nfs.state.event.HostRestart;
import io.github.rpcrdma4j.nfs.state.event.LockOutcome;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.state.range.ByteRange;
import io.github.rpcrdma4j.nfs.state.range.LockMode;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a host that has waited gets its lock if it wants it, and no lock stays that it does not.
 */
class HeldLocksTest {
    private static final HostName A = new HostName("192.0.2.1", name("a"));
    private static final HostName B = new HostName("192.0.2.2", name("b"));
    private static final OpaqueName PROCESS = name("1:p");

    private static final HostLock WRITE = lock(LockMode.WRITE, 0, 9);
    private static final HostLock READ = lock(LockMode.READ, 0, 9);

    private record Note(HostName host) implements GrantNote {}

    private final StateServer server = StateServer.start();

    private HostEvents hosts() {
        return server.state.hosts();
    }

    private static HostLock lock(LockMode type, long first, long last) {
        return new HostLock(FILE, PROCESS, type, new ByteRange(first, last));
    }

    /** Sends LOCK; the kernel may owe the answer. */
    private Outcome<LockOutcome> send(HostName host, HostLock lock, boolean isWaiting, int state) {
        var from = new StateServer.TestHost(host.address());
        var use = server.ok(hosts().enter(host, false, server.fresh(), from, server.now));
        var claim = new HostClaim(state, false, isWaiting ? new Note(host) : null);
        var outcome = server.run(hosts().lock(use, lock, claim, 0, server.now));
        return outcome.isPostponed()
                ? server.run(hosts().lock(use, lock, claim, 0, server.now))
                : outcome;
    }

    private Outcome<LockOutcome> ask(HostName host, HostLock lock, boolean isWaiting) {
        return server.kernel.outcome(send(host, lock, isWaiting, 1));
    }

    private void locked(HostName host, HostLock lock) {
        assertInstanceOf(LockOutcome.Granted.class, server.ok(ask(host, lock, false)));
    }

    private void waits(HostName host, HostLock lock) {
        assertInstanceOf(LockOutcome.Awaited.class, ask(host, lock, true).value());
    }

    private void unlock(HostName host, long first, long last) {
        var range = new ByteRange(first, last);
        server.ok(hosts().unlock(host, FILE, PROCESS, range, server.now));
    }

    private boolean cancels(HostName host, HostLock lock) {
        return server.ok(hosts().cancel(host, lock, server.now));
    }

    /** Asks for the lock that was offered last. Returns the number of the question. */
    private long retry() {
        var offer = server.actions(Action.OfferLock.class).getLast();
        return ((LockOutcome.Asked) server.ok(hosts().retry(offer, server.now))).number();
    }

    /** A lock is held for a host that has waited for it. */
    private long held(HostName host, HostLock lock) {
        locked(B, lock(LockMode.WRITE, 0, 9));
        return heldBehindB(host, lock);
    }

    private long heldBehindB(HostName host, HostLock lock) {
        waits(host, lock);
        unlock(B, 0, -1);
        long number = retry();
        assertInstanceOf(LockOutcome.Held.class, server.ok(server.kernel.outcome(number)));
        return number;
    }

    /** A host is called, if it has to be. Returns whether it has to be called again. */
    private boolean told(long number, GrantAnswer answer) {
        server.ok(hosts().tell(number, server.now));
        return answered(number, answer);
    }

    private boolean answered(long number, GrantAnswer answer) {
        return server.ok(hosts().told(number, answer, server.now));
    }

    private boolean isHeld(long number) {
        boolean isHeld = server.ok(hosts().tell(number, server.now));
        answered(number, GrantAnswer.UNREACHABLE);
        return isHeld;
    }

    private boolean isFree(HostLock lock) {
        var other = new HostName("192.0.2.9", name("tester"));
        var from = new StateServer.TestHost(other.address());
        return server.run(hosts().test(other, lock, from, server.now)).isOk();
    }

    private static HostRestart restart(int start) {
        return new HostRestart(A.address(), A.name(), Set.of(start));
    }

    /** No lock, no open and no descriptor is left. */
    private void nothingIsLeft() {
        assertEquals(List.of(), server.state.snapshots().locks(9));
        server.state
                .snapshots()
                .clients(9, server.now)
                .forEach(each -> assertEquals(0, each.states()));
        assertEquals(null, server.kernel.held(ByteRange.ALL));
        assertEquals("CLOSE", server.kernel.calls().getLast());
    }

    @Test
    void aLockIsHeldUntilItsHostTakesIt() {
        long number = held(A, WRITE);
        assertFalse(isFree(READ));
        assertEquals(List.of(), server.state.snapshots().locks(9));
        server.refuses(Nfs4Status.DENIED, ask(B, READ, false));
        assertFalse(told(number, GrantAnswer.TAKEN));
        assertEquals(1, server.state.snapshots().locks(9).size());
        assertFalse(isHeld(number));
        unlock(A, 0, 9);
        nothingIsLeft();
    }

    @Test
    void aRefusedLockIsGivenBackAndTheNextHostGetsIt() {
        long number = held(A, WRITE);
        waits(B, READ);
        assertFalse(told(number, GrantAnswer.REFUSED));
        assertEquals(B, server.actions(Action.OfferLock.class).getLast().note().host());
        assertFalse(told(retry(), GrantAnswer.REFUSED));
        nothingIsLeft();
    }

    @ParameterizedTest
    @EnumSource(GrantAnswer.class)
    void aCancelledLockIsGivenBackWhateverTheHostAnswers(GrantAnswer answer) {
        long number = held(A, WRITE);
        assertTrue(told(number, GrantAnswer.SILENT));
        assertTrue(cancels(A, WRITE));
        nothingIsLeft();
        assertFalse(told(number, answer));
        server.ok(hosts().toldLast(number, server.now));
        nothingIsLeft();
        assertFalse(cancels(A, WRITE));
    }

    @Test
    void aLockThatIsTakenCannotBeCancelled() {
        told(held(A, WRITE), GrantAnswer.TAKEN);
        assertFalse(cancels(A, WRITE), "the host has to unlock");
        assertFalse(isFree(READ));
    }

    @Test
    void aHostThatCancelsWhileTheKernelIsAskedGetsNothing() {
        locked(B, WRITE);
        waits(A, WRITE);
        unlock(B, 0, 9);
        server.kernel.hang();
        long number = retry();
        assertTrue(cancels(A, WRITE));
        server.kernel.goOn();
        server.refuses(Nfs4Status.DELAY, server.kernel.outcome(number));
        nothingIsLeft();
    }

    /** Linux cancels a LOCK that is interrupted before its reply. */
    @Test
    void aHostThatCancelsACallInProgressGetsNothing() {
        server.kernel.hang();
        var asked = send(A, WRITE, true, 1);
        assertTrue(cancels(A, WRITE));
        server.kernel.goOn();
        server.refuses(Nfs4Status.DELAY, server.kernel.outcome(asked));
        nothingIsLeft();
    }

    /** Linux unlocks after a LOCK that did not wait was interrupted. */
    @Test
    void aHostThatUnlocksACallInProgressGetsNothing() {
        server.kernel.hang();
        var asked = send(A, WRITE, false, 1);
        unlock(A, 0, -1);
        server.kernel.goOn();
        server.refuses(Nfs4Status.DELAY, server.kernel.outcome(asked));
        nothingIsLeft();
    }

    @Test
    void aHostThatUnlocksWhatItWaitsForWaitsNoMore() {
        locked(B, WRITE);
        waits(A, WRITE);
        unlock(A, 0, 9);
        unlock(B, 0, 9);
        assertEquals(List.of(), server.actions(Action.OfferLock.class));
        nothingIsLeft();
    }

    @Test
    void aHostThatAsksByItselfKeepsWhatItGetsWhateverItAnswersToACall() {
        long number = held(A, WRITE);
        assertTrue(isHeld(number));
        locked(A, WRITE);
        assertFalse(isHeld(number), "it needs no call");
        assertFalse(told(number, GrantAnswer.REFUSED));
        assertFalse(isFree(READ));
        unlock(A, 0, 9);
        nothingIsLeft();
    }

    /** It asks while its lock is being granted, and refuses the call before it has the reply. */
    @Test
    void aHostThatIsAskingDoesNotLoseTheLockToOthers() {
        long number = held(A, WRITE);
        waits(B, WRITE);
        server.kernel.hang();
        var asked = send(A, WRITE, true, 1);
        assertFalse(told(number, GrantAnswer.REFUSED));
        server.kernel.goOn();
        server.ok(server.kernel.outcome(asked));
        assertFalse(isFree(READ));
        assertEquals(A, server.actions(Action.OfferLock.class).getLast().note().host());
    }

    /** Two questions about one range: the host asks by itself while it is asked for. */
    @Test
    void aHostThatAsksWhileTheKernelHangsGetsItsLockOnce() {
        locked(B, WRITE);
        waits(A, WRITE);
        unlock(B, 0, 9);
        server.kernel.hang();
        long offered = retry();
        var asked = send(A, WRITE, true, 1);
        server.pass(4 * StateServer.SECOND);
        server.refuses(
                Nfs4Status.BAD_STATEID,
                hosts().retry(server.actions(Action.OfferLock.class).getLast(), server.now));
        server.ok(server.state.kernelLocks().abandon(offered, server.now));
        server.kernel.goOn();
        server.refuses(Nfs4Status.DELAY, server.kernel.outcome(offered));
        assertInstanceOf(LockOutcome.Granted.class, server.ok(server.kernel.outcome(asked)));
        assertEquals(LockMode.WRITE, server.kernel.held(ByteRange.ALL));
        unlock(A, 0, 9);
        nothingIsLeft();
    }

    @Test
    void aHostThatHasUnlockedKeepsNothingByALateAnswer() {
        long number = held(A, WRITE);
        unlock(A, 0, -1);
        assertFalse(told(number, GrantAnswer.TAKEN));
        nothingIsLeft();
    }

    @Test
    void aHostThatHasUnlockedAPartTakesTheRest() {
        long number = held(A, WRITE);
        unlock(A, 3, 5);
        assertTrue(isFree(lock(LockMode.WRITE, 3, 5)));
        assertTrue(isHeld(number));
        told(number, GrantAnswer.TAKEN);
        assertTrue(isFree(lock(LockMode.WRITE, 3, 5)));
        assertFalse(isFree(lock(LockMode.READ, 2, 2)));
        assertFalse(isFree(lock(LockMode.READ, 6, 6)));
        unlock(A, 0, 9);
        nothingIsLeft();
    }

    /** Its answer comes late, and it may wait for the whole range again, and cancel that. */
    @Test
    void aHostThatUnlocksAPartDuringACallHasTheRest() {
        long number = held(A, WRITE);
        server.ok(hosts().tell(number, server.now));
        unlock(A, 3, 5);
        locked(B, lock(LockMode.WRITE, 4, 4));
        waits(A, WRITE);
        assertTrue(cancels(A, WRITE));
        assertFalse(answered(number, GrantAnswer.TAKEN));
        assertFalse(isFree(lock(LockMode.READ, 2, 2)));
        assertFalse(isFree(lock(LockMode.READ, 6, 6)));
        assertTrue(isFree(lock(LockMode.WRITE, 3, 3)));
    }

    /** So that no host makes the server keep ever more parts. */
    @Test
    void aHostThatUnlocksManyPartsHasTheRest() {
        long number = held(A, lock(LockMode.WRITE, 0, 99));
        for (int i = 1; i < 2 * KernelQuestion.PARTS_MAX; i += 2) {
            unlock(A, i, i);
            assertTrue(isHeld(number) || i > KernelQuestion.PARTS_MAX);
        }
        assertFalse(isHeld(number));
        assertFalse(isFree(lock(LockMode.READ, 0, 0)));
        assertTrue(isFree(lock(LockMode.READ, 1, 1)));
        unlock(A, 0, 99);
        nothingIsLeft();
    }

    /** Its answer was lost, and it knows the lock no more as one that it waits for. */
    @Test
    void aHostThatMayHaveTakenALockKeepsItWhenItRefusesTheNextCall() {
        long number = held(A, WRITE);
        assertTrue(told(number, GrantAnswer.SILENT));
        assertFalse(told(number, GrantAnswer.REFUSED));
        assertFalse(isFree(READ));
    }

    /** Its owner has unlocked a part of the later lock, so it has taken the rest of that. */
    @Test
    void anEarlierLockDoesNotReplaceALaterOneThatItsOwnerHasTaken() {
        long read = held(A, lock(LockMode.READ, 0, 4));
        told(read, GrantAnswer.SILENT);
        locked(B, lock(LockMode.WRITE, 5, 9));
        long write = heldBehindB(A, lock(LockMode.WRITE, 3, 5));
        told(write, GrantAnswer.SILENT);
        unlock(A, 5, 5);
        assertFalse(told(read, GrantAnswer.REFUSED));
        assertFalse(isFree(lock(LockMode.READ, 3, 4)));
        assertTrue(isFree(lock(LockMode.READ, 0, 2)));
        assertFalse(isFree(lock(LockMode.WRITE, 0, 0)));
        unlock(A, 0, -1);
        nothingIsLeft();
    }

    @Test
    void aHostThatCannotBeReachedLosesTheLock() {
        long number = held(A, WRITE);
        assertTrue(told(number, GrantAnswer.UNREACHABLE));
        server.ok(hosts().toldLast(number, server.now));
        nothingIsLeft();
    }

    @Test
    void aHostThatMayHaveTakenALockKeepsIt() {
        long number = held(A, WRITE);
        told(number, GrantAnswer.SILENT);
        told(number, GrantAnswer.UNREACHABLE);
        server.ok(hosts().toldLast(number, server.now));
        assertFalse(isFree(READ));
    }

    @Test
    void whatAnOwnerHadBeforeIsThereWhenALockIsGivenBack() {
        locked(B, READ);
        locked(A, lock(LockMode.READ, 2, 3));
        locked(A, lock(LockMode.READ, 5, 12));
        long number = heldBehindB(A, WRITE);
        assertFalse(isFree(lock(LockMode.READ, 0, 0)));
        told(number, GrantAnswer.REFUSED);
        assertTrue(isFree(lock(LockMode.WRITE, 0, 1)));
        assertTrue(isFree(lock(LockMode.WRITE, 4, 4)));
        for (var each : List.of(new ByteRange(2, 3), new ByteRange(5, 12))) {
            var read = new HostLock(FILE, PROCESS, LockMode.READ, each);
            assertTrue(isFree(read));
            assertFalse(isFree(new HostLock(FILE, PROCESS, LockMode.WRITE, each)));
            assertEquals(LockMode.READ, server.kernel.held(each));
        }
        assertEquals(null, server.kernel.held(new ByteRange(0, 1)));
        unlock(A, 0, -1);
        nothingIsLeft();
    }

    @Test
    void aRestartTakesWhatIsHeld() {
        long number = held(A, WRITE);
        server.ok(hosts().restarted(restart(3), server.now));
        assertFalse(told(number, GrantAnswer.TAKEN));
        nothingIsLeft();
    }

    @Test
    void aRestartTakesWhatIsOfOtherStarts() {
        locked(B, lock(LockMode.WRITE, 40, 49));
        locked(A, lock(LockMode.WRITE, 0, 9));
        locked(A, lock(LockMode.WRITE, 20, 29));
        waits(A, lock(LockMode.WRITE, 40, 41));
        server.kernel.hang();
        var early = send(A, lock(LockMode.READ, 60, 69), false, 1);
        var late = send(A, lock(LockMode.READ, 70, 79), false, 3);
        server.kernel.goOn();
        server.ok(server.kernel.outcome(early));
        server.ok(server.kernel.outcome(late));
        var again = send(A, lock(LockMode.WRITE, 5, 9), false, 3);
        server.ok(server.kernel.outcome(again));
        send(A, lock(LockMode.WRITE, 42, 43), true, 3);
        for (int notices = 0; notices < 2; notices++) {
            int lost = server.ok(hosts().restarted(restart(3), server.now));
            assertEquals(1 - notices, lost, "the second one is late");
            assertTrue(isFree(lock(LockMode.WRITE, 0, 4)));
            assertFalse(isFree(lock(LockMode.READ, 5, 9)));
            assertTrue(isFree(lock(LockMode.WRITE, 20, 29)));
            assertTrue(isFree(lock(LockMode.WRITE, 60, 69)));
            assertFalse(isFree(lock(LockMode.WRITE, 70, 70)));
        }
        unlock(B, 40, 49);
        var offered = server.actions(Action.OfferLock.class);
        assertEquals(1, offered.size());
        assertEquals(new ByteRange(42, 43), offered.getFirst().wanted().range());
    }

    /** A host that does not tell its number, and one that begins at 1 again. */
    @ParameterizedTest
    @ValueSource(ints = {0, 57})
    void aRestartTakesLocksWithoutANumberAndWithAHigherOne(int state) {
        server.ok(server.kernel.outcome(send(A, WRITE, false, state)));
        server.ok(server.kernel.outcome(send(A, lock(LockMode.WRITE, 20, 29), false, 1)));
        server.ok(hosts().restarted(restart(1), server.now));
        assertTrue(isFree(WRITE));
        assertFalse(isFree(lock(LockMode.READ, 20, 29)));
    }

    /** Any user of a host may send a LOCK with any number. */
    @Test
    void aLockWithAnotherNumberEndsNoWaitOfOthers() {
        locked(B, WRITE);
        waits(A, WRITE);
        var other = name("66:other");
        var denied = new HostLock(FILE, other, LockMode.READ, new ByteRange(0, 0));
        server.refuses(Nfs4Status.DENIED, server.kernel.outcome(send(A, denied, false, 98)));
        var granted = new HostLock(FILE, other, LockMode.WRITE, new ByteRange(20, 29));
        server.ok(server.kernel.outcome(send(A, granted, false, 99)));
        unlock(B, 0, 9);
        assertInstanceOf(LockOutcome.Held.class, server.ok(server.kernel.outcome(retry())));
    }

    /** What it waited for could take the place of the new lock. */
    @Test
    void aLockEndsTheWaitsOfItsOwnerInAnotherStart() {
        locked(B, WRITE);
        waits(A, lock(LockMode.READ, 0, 29));
        var other = new HostLock(FILE, name("2:p"), LockMode.READ, new ByteRange(0, 9));
        waits(A, other);
        server.ok(server.kernel.outcome(send(A, lock(LockMode.WRITE, 20, 29), false, 3)));
        unlock(B, 0, 9);
        var offered = server.actions(Action.OfferLock.class);
        assertEquals(1, offered.size());
        assertEquals(name("2:p"), offered.getFirst().wanted().owner().name());
    }
}
