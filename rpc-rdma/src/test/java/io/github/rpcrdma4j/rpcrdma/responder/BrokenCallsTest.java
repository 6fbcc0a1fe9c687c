package io.github.rpcrdma4j.rpcrdma.responder;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.oncrpc.ClientAddress;
import io.github.rpcrdma4j.rpcrdma.responder.BrokenCalls.Peer;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;

class BrokenCallsTest {
    private static final String ADDRESS = "127.0.0.1";
    private static final Peer CLIENT = new Peer(ClientAddress.ofLocalUser(1000), ADDRESS);

    private final BrokenCalls broken = new BrokenCalls();

    private static CallMark mark(int xid) {
        return new CallMark(xid, 99);
    }

    private boolean knows(Peer client, CallMark mark, long now) {
        return broken.contains(client, () -> mark, now);
    }

    @Test
    void knowsACallByItsClientItsXidAndItsContent() {
        broken.add(CLIENT, mark(7), 0);
        assertTrue(knows(new Peer(ClientAddress.ofLocalUser(1000), ADDRESS), mark(7), 0));
        assertFalse(knows(CLIENT, mark(8), 0));
        assertFalse(knows(CLIENT, new CallMark(7, 98), 0));
        assertFalse(knows(new Peer(ClientAddress.ofLocalUser(1001), ADDRESS), mark(7), 0));
        var network = ClientAddress.of(InetAddress.ofLiteral("fd00:77::2"));
        broken.add(new Peer(network, "fd00:77::2"), mark(7), 0);
        assertFalse(knows(new Peer(network, "fd00:77::3"), mark(7), 0));
    }

    @Test
    void forgetsWithTimeUnlessItHappensAgain() {
        long start = Long.MAX_VALUE - 5;
        broken.add(CLIENT, mark(7), start);
        assertTrue(knows(CLIENT, mark(7), start + BrokenCalls.AGE_NANOS - 1));
        assertFalse(knows(CLIENT, mark(7), start + BrokenCalls.AGE_NANOS));
        broken.add(CLIENT, mark(7), start + BrokenCalls.AGE_NANOS);
        assertTrue(knows(CLIENT, mark(7), start + BrokenCalls.AGE_NANOS));
    }

    @Test
    void knowsNoMoreThanItsLimit() {
        for (int xid = 0; xid <= BrokenCalls.ENTRIES_MAX; xid++) {
            broken.add(CLIENT, mark(xid), 0);
        }
        assertFalse(knows(CLIENT, mark(0), 0));
        for (int xid = 1; xid <= BrokenCalls.ENTRIES_MAX; xid++) {
            assertTrue(knows(CLIENT, mark(xid), 0));
        }
    }
}
