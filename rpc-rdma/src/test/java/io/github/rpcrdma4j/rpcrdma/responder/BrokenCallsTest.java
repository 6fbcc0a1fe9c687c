package io.github.rpcrdma4j.rpcrdma.responder;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class BrokenCallsTest {
    private static final String CLIENT = "10.0.0.1";

    private final BrokenCalls broken = new BrokenCalls();

    @Test
    void knowsACallByItsClientAndItsXid() {
        broken.add(CLIENT, 7, 0);
        assertTrue(broken.contains(CLIENT, 7, 0));
        assertFalse(broken.contains(CLIENT, 8, 0));
        assertFalse(broken.contains("10.0.0.2", 7, 0));
    }

    @Test
    void forgetsWithTimeUnlessItHappensAgain() {
        long start = Long.MAX_VALUE - 5;
        broken.add(CLIENT, 7, start);
        assertTrue(broken.contains(CLIENT, 7, start + BrokenCalls.AGE_NANOS - 1));
        assertFalse(broken.contains(CLIENT, 7, start + BrokenCalls.AGE_NANOS));
        broken.add(CLIENT, 7, start + BrokenCalls.AGE_NANOS);
        assertTrue(broken.contains(CLIENT, 7, start + BrokenCalls.AGE_NANOS));
    }

    @Test
    void knowsNoMoreThanItsLimit() {
        for (int xid = 0; xid <= BrokenCalls.ENTRIES_MAX; xid++) {
            broken.add(CLIENT, xid, 0);
        }
        assertFalse(broken.contains(CLIENT, 0, 0));
        for (int xid = 1; xid <= BrokenCalls.ENTRIES_MAX; xid++) {
            assertTrue(broken.contains(CLIENT, xid, 0));
        }
    }
}
