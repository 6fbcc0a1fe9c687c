package io.github.rpcrdma4j.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class ProcessMemoryTest {
    private static final long MIB = 1 << 20;

    @Test
    void leavesAnEighthOfDirectMemoryToOthers() {
        assertEquals(448 * MIB, ProcessMemory.limit(512 * MIB, 0, 0));
        assertEquals(56 * MIB, ProcessMemory.limit(512 * MIB, 64 * MIB, 0));
        assertEquals(896 * MIB, ProcessMemory.limit(512 * MIB, 1024 * MIB, 4096 * MIB));
    }

    @Test
    void staysWithinWhatTheControlGroupHasBesideTheHeap() {
        assertEquals(384 * MIB, ProcessMemory.limit(512 * MIB, 0, 1024 * MIB));
        assertEquals(64 * MIB, ProcessMemory.limit(128 * MIB, 0, 256 * MIB));
    }

    @Test
    void isNeverTooSmallForOneConnection() {
        assertEquals(16 * MIB, ProcessMemory.limit(256 * MIB, 0, 256 * MIB));
        assertEquals(16 * MIB, ProcessMemory.limit(512 * MIB, MIB, 0));
    }

    @Test
    void theLimitOfThisProcessIsWithinItsDirectMemory() {
        long limit = MemoryBudget.process().limit();
        assertTrue(limit >= ProcessMemory.LEAST_LIMIT, "limit " + limit);
        assertTrue(limit < Runtime.getRuntime().maxMemory() || limit == ProcessMemory.LEAST_LIMIT);
    }
}
