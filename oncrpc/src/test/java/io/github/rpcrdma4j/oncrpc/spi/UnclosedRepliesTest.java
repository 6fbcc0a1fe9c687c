package io.github.rpcrdma4j.oncrpc.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.memory.BudgetExhaustedException;
import io.github.rpcrdma4j.memory.MemoryBudget;
import io.github.rpcrdma4j.memory.SegmentPool;
import org.junit.jupiter.api.Test;

class UnclosedRepliesTest {
    private static final int MIB = 1 << 20;

    private final MemoryBudget budget = new MemoryBudget(4 * MIB);
    private final SegmentPool one = new SegmentPool(0, budget);
    private final SegmentPool other = new SegmentPool(0, budget);

    /** Goal: the user learns what has used up the memory, and no innocent client is blamed. */
    @Test
    void aLackOfMemoryIsExplainedByTheClientThatHasMostOfIt() {
        try (var many = one.lease(3 * MIB);
                var few = other.lease(MIB)) {
            assertEquals(4 * MIB, many.length() + few.length());
            var none = assertThrows(BudgetExhaustedException.class, () -> one.lease(MIB));
            assertEquals(
                    "native memory budget exhausted: 1048576 bytes requested, 4194304 of 4194304"
                            + " bytes in use, 3145728 of them by this client: is each RpcReply"
                            + " closed?",
                    UnclosedReplies.explain(none, one).getMessage());
            assertSame(none, UnclosedReplies.explain(none, other));
        }
    }
}
