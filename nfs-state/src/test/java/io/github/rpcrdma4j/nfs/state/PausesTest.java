package io.github.rpcrdma4j.nfs.state;

import static io.github.rpcrdma4j.nfs.state.StateServer.FILE;
import static io.github.rpcrdma4j.nfs.state.StateServer.LEASE;
import static io.github.rpcrdma4j.nfs.state.StateServer.LOCAL_TIME;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: the time in which a server does not run counts for those that do not wait for it. */
class PausesTest {
    private static final int READ = 1;
    private static final int WRITE = 2;

    private final StateServer server = StateServer.start();
    private final StateClient client = server.client("client").answering();
    private final StateClient other = server.client("other").answering();

    private List<Action.DelegationTaken> taken() {
        return server.actions(Action.DelegationTaken.class);
    }

    /** The kernel has not stopped: it lets local processes go on. */
    @Test
    void aDelegationThatALocalProcessWaitsForEndsInTime() {
        client.delegated("owner", READ);
        server.ok(server.state.delegations().localConflict(FILE, server.now));
        server.state.paused(LOCAL_TIME - 1);
        server.pass(1);
        assertEquals(List.of(), taken());
        server.pass(1);
        assertEquals(1, taken().size());
    }

    @Test
    void aDelegationThatAnotherClientWaitsForDoesNot() {
        var delegation = client.delegated("owner", READ);
        server.refuses(Nfs4Status.DELAY, other.open(FILE, "other", WRITE, 0));
        server.state.paused(10 * LEASE);
        server.pass(LEASE / 2);
        assertEquals(List.of(), taken());
        server.ok(client.returnDelegation(FILE, delegation));
    }
}
