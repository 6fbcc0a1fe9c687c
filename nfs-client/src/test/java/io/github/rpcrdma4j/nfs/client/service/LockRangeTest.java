package io.github.rpcrdma4j.nfs.client.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

/** Goal: a range has bytes that a file can have. */
class LockRangeTest {
    @Test
    void aRangeEndsWithTheLastByteOfAll() {
        assertEquals(1, new LockRange(-1, 1).length());
        assertEquals(LockRange.TO_END, new LockRange(-1, LockRange.TO_END).length());
        assertEquals(LockRange.ALL, new LockRange(0, -1));
        assertThrows(IllegalArgumentException.class, () -> new LockRange(-1, 2));
        assertThrows(IllegalArgumentException.class, () -> new LockRange(1, 0));
        assertThrows(IllegalArgumentException.class, () -> new LockRange(3, -2));
        assertEquals(-3, new LockRange(2, -3).length());
    }
}
