package io.github.rpcrdma4j.rpcrdma.rfc5666;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.memory.BudgetExhaustedException;
import io.github.rpcrdma4j.memory.MemoryBudget;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.rpcrdma.rfc5666.fetched.ReplyFetch;
import io.github.rpcrdma4j.rpcrdma.session.ManualConnection;
import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.sim.SimOptions;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: a reply for which there is no memory is not fetched, and holds no memory. */
class ReplyFetchTest {
    private static final int BUDGET = 64 << 10;

    @Test
    void aReplyWithoutMemoryHoldsNone() {
        var pool = new SegmentPool(BUDGET, new MemoryBudget(BUDGET));
        var manual = new ManualConnection(4096, SimOptions.CALM, pool);
        var fetch = new ReplyFetch(manual.endpoint);
        // Memory for the first of two chunks.
        var readList =
                List.of(
                        new ReadSegment(4, new Segment(1, 4096, 0)),
                        new ReadSegment(8, new Segment(2, 1 << 20, 0)));
        var buffer = pool.lease(4096);
        assertThrows(
                BudgetExhaustedException.class,
                () ->
                        fetch.start(
                                readList,
                                MemorySegment.NULL,
                                buffer,
                                (_, _) -> {
                                    throw new AssertionError("nothing was fetched");
                                }));
        assertEquals(0, pool.leased());
    }
}
