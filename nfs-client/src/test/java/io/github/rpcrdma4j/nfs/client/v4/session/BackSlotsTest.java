package io.github.rpcrdma4j.nfs.client.v4.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.nfs.client.v4.session.BackSlots.Decision;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackCompound;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: each callback is carried out once. Method: all orders that a server may send. */
class BackSlotsTest {
    private static final Decision CARRY_OUT = new Decision.CarryOut();
    private static final CallbackCompound.Outcome REPLY =
            new CallbackCompound.Outcome(Nfs4Status.OK, OpaqueName.of(new byte[0]), List.of());

    private final BackSlots slots = new BackSlots();

    private static Decision refused(Nfs4Status status) {
        return new Decision.Refuse(status);
    }

    @Test
    void aCallbackIsCarriedOutOnce() {
        assertEquals(CARRY_OUT, slots.begin(1, 1));
        assertEquals(refused(Nfs4Status.DELAY), slots.begin(1, 1));
        slots.end(1, REPLY);
        assertEquals(new Decision.Repeat(REPLY), slots.begin(1, 1));
        assertEquals(CARRY_OUT, slots.begin(1, 2));
    }

    @Test
    void aGapIsRefusedAndLeavesTheSlotAsItIs() {
        assertEquals(refused(Nfs4Status.SEQ_MISORDERED), slots.begin(0, 2));
        assertEquals(refused(Nfs4Status.SEQ_MISORDERED), slots.begin(0, 0));
        assertEquals(CARRY_OUT, slots.begin(0, 1));
        assertEquals(refused(Nfs4Status.SEQ_MISORDERED), slots.begin(0, 2));
        slots.end(0, REPLY);
        assertEquals(refused(Nfs4Status.SEQ_MISORDERED), slots.begin(0, 3));
        assertEquals(refused(Nfs4Status.SEQ_MISORDERED), slots.begin(0, 0));
        assertEquals(CARRY_OUT, slots.begin(0, 2));
    }

    @Test
    void slotsAreIndependentAndBounded() {
        for (int i = 0; i < BackSlots.COUNT; i++) {
            assertEquals(CARRY_OUT, slots.begin(i, 1));
        }
        assertEquals(refused(Nfs4Status.BADSLOT), slots.begin(BackSlots.COUNT, 1));
        assertEquals(refused(Nfs4Status.BADSLOT), slots.begin(-1, 1));
    }
}
