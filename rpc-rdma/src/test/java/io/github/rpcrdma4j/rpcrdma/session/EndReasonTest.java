package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.memory.BudgetExhaustedException;
import io.github.rpcrdma4j.memory.MemoryBudget;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.LogRecords;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import io.github.rpcrdma4j.verbs.NoResourceException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: a connection without memory ends for that reason, and not by an internal error. */
class EndReasonTest {
    private static BudgetExhaustedException shortage() {
        var pool = new SegmentPool(0, new MemoryBudget(1));
        return assertThrows(BudgetExhaustedException.class, () -> pool.lease(8192));
    }

    @Test
    void namesALackOfMemory() {
        var words = EndReason.of(shortage());
        assertTrue(words.startsWith("there is no memory for the work of this connection: "), words);
        assertEquals(
                "internal error: java.lang.AssertionError: odd",
                EndReason.of(new AssertionError("odd")));
    }

    @Test
    void namesALackOfRoomAtTheAdapter() {
        assertEquals(
                "there is no memory for the work of this connection: 8192 bytes are too many",
                EndReason.of(new NoResourceException("8192 bytes are too many")));
    }

    @Test
    void logsALackOfMemoryWithoutAStackTrace() {
        try (var log = new LogRecords(EndReasonTest.class)) {
            var failures = new FailureLog(System.getLogger(EndReasonTest.class.getName()));
            var shortage = shortage();
            EndReason.log(failures, "internal error", shortage);
            EndReason.log(failures, "internal error", new AssertionError("odd"));
            assertEquals(
                    List.of(
                            "a connection was closed for lack of memory: " + shortage.getMessage(),
                            "internal error"),
                    log.messages());
        }
    }
}
