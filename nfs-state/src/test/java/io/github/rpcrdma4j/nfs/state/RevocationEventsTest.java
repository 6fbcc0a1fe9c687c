package io.github.rpcrdma4j.nfs.state;

import static io.github.rpcrdma4j.nfs.state.StateServer.FILE;
import static io.github.rpcrdma4j.nfs.state.StateServer.OTHER_FILE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.state.event.LockOutcome;
import io.github.rpcrdma4j.nfs.state.event.OpenStatus;
import io.github.rpcrdma4j.nfs.state.event.StateIdUse;
import io.github.rpcrdma4j.nfs.state.range.LockMode;
import io.github.rpcrdma4j.nfs.state.table.StatusFlags;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: what clients have of files that are not served any more ends, and nothing else does. */
class RevocationEventsTest {
    private final StateServer server = StateServer.start();

    private int endFile() {
        return server.ok(server.state.revocations().store(FILE.store(), server.now));
    }

    @Test
    void opensAndLocksOfTheFileEndAndThoseOfOthersStay() {
        var client = server.client("client");
        var kept = server.ok(client.open(OTHER_FILE, "owner", 3, 0));
        var open = client.open();
        var lock = client.locked(open, "locker", LockMode.WRITE, 0, 10);
        assertEquals(2, endFile());
        assertEquals(
                List.of(OTHER_FILE),
                server.state.snapshots().opens(9).stream().map(OpenStatus::file).toList());
        assertEquals(List.of(), server.state.snapshots().locks(9));
        for (var each : List.of(open, lock)) {
            var status = client.ask(use -> server.state.testStateId(use, each));
            assertEquals(Nfs4Status.ADMIN_REVOKED, status);
        }
        server.ok(client.check(OTHER_FILE, kept, StateIdUse.READ));
        assertEquals(0, endFile());
    }

    @Test
    void delegationsEndWithTheirLeases() {
        var client = server.client("client").answering();
        var delegation = client.delegated("owner", Open.READ);
        assertTrue(server.leases.holds(FILE));
        assertEquals(2, endFile());
        assertFalse(server.leases.holds(FILE));
        assertEquals(List.of(), server.state.snapshots().delegations(9));
        var status = client.ask(use -> server.state.testStateId(use, delegation));
        assertEquals(Nfs4Status.ADMIN_REVOKED, status);
    }

    @Test
    void theClientLearnsOfItUntilItHasFreedAll() {
        var client = server.client("client");
        var open = client.open();
        endFile();
        assertEquals(StatusFlags.ADMIN_STATE_REVOKED, client.renew());
        server.ok(client.free(open));
        assertEquals(0, client.renew());
    }

    @Test
    void theClientReclaimsNothingUntilItHasOpenedSomethingElse() {
        var client = server.client("client");
        client.open();
        assertTrue(server.hasRecord(client));
        endFile();
        assertFalse(server.hasRecord(client));
        server.ok(client.open(OTHER_FILE, "owner", 3, 0));
        assertTrue(server.hasRecord(client));
    }

    @Test
    void anotherGetsTheFileIfItIsServedAgain() {
        var client = server.client("client");
        client.locked(client.open(), "locker", LockMode.WRITE, 0, 10);
        var other = server.client("other");
        server.refuses(Nfs4Status.SHARE_DENIED, other.open(FILE, "owner", 3, 3));
        endFile();
        server.ok(server.state.revocations().closed(FILE.store(), server.now));
        var open = server.ok(other.open(FILE, "owner", 3, 3));
        other.locked(open, "locker", LockMode.WRITE, 0, 10);
    }

    @Test
    void aCallThatHadFoundAFileBeforeGetsNoStateOfIt() {
        var client = server.client("client");
        endFile();
        server.refuses(Nfs4Status.STALE, client.open(FILE, "owner", 3, 0));
        server.ok(client.open(OTHER_FILE, "owner", 3, 0));
        assertEquals(1, server.state.snapshots().opens(9).size());
    }

    @Test
    void whatTheKernelIsAskedForIsNotGranted() {
        var client = server.client("client");
        var open = client.open();
        server.kernel.hang();
        var asked = server.ok(client.lock(open, "locker", LockMode.WRITE, 0, 10));
        assertInstanceOf(LockOutcome.Asked.class, asked);
        endFile();
        server.kernel.goOn();
        assertEquals(List.of(), server.state.snapshots().locks(9));
        assertEquals(List.of(), server.state.snapshots().opens(9));
    }

    @Test
    void aClientOfMinorVersion0LosesItAtOnce() {
        var client = new LeaseClient(server, "old").connect();
        var open = server.ok(client.open("owner", 3, 0));
        assertEquals(1, endFile());
        server.refuses(Nfs4Status.BAD_STATEID, client.check(open, StateIdUse.READ));
        assertEquals(List.of(), server.state.snapshots().opens(9));
    }
}
