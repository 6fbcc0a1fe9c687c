package io.github.rpcrdma4j.nfs.state;

import static io.github.rpcrdma4j.nfs.state.StateServer.LEASE;
import static io.github.rpcrdma4j.nfs.state.StateServer.OTHER;
import static io.github.rpcrdma4j.nfs.state.StateServer.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.ExchangeIdCall;
import io.github.rpcrdma4j.nfs.state.event.Protection;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments.BindConnToSession.Direction;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: EXCHANGE_ID follows the table of RFC 8881, Section 18.35.4, in all its cases. */
class ExchangeIdTest {
    private final StateServer server = StateServer.start();
    private final StateClient client = server.stranger("client");

    /** What the server knows of the name before the call. */
    enum Known {
        NOTHING,
        UNCONFIRMED,
        /** Confirmed; its session was destroyed. */
        CONFIRMED,
        WITH_SESSION,
        WITH_OPEN,
        /** With an open; the lease has expired. */
        EXPIRED
    }

    private void prepare(Known known) {
        if (known == Known.NOTHING) {
            return;
        }
        client.exchangeId();
        if (known == Known.UNCONFIRMED) {
            return;
        }
        client.createSession();
        switch (known) {
            case NOTHING, UNCONFIRMED, WITH_SESSION -> {}
            case CONFIRMED -> server.ok(client.destroySession());
            case WITH_OPEN, EXPIRED -> {
                server.ok(client.reclaimComplete());
                client.open();
            }
        }
        if (known == Known.EXPIRED) {
            server.pass(LEASE + SECOND);
        }
    }

    /** Whole table: what is known, the verifier, the principal, and whether it is an update. */
    @ParameterizedTest
    @CsvSource({
        "NOTHING,      true,  true,  false, NEW",
        "NOTHING,      true,  true,  true,  NOENT",
        "UNCONFIRMED,  true,  true,  false, NEW",
        "UNCONFIRMED,  false, true,  false, NEW",
        "UNCONFIRMED,  true,  false, false, NEW",
        "UNCONFIRMED,  false, false, false, NEW",
        "UNCONFIRMED,  true,  true,  true,  NOENT",
        "UNCONFIRMED,  false, true,  true,  NOENT",
        "UNCONFIRMED,  true,  false, true,  NOENT",
        "UNCONFIRMED,  false, false, true,  NOENT",
        "CONFIRMED,    true,  true,  false, SAME",
        "CONFIRMED,    false, true,  false, NEW",
        "CONFIRMED,    true,  false, false, NEW",
        "CONFIRMED,    false, false, false, NEW",
        "CONFIRMED,    true,  true,  true,  SAME",
        "CONFIRMED,    false, true,  true,  NOT_SAME",
        "CONFIRMED,    true,  false, true,  PERM",
        "CONFIRMED,    false, false, true,  PERM",
        "WITH_SESSION, true,  true,  false, SAME",
        "WITH_SESSION, false, true,  false, NEW",
        "WITH_SESSION, true,  false, false, CLID_INUSE",
        "WITH_SESSION, false, false, false, CLID_INUSE",
        "WITH_SESSION, true,  true,  true,  SAME",
        "WITH_SESSION, false, true,  true,  NOT_SAME",
        "WITH_SESSION, true,  false, true,  PERM",
        "WITH_SESSION, false, false, true,  PERM",
        "WITH_OPEN,    true,  true,  false, SAME",
        "WITH_OPEN,    false, true,  false, NEW",
        "WITH_OPEN,    true,  false, false, CLID_INUSE",
        "WITH_OPEN,    false, false, false, CLID_INUSE",
        "EXPIRED,      true,  true,  false, SAME",
        "EXPIRED,      false, true,  false, NEW",
        "EXPIRED,      true,  false, false, NEW",
        "EXPIRED,      false, false, false, NEW",
    })
    void answersEveryCase(
            Known known,
            boolean hasVerifier,
            boolean hasPrincipal,
            boolean isUpdate,
            String expected) {
        prepare(known);
        long oldId = client.id;
        client.verifier = hasVerifier ? 1 : 2;
        client.principal = hasPrincipal ? StateServer.ROOT : OTHER;
        var outcome = client.exchangeId(isUpdate ? ExchangeIdCall.UPDATE : 0);
        switch (expected) {
            case "NEW" -> {
                assertEquals(Nfs4Status.OK, outcome.status());
                assertNotEquals(oldId, outcome.value().clientId());
                assertEquals(ExchangeIdCall.USE_NON_PNFS, outcome.value().flags());
                assertEquals(1, outcome.value().sequence());
            }
            case "SAME" -> {
                assertEquals(Nfs4Status.OK, outcome.status());
                assertEquals(oldId, outcome.value().clientId());
                int flags = ExchangeIdCall.USE_NON_PNFS | ExchangeIdCall.CONFIRMED;
                assertEquals(flags, outcome.value().flags());
                assertEquals(2, outcome.value().sequence(), "of the next CREATE_SESSION");
            }
            default -> assertEquals(Nfs4Status.valueOf(expected), outcome.status());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0x4, 0x80, 0x200, 0x2000_0000, ExchangeIdCall.CONFIRMED})
    void refusesFlagsThatArgumentsCannotHave(int flags) {
        server.refuses(Nfs4Status.INVAL, client.exchangeId(flags));
    }

    @ParameterizedTest
    @ValueSource(ints = {0x1, 0x2, 0x100, 0x10000, 0x20000, 0x40000, 0x70103})
    void takesAllFlagsOfArguments(int flags) {
        assertTrue(client.exchangeId(flags).isOk());
    }

    @Test
    void aReplacedUnconfirmedClientIsGone() {
        client.exchangeId();
        var old = server.stranger("client");
        old.id = client.id;
        client.exchangeId();
        server.refuses(Nfs4Status.STALE_CLIENTID, old.createSession(1));
    }

    @Test
    void anotherPrincipalEndsAClientWithoutState() {
        prepare(Known.CONFIRMED);
        var other = server.stranger("client");
        other.principal = OTHER;
        other.exchangeId();
        server.refuses(Nfs4Status.STALE_CLIENTID, client.createSession(client.sequence));
    }

    @Test
    void aRestartedClientKeepsItsOldSessionUntilTheNewOneIsConfirmed() {
        prepare(Known.WITH_OPEN);
        var restarted = server.stranger("client");
        restarted.verifier = 2;
        restarted.exchangeId();
        client.renew();
        assertTrue(server.hasRecord(client));
        restarted.createSession();
        assertFalse(server.hasRecord(client), "it must not reclaim what it had");
        server.refuses(Nfs4Status.BADSESSION, client.sequence(0, 9, false, 0));
        assertEquals(1, server.actions(Action.CloseFile.class).size());
        assertEquals(0, server.state.snapshots().opens(9).size());
    }

    @Test
    void aSecondCallChangesNoStateProtection() {
        client.isProtected = true;
        client.protection = Protection.machine(Set.of(), Set.of(4, 9));
        var first = client.exchangeId();
        assertTrue(first.protection().isMachine());
        assertEquals(Set.of(4), first.protection().allowed(), "CLOSE, but not GETATTR");
        assertTrue(first.protection().enforced().containsAll(Set.of(41, 42, 43, 44, 57)));
        client.createSession();
        for (int flags : new int[] {0, ExchangeIdCall.UPDATE}) {
            client.protection = Protection.NONE;
            assertEquals(first.protection(), server.ok(client.exchangeId(flags)).protection());
        }
        // Without protection, any sender may claim to be this principal.
        client.isProtected = false;
        for (int flags : new int[] {0, ExchangeIdCall.UPDATE}) {
            server.refuses(Nfs4Status.WRONG_CRED, client.exchangeId(flags));
        }
        client.verifier = 2;
        server.refuses(Nfs4Status.WRONG_CRED, client.exchangeId(0));
        server.refuses(Nfs4Status.WRONG_CRED, client.createSession(client.sequence));
        server.refuses(Nfs4Status.WRONG_CRED, client.destroySession());
        server.refuses(Nfs4Status.WRONG_CRED, client.destroyClientId());
        var bound =
                server.state.bindConnection(
                        client.session, Direction.FORE, client.sender(), server.now);
        server.refuses(Nfs4Status.WRONG_CRED, bound);
    }

    @Test
    void machineCredentialsHaveToBeProtected() {
        client.protection = Protection.machine(Set.of(), Set.of());
        server.refuses(Nfs4Status.INVAL, client.exchangeId(0));
    }

    @Test
    void aNumberThatIsTakenIsNotGivenAgain() {
        client.exchangeId();
        var call =
                new ExchangeIdCall(
                        new ClientOwner(1, StateServer.name("other")), 0, Protection.NONE, "");
        for (long fresh : new long[] {client.id, 0}) {
            var outcome = server.state.exchangeId(call, fresh, client.sender(), server.now);
            server.refuses(Nfs4Status.DELAY, outcome);
        }
    }

    @Test
    void unconfirmedClientsEndWithTheirLease() {
        client.exchangeId();
        server.now += SECOND;
        client.createSession();
        var late = server.stranger("late");
        late.exchangeId();
        server.now += LEASE + SECOND;
        server.refuses(Nfs4Status.STALE_CLIENTID, late.createSession(1));
    }

    @Test
    void destroysClientsWithoutSessionsAndState() {
        server.refuses(Nfs4Status.STALE_CLIENTID, client.destroyClientId());
        client.exchangeId();
        server.ok(client.destroyClientId());
        server.refuses(Nfs4Status.STALE_CLIENTID, client.destroyClientId());
        client.connect();
        server.ok(client.reclaimComplete());
        server.refuses(Nfs4Status.CLIENTID_BUSY, client.destroyClientId());
        var open = client.open();
        server.ok(client.destroySession());
        server.refuses(Nfs4Status.CLIENTID_BUSY, client.destroyClientId());
        client.createSession();
        server.ok(client.close(StateServer.FILE, open));
        server.ok(client.destroySession());
        assertTrue(server.hasRecord(client));
        server.ok(client.destroyClientId());
        assertFalse(server.hasRecord(client));
    }
}
