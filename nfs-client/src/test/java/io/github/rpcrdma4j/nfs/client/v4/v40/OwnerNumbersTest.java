package io.github.rpcrdma4j.nfs.client.v4.v40;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.client.v4.plan.Answer;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.LockArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LockArguments.Locker;
import io.github.rpcrdma4j.nfs.v4.operation.LockResult;
import io.github.rpcrdma4j.nfs.v4.operation.LockType;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.OpenClaim;
import io.github.rpcrdma4j.nfs.v4.operation.OpenCreation;
import io.github.rpcrdma4j.nfs.v4.operation.OpenDelegation;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.type.ChangeInfo;
import io.github.rpcrdma4j.nfs.v4.type.FileHandle;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Goal: each operation of an owner has the owner's number, and a new one when it was counted. */
class OwnerNumbersTest {
    private static final FileHandle FILE = FileHandle.of(new byte[] {1});
    private static final StateOwner OWNER = new StateOwner(7, OpaqueName.of(new byte[] {2}));
    private static final StateOwner UNNUMBERED = new StateOwner(0, OpaqueName.of(new byte[] {3}));
    private static final StateId STATE = new StateId(1, 2, 3);

    private final OwnerNumbers numbers = new OwnerNumbers(OWNER);

    private static Plan opening() {
        return Plan.at(FILE)
                .open(
                        new StateArguments.Open(
                                0,
                                StateArguments.Open.READ | StateArguments.Open.WANT_NO_DELEG,
                                0,
                                UNNUMBERED,
                                new OpenCreation.None(),
                                new OpenClaim.Name(FileName.of("x"))));
    }

    private static Plan locking(Locker locker) {
        return Plan.at(FILE).lock(new LockArguments.Lock(LockType.WRITE, false, 0, 1, locker));
    }

    private static Plan unlocking() {
        return Plan.at(FILE).unlock(new LockArguments.LockU(LockType.WRITE, 0, STATE, 0, 1));
    }

    private static Answer answer(Plan plan, int results, Nfs4Status last) {
        var all = new ArrayList<Result>();
        for (int i = 0; i < results; i++) {
            var opcode = plan.operations().get(i).opcode();
            all.add(
                    i < results - 1 || last == Nfs4Status.OK
                            ? done(opcode)
                            : Result.failed(opcode, last));
        }
        return new Answer(all, last, Optional.empty());
    }

    private static Result done(Opcode opcode) {
        return switch (opcode) {
            case OPEN ->
                    new StateResult.Open(
                            STATE,
                            new ChangeInfo(true, 1, 1),
                            0,
                            AttributeSet.NONE,
                            new OpenDelegation.None());
            case OPEN_CONFIRM -> new StateResult.OpenConfirm(STATE);
            case CLOSE -> new StateResult.Close(STATE);
            case LOCK -> new LockResult.Lock(STATE);
            case LOCKU -> new LockResult.LockU(STATE);
            default -> Result.done(opcode);
        };
    }

    /** Sends a plan, and returns the operation that was sent last. */
    private Arguments sent(Plan plan, Nfs4Status last) {
        var numbered = numbers.numbered(plan);
        numbers.begin(numbered);
        numbers.end(numbered, answer(numbered, numbered.operations().size(), last));
        return numbered.operations().getLast();
    }

    @Test
    void anOpenHasTheOwnerAndNoWishes() {
        var open = (StateArguments.Open) sent(opening(), Nfs4Status.OK);
        assertEquals(OWNER, open.owner());
        assertEquals(StateArguments.Open.READ, open.access());
        assertEquals(0, open.sequence());
        assertEquals(
                1,
                ((StateArguments.OpenConfirm) sent(Plan.at(FILE).confirm(STATE), Nfs4Status.OK))
                        .sequence());
        assertEquals(2, closed(Nfs4Status.RESOURCE));
        assertEquals(2, closed(Nfs4Status.DELAY));
        assertEquals(3, closed(Nfs4Status.OK));
    }

    private int closed(Nfs4Status status) {
        return ((StateArguments.Close) sent(Plan.at(FILE).close(STATE), status)).sequence();
    }

    @Test
    void theFirstLockIsInBothSequences() {
        assertEquals(0, closed(Nfs4Status.OK));
        var first = new Locker.NewOwner(0, STATE, 0, UNNUMBERED);
        var lock = (LockArguments.Lock) sent(locking(first), Nfs4Status.LOCK_RANGE);
        assertEquals(new Locker.NewOwner(1, STATE, 0, OWNER), lock.locker());
        var again = (LockArguments.Lock) sent(locking(first), Nfs4Status.OK);
        assertEquals(new Locker.NewOwner(2, STATE, 1, OWNER), again.locker());
        var next = (LockArguments.Lock) sent(locking(new Locker.Existing(STATE, 0)), Nfs4Status.OK);
        assertEquals(new Locker.Existing(STATE, 2), next.locker());
        var unlock = (LockArguments.LockU) sent(unlocking(), Nfs4Status.OK);
        assertEquals(3, unlock.sequence());
        assertEquals(3, closed(Nfs4Status.OK));
        numbers.released();
        lock = (LockArguments.Lock) sent(locking(first), Nfs4Status.OK);
        assertEquals(new Locker.NewOwner(4, STATE, 0, OWNER), lock.locker());
    }

    @Test
    void whatIsLeftOutIsNotCounted() {
        var plan = numbers.numbered(unlocking().close(STATE));
        numbers.begin(plan);
        numbers.end(plan, answer(plan, 2, Nfs4Status.LOCK_RANGE));
        assertEquals(0, closed(Nfs4Status.OK));
        assertEquals(1, ((LockArguments.LockU) sent(unlocking(), Nfs4Status.OK)).sequence());
        assertFalse(numbers.isInDoubt());
    }

    @Test
    void whatIsUnheardIsInDoubtAsAWhole() {
        var plan = numbers.numbered(unlocking().close(STATE));
        numbers.begin(plan);
        numbers.end(plan, new Answer(List.of(), Nfs4Status.OK, Optional.of("cut")));
        assertTrue(numbers.isInDoubt());
        numbers.begin(plan);
        numbers.endUnheard(plan);
        numbers.begin(plan);
        numbers.end(plan, answer(plan, 3, Nfs4Status.OK));
        assertFalse(numbers.isInDoubt());
        assertEquals(1, closed(Nfs4Status.OK));
    }

    @Test
    void anOwnerThatTheServerCountsInAnotherWayIsGone() {
        closed(Nfs4Status.BAD_SEQID);
        assertTrue(numbers.isGone());
        assertEquals(7, numbers.clientId());
    }

    @Test
    void onlyNumbersKeepAPlanFromBeingCarriedOutTwice() {
        for (var plan :
                List.of(
                        opening(),
                        unlocking(),
                        Plan.at(FILE).close(STATE),
                        Plan.at(FILE).confirm(STATE),
                        locking(new Locker.Existing(STATE, 0)))) {
            assertTrue(OwnerNumbers.isNumbered(plan));
        }
        assertFalse(OwnerNumbers.isNumbered(Plan.at(FILE).remove(FileName.of("x"))));
    }
}
