package io.github.rpcrdma4j.nfs.server.state;

import static io.github.rpcrdma4j.nfs.server.state.StateServer.FILE;
import static io.github.rpcrdma4j.nfs.server.state.StateServer.LEASE;
import static io.github.rpcrdma4j.nfs.server.state.StateServer.LOCAL_TIME;
import static io.github.rpcrdma4j.nfs.server.state.StateServer.OTHER_FILE;
import static io.github.rpcrdma4j.nfs.server.state.StateServer.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.server.state.DelegateCall.Wish;
import io.github.rpcrdma4j.nfs.server.state.DelegationOutcome.Granted;
import io.github.rpcrdma4j.nfs.server.state.DelegationOutcome.Refused;
import io.github.rpcrdma4j.nfs.server.state.DelegationOutcome.Why;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Goal: who does not return delegations lets others wait for one lease in an hour at most, and not
 * again and again.
 */
class LostDelegationsTest {
    private static final int READ = 1;
    private static final int WRITE = 2;
    private static final long PENALTY = 3600 * SECOND;

    private final StateServer server = StateServer.start();
    private final StateClient client = server.client("client").answering();
    private final StateClient other = server.client("other", "elsewhere").answering();
    private int owners;

    private DelegationOutcome delegation(StateClient of, FileKey file) {
        var open = server.ok(of.open(file, "owner" + owners++, READ, 0));
        var outcome = of.delegate(file, open, Wish.READ);
        server.ok(of.close(file, open));
        return outcome;
    }

    private void pass(long nanos) {
        for (long left = nanos; left > 0; left -= LEASE / 2) {
            server.pass(Math.min(left, LEASE / 2));
            List.of(client, other).forEach(StateClient::renew);
        }
    }

    @Test
    void theClientsOfItsHostGetNoneForAnHour() {
        assertInstanceOf(Granted.class, delegation(client, FILE));
        server.refuses(Nfs4Status.DELAY, other.open(FILE, "other", WRITE, 0));
        pass(LEASE);
        assertInstanceOf(Granted.class, delegation(client, OTHER_FILE));
        server.pass(1);
        assertEquals(1, server.actions(Action.DelegationTaken.class).size());
        var third = new StateServer.TestFile("third");
        assertEquals(new Refused(Why.RESOURCE), delegation(client, third));
        // A client gets a new name easily.
        var neighbour = server.client("neighbour").answering();
        assertEquals(new Refused(Why.RESOURCE), delegation(neighbour, third));
        assertInstanceOf(Granted.class, delegation(other, third));
        var fourth = new StateServer.TestFile("fourth");
        pass(PENALTY);
        assertEquals(new Refused(Why.RESOURCE), delegation(client, fourth));
        server.pass(1);
        assertInstanceOf(Granted.class, delegation(client, fourth));
    }

    /** The client may hold changes that it made under it. */
    @Test
    void theClientsOfItsHostReclaimNevertheless() {
        delegation(client, FILE);
        var neighbour = server.client("neighbour").answering();
        delegation(neighbour, OTHER_FILE);
        server.restart();
        client.connect();
        reclaim(client, FILE);
        server.ok(server.state.delegations().localConflict(FILE, server.now));
        server.pass(LOCAL_TIME + 1);
        assertEquals(1, server.actions(Action.DelegationTaken.class).size());
        neighbour.connect();
        reclaim(neighbour, OTHER_FILE);
    }

    private void reclaim(StateClient of, FileKey file) {
        var open = server.ok(of.open(file, "owner", READ, 0, true));
        assertInstanceOf(Granted.class, of.delegate(file, open, Wish.READ, true));
    }

    /** Whole table: how much later, of how many that have come since. */
    @Test
    void whatIsRecentIsKnownAndNotTooMuch() {
        for (long later = 0; later <= 12; later++) {
            for (int more = 0; more <= 4; more++) {
                // The clock of the server may wrap around.
                long now = Long.MAX_VALUE - 5;
                var recent = new Recent<Integer>(10, 3);
                recent.add(0, now);
                for (int i = 1; i <= more; i++) {
                    recent.add(i, now + later);
                }
                boolean isKnown = recent.has(0, now + later);
                assertEquals(later <= 10 && more < 3, isKnown, later + " later, " + more);
                assertFalse(recent.has(99, now + later));
                assertTrue(more == 0 || recent.has(more, now + later));
            }
        }
        var recent = new Recent<Integer>(10, 3);
        recent.add(0, 0);
        recent.add(0, 10);
        assertTrue(recent.has(0, 20), "it has happened again");
    }
}
