package io.github.rpcrdma4j.interop.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundResult;
import io.github.rpcrdma4j.nfs.v4.operation.HandleResult;
import io.github.rpcrdma4j.nfs.v4.operation.LockResult;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.OpenDelegation;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.type.ChangeInfo;
import io.github.rpcrdma4j.nfs.v4.type.FileHandle;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Goal: a step sends the handles, stateids and sequences that earlier replies have given. */
class HoldingTest {
    private static final FileHandle HANDLE = FileHandle.of(new byte[] {1});
    private static final StateId FIRST = new StateId(1, 2, 3);
    private static final StateId LATER = new StateId(2, 2, 3);
    private static final Step STEP = Opening.of("f", Opening.READ).step();

    private final Holding holding = holding(ByteOrder.BIG_ENDIAN);

    private static Holding holding(ByteOrder verifiers) {
        return new Holding("case", 7, verifiers, Map.of("f", HANDLE));
    }

    private static Result opened(StateId stateId) {
        return new StateResult.Open(
                stateId,
                new ChangeInfo(true, 0, 0),
                0,
                AttributeSet.NONE,
                new OpenDelegation.None());
    }

    private void take(Step step, Result... results) {
        holding.take(
                step,
                new CompoundResult(Nfs4Status.OK, OpaqueName.of(new byte[0]), List.of(results)));
    }

    @Test
    void keepsTheNewestStateidOfEachOpenAndLock() {
        take(STEP, opened(FIRST));
        take(Opening.of("f", Opening.READ).second().step(), opened(new StateId(1, 5, 5)));
        take(STEP, new LockResult.Lock(new StateId(1, 9, 9)));
        take(STEP, new StateResult.OpenDowngrade(LATER));
        assertEquals(LATER, holding.stateId(Held.OPEN));
        assertEquals(new StateId(1, 5, 5), holding.stateId(Held.SECOND));
        assertEquals(new StateId(1, 9, 9), holding.stateId(Held.LOCK));
        assertEquals(StateId.ANONYMOUS, holding.stateId(Held.ANONYMOUS));
    }

    @Test
    void findsAFileThatWasMadeByItsHandle() {
        var made = FileHandle.of(new byte[] {2});
        take(Opening.of("g", Opening.READ).step(), opened(FIRST), new HandleResult.GetFh(made));
        assertEquals(made, holding.put("g").handle());
        assertEquals(HANDLE, holding.put("f").handle());
    }

    @Test
    void refusesAFileOrAStateidThatTheCaseHasNot() {
        assertThrows(IllegalArgumentException.class, () -> holding.put("g"));
        assertThrows(IllegalArgumentException.class, () -> holding.stateId(Held.LOCK));
    }

    @Test
    void countsTheSequenceOfAnOwnerByTheAnswersThatCount() {
        assertEquals(0, holding.count("owner"));
        take(STEP, opened(FIRST));
        assertEquals(1, holding.count("owner"));
        take(STEP, Result.failed(Opcode.OPEN, Nfs4Status.ACCESS));
        assertEquals(2, holding.count("owner"), "a failed OPEN counts");
        take(STEP, Result.failed(Opcode.OPEN, Nfs4Status.BAD_SEQID));
        assertEquals(2, holding.count("owner"), "one that was out of order does not");
        take(STEP, Result.failed(Opcode.PUTFH, Nfs4Status.STALE));
        assertEquals(2, holding.count("owner"), "nor one that was not carried out");
        assertEquals(0, holding.count("another"));
    }

    @Test
    void writesTheTimesOfAFileInTheOrderInWhichTheServerReadsVerifiers() {
        assertEquals(0x3b9aca00_3b9aca00L, holding.oldTimes());
        assertEquals(0x00ca9a3b_00ca9a3bL, holding(ByteOrder.LITTLE_ENDIAN).oldTimes());
    }
}
