package io.github.rpcrdma4j.nfs.state;

import static io.github.rpcrdma4j.nfs.state.StateServer.FILE;
import static io.github.rpcrdma4j.nfs.state.StateServer.LEASE;
import static io.github.rpcrdma4j.nfs.state.StateServer.OTHER_FILE;
import static io.github.rpcrdma4j.nfs.state.StateServer.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.range.LockMode;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: a client that has lost something reclaims nothing after a restart, but what it still had is
 * not given to others before it knows. Method: each way to lose something and to keep something.
 */
class RevokedRecordsTest {
    private enum Way {
        LOCKS_EXPIRE,
        A_DELEGATION_IS_REVOKED,
        A_STORE_IS_REVOKED
    }

    private final StateServer server = StateServer.start();
    private final StateClient client = server.client("client").answering();
    private final StateClient other = server.client("other").answering();

    /** The file that the client keeps open, and that others must not read. */
    @BeforeEach
    void open() {
        server.ok(client.open(OTHER_FILE, "kept", 3, 1));
    }

    private void lose(Way way) {
        switch (way) {
            case LOCKS_EXPIRE -> {
                client.locked(client.open(), "locker", LockMode.WRITE, 0, 10);
                pass(other, LEASE + SECOND);
            }
            case A_DELEGATION_IS_REVOKED -> {
                client.delegated("owner", 1);
                server.refuses(Nfs4Status.DELAY, other.open(FILE, "other", 2, 0));
                for (int i = 0; i < 3; i++) {
                    pass(other, LEASE / 2);
                    client.renew();
                }
                assertEquals(1, server.actions(Action.DelegationTaken.class).size());
            }
            case A_STORE_IS_REVOKED -> {
                client.open();
                server.ok(server.state.revocations().store(FILE.store(), server.now));
            }
        }
        assertTrue(client.renew() != 0, "it is told that it has lost something");
        assertFalse(server.hasRecord(client));
    }

    private void pass(StateClient awake, long nanos) {
        server.pass(nanos / 2);
        awake.renew();
        server.pass(nanos - nanos / 2);
        awake.renew();
    }

    @ParameterizedTest
    @EnumSource
    void whatItKeepsIsNotGivenAwayUntilItIsBack(Way way) {
        lose(way);
        server.restart();
        other.connect();
        server.ok(other.reclaimComplete());
        server.refuses(Nfs4Status.GRACE, other.open(OTHER_FILE, "other", 1, 0));
        client.connect();
        server.refuses(Nfs4Status.RECLAIM_BAD, client.open(OTHER_FILE, "kept", 3, 1, true));
        server.refuses(Nfs4Status.GRACE, other.open(OTHER_FILE, "other", 1, 0));
        server.ok(client.reclaimComplete());
        assertEquals(List.of(new Action.GraceEnded(0)), server.actions(Action.GraceEnded.class));
        server.ok(other.open(OTHER_FILE, "other", 1, 0));
        assertTrue(server.hasRecord(client));
    }

    /** It has not come between two restarts. */
    @ParameterizedTest
    @EnumSource
    void itReclaimsNothingAfterTwoRestartsEither(Way way) {
        lose(way);
        server.restart();
        server.restart();
        client.connect();
        server.refuses(Nfs4Status.RECLAIM_BAD, client.open(OTHER_FILE, "kept", 3, 1, true));
    }

    /** Other hosts may know its verifier, and it may be any of them. */
    @Test
    void noneReclaimsInItsPlace() {
        lose(Way.LOCKS_EXPIRE);
        server.restart();
        client.place = "elsewhere";
        client.host = new StateServer.TestHost("elsewhere");
        client.connect();
        server.refuses(Nfs4Status.RECLAIM_BAD, client.open(OTHER_FILE, "kept", 3, 1, true));
    }

    @ParameterizedTest
    @EnumSource
    void itReclaimsWhatItGetsAfterwards(Way way) {
        lose(way);
        server.ok(client.open(OTHER_FILE, "kept", 3, 1));
        assertTrue(server.hasRecord(client));
        server.restart();
        client.connect();
        server.ok(client.open(OTHER_FILE, "kept", 3, 1, true));
    }

    @ParameterizedTest
    @EnumSource
    void nothingOfItStaysWhenItLeaves(Way way) {
        lose(way);
        client.verifier++;
        client.connect();
        assertTrue(
                server.records().stream().noneMatch(each -> each.owner().equals(client.name)),
                "it has nothing");
    }

    /** Each change of a record makes others wait. */
    @Test
    void itsRecordChangesOnceHoweverMuchItLoses() {
        client.open();
        server.ok(client.open(FILE, "second", 1, 0));
        server.actions.clear();
        server.ok(server.state.revocations().store(FILE.store(), server.now));
        assertEquals(1, server.actions(Action.Forget.class).size());
    }

    @Test
    void aClientThatKeepsNothingHasNoRecord() {
        var gone = server.client("gone");
        gone.open();
        server.ok(server.state.revocations().client(gone.id, server.now));
        assertTrue(server.records().stream().noneMatch(each -> each.owner().equals(gone.name)));
    }
}
