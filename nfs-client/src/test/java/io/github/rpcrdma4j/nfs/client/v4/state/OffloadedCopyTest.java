package io.github.rpcrdma4j.nfs.client.v4.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.client.service.Written;
import io.github.rpcrdma4j.nfs.client.v4.state.OffloadedCopy.State;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackArguments.Offload;
import io.github.rpcrdma4j.nfs.v4.operation.CopyResult;
import io.github.rpcrdma4j.nfs.v4.type.FileHandle;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OffloadedCopyTest {
    private static final long SECOND = 1_000_000_000;
    private static final int ASKED = 100;
    private static final long VERIFIER = 7;

    private final OffloadedCopy copy = new OffloadedCopy(ASKED, VERIFIER, 30 * SECOND, 0);

    private static Offload.End copied(long count) {
        return new Offload.Copied(Optional.empty(), count, Stability.FILE_SYNC, 8);
    }

    private State told(long count, long now) {
        return copy.told(new CopyResult.OffloadStatus(count, Optional.empty()), now);
    }

    private State toldEnd(long count, Nfs4Status status) {
        return copy.told(new CopyResult.OffloadStatus(count, Optional.of(status)), 1);
    }

    private static State ended(long count, Stability stability, long verifier) {
        return new State.Ended(new Written(count, stability, verifier));
    }

    @Test
    void aCallbackTellsTheEndAndItsStorage() {
        assertEquals(ended(ASKED, Stability.FILE_SYNC, 8), copy.heard(copied(ASKED)));
        assertEquals(ended(3, Stability.FILE_SYNC, 8), copy.heard(copied(3)));
        assertEquals(ended(0, Stability.FILE_SYNC, 8), copy.heard(copied(0)));
    }

    /** What the answer to OFFLOAD_STATUS does not tell is that of the reply to COPY. */
    @Test
    void anAnswerTellsTheEndAndNothingOfStorage() {
        assertEquals(ended(ASKED, Stability.UNSTABLE, VERIFIER), toldEnd(ASKED, Nfs4Status.OK));
        assertEquals(ended(3, Stability.UNSTABLE, VERIFIER), toldEnd(3, Nfs4Status.OK));
    }

    @Test
    void whatWasCopiedBeforeAFailureCounts() {
        var some = ended(3, Stability.UNSTABLE, VERIFIER);
        assertEquals(some, toldEnd(3, Nfs4Status.NOSPC));
        assertEquals(some, copy.heard(new Offload.Failed(Nfs4Status.NOSPC, 3)));
        assertEquals(new State.Failed(Nfs4Status.NOSPC), toldEnd(0, Nfs4Status.NOSPC));
        assertEquals(
                new State.Failed(Nfs4Status.IO), copy.heard(new Offload.Failed(Nfs4Status.IO, 0)));
    }

    @ParameterizedTest
    @ValueSource(longs = {ASKED + 1, Long.MAX_VALUE, -1})
    void moreThanWasAskedForCannotBe(long count) {
        assertInstanceOf(State.Impossible.class, copy.heard(copied(count)));
        assertInstanceOf(
                State.Impossible.class, copy.heard(new Offload.Failed(Nfs4Status.IO, count)));
        assertInstanceOf(State.Impossible.class, toldEnd(count, Nfs4Status.OK));
        assertInstanceOf(State.Impossible.class, told(count, 1));
        assertEquals(0, copy.done());
    }

    @Test
    void aCopyMayTakeLongAsLongAsItGoesOn() {
        for (int i = 1; i <= ASKED; i++) {
            assertInstanceOf(State.Running.class, told(i, i * 29 * SECOND));
            assertEquals(i, copy.done());
        }
        assertInstanceOf(State.Running.class, told(ASKED, (ASKED * 29 + 29) * SECOND));
        assertEquals(new State.Stalled(), told(ASKED, (ASKED * 29 + 30) * SECOND));
    }

    @Test
    void aCopyThatGoesBackMakesNoProgress() {
        told(50, 20 * SECOND);
        told(40, 30 * SECOND);
        told(49, 40 * SECOND);
        assertEquals(50, copy.done());
        assertEquals(new State.Stalled(), told(45, 50 * SECOND));
    }

    /** A server may have no OFFLOAD_STATUS. */
    @Test
    void aCopyOfWhichNothingIsToldEndsLikewise() {
        assertInstanceOf(State.Running.class, copy.untold(29 * SECOND));
        assertEquals(new State.Stalled(), copy.untold(30 * SECOND));
    }

    @Test
    void theServerIsAskedSeldomAfterSomeTime() {
        long last = 0;
        var state = copy.begun();
        for (int i = 1; i < 9; i++) {
            long pause = assertInstanceOf(State.Running.class, state).pauseNanos();
            assertTrue(last <= pause && pause <= 2 * SECOND, () -> "pause " + pause);
            last = pause;
            state = told(i, i);
        }
        assertEquals(2 * SECOND, last);
    }

    private static Offload notice(int number, long count) {
        return new Offload(FileHandle.of(new byte[] {1}), new StateId(1, 0, number), copied(count));
    }

    private static StateId name(int sequence, int number) {
        return new StateId(sequence, 0, number);
    }

    @Test
    void anEndIsTakenOnceByTheNameOfItsCopy() {
        var notices = new CopyNotices();
        notices.hear(notice(1, 5), 0);
        notices.hear(notice(2, 6), 0);
        assertEquals(Optional.empty(), notices.take(name(1, 3)));
        assertEquals(Optional.of(copied(6)), notices.take(name(0, 2)));
        assertEquals(Optional.empty(), notices.take(name(0, 2)));
        notices.forget();
        assertEquals(Optional.empty(), notices.take(name(1, 1)));
    }

    @Test
    void endsOfUnknownCopiesAreForgotten() {
        var notices = new CopyNotices();
        for (int i = 0; i < 10_000; i++) {
            notices.hear(notice(i, 1), i);
        }
        assertEquals(Optional.empty(), notices.take(name(1, 9999 - CopyNotices.MAX)));
        assertEquals(Optional.of(copied(1)), notices.take(name(1, 10_000 - CopyNotices.MAX)));
        notices.hear(notice(1, 2), 11 * SECOND);
        assertEquals(Optional.empty(), notices.take(name(1, 9999)));
        assertEquals(Optional.of(copied(2)), notices.take(name(1, 1)));
    }
}
