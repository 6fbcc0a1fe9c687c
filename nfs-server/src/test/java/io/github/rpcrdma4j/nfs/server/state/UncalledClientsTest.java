package io.github.rpcrdma4j.nfs.server.state;

import static io.github.rpcrdma4j.nfs.server.state.StateServer.FILE;
import static io.github.rpcrdma4j.nfs.server.state.StateServer.LEASE;
import static io.github.rpcrdma4j.nfs.server.state.StateServer.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Goal: a client that the server could not call, because too many other calls are in progress, does
 * not lose its delegation for that.
 */
class UncalledClientsTest {
    private static final int READ = 1;
    private static final int WRITE = 2;

    private final StateServer server = StateServer.start();
    private final StateClient client = server.client("client").answering();
    private final StateClient other = server.client("other").answering();

    private List<Action.Recall> recalls() {
        return server.actions(Action.Recall.class);
    }

    /** Its time begins with the call. */
    @Test
    void aClientThatWasNotCalledIsCalledLaterAndHasItsWholeTime() {
        var delegation = client.delegated("owner", READ);
        server.refuses(Nfs4Status.DELAY, other.open(FILE, "other", WRITE, 0));
        server.state.delegations().notCalled(recalls().getLast());
        server.pass(LEASE / 2);
        assertEquals(2, recalls().size(), "nobody has to ask for the file again");
        assertEquals(recalls().getFirst(), recalls().getLast());
        client.renew();
        other.renew();
        server.pass(LEASE);
        assertEquals(2, recalls().size(), "it was called");
        server.ok(client.returnDelegation(FILE, delegation));
        server.ok(other.open(FILE, "other", WRITE, 0));
    }

    @Test
    void aClientThatIsNeverCalledKeepsNobodyWaitingForEver() {
        client.delegated("owner", READ);
        server.refuses(Nfs4Status.DELAY, other.open(FILE, "other", WRITE, 0));
        for (int seconds = 0; seconds <= 2 * LEASE / SECOND; seconds++) {
            assertEquals(List.of(), server.actions(Action.DelegationTaken.class));
            server.state.delegations().notCalled(recalls().getLast());
            server.pass(SECOND);
            client.renew();
            other.renew();
        }
        server.pass(2 * SECOND);
        assertEquals(1, server.actions(Action.DelegationTaken.class).size());
        server.ok(other.open(FILE, "other", WRITE, 0));
    }

    /** Those whose time began later do not keep it from those that were called first. */
    @Test
    void whoWasCalledFirstLosesItFirst() {
        client.delegated("owner", READ);
        var second = server.client("second").answering();
        var kept = second.delegated("owner", READ);
        server.refuses(Nfs4Status.DELAY, other.open(FILE, "other", WRITE, 0));
        var late = recalls().stream().filter(each -> each.clientId() == second.id).toList();
        server.state.delegations().notCalled(late.getFirst());
        server.pass(LEASE / 2);
        List.of(client, second, other).forEach(StateClient::renew);
        server.pass(LEASE / 2 + 1);
        var taken = server.actions(Action.DelegationTaken.class);
        assertEquals(1, taken.size());
        assertEquals(client.id, taken.getFirst().clientId());
        server.ok(second.returnDelegation(FILE, kept));
        server.ok(other.open(FILE, "other", WRITE, 0));
    }
}
