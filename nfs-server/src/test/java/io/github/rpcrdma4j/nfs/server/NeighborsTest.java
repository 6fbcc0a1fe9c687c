package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.LeaseArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LeaseResult;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments;
import io.github.rpcrdma4j.nfs.v4.operation.SessionResult;
import io.github.rpcrdma4j.nfs.v4.operation.StateProtection;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.testing.LoggedLines;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: hosts of one network of IPv6 are different hosts: none ends or takes over what another one
 * has. Method: two addresses of one /64, and a name that both use.
 */
class NeighborsTest {
    private static final String HOST = "fd00:77::2";
    private static final String NEIGHBOR = "fd00:77::3";
    private static final String NAME = "Linux NFSv4 clienthost";

    private static final String NOTICES = "io.github.rpcrdma4j.nfs.server.driver.StateNotices";

    private TestDirectory files;
    private TestServer server;

    @BeforeEach
    void serve() throws Exception {
        files = TestDirectory.of(TestDirectory.Kind.BASIC);
        server = TestServer.of(files);
        server.create(server.root(), "file");
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        files.close();
    }

    private static SessionResult.ExchangeId exchange(CompoundClient sender, long verifier)
            throws Exception {
        var owner = new ClientOwner(verifier, Nfs4Calls.name(NAME));
        return (SessionResult.ExchangeId)
                sender.last(
                        new SessionArguments.ExchangeId(
                                owner, 0, new StateProtection.None(), Optional.empty()));
    }

    /** Makes the client of the host in another incarnation, with a session. */
    private static void restart(CompoundClient sender, long verifier) throws Exception {
        var made = exchange(sender, verifier);
        sender.last(
                new SessionArguments.CreateSession(
                        made.clientId(),
                        made.sequence(),
                        0,
                        CompoundClient.CHANNEL,
                        CompoundClient.CHANNEL,
                        1,
                        List.of()));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void noNeighborEndsAClientByItsName(int minorVersion) throws Exception {
        server.moveTo(HOST);
        var client =
                CompoundClient.of(
                        server, CompoundClient.ROOT, minorVersion, NAME, CompoundClient.CHANNEL);
        server.moveTo(NEIGHBOR);
        var neighbor = CompoundClient.of(server, "neighbor");
        restart(neighbor, 2);
        server.moveTo(HOST);
        assertEquals(Nfs4Status.OK, client.status(Nfs4Calls.at("file", Nfs4Calls.getFh())));
        restart(neighbor, 3);
        assertEquals(Nfs4Status.BADSESSION, client.status(Nfs4Calls.at("file", Nfs4Calls.getFh())));
    }

    /** Its address changes, as with the privacy extensions of IPv6 (RFC 8981). */
    @Test
    void aHostWithAnotherAddressKeepsItsSession() throws Exception {
        server.moveTo(HOST);
        var client = CompoundClient.of(server, NAME);
        server.moveTo(NEIGHBOR);
        assertEquals(Nfs4Status.OK, client.status(Nfs4Calls.at("file", Nfs4Calls.getFh())));
    }

    @Test
    void noNeighborEndsOrUsesAClientOfVersion40() throws Exception {
        server.moveTo(HOST);
        var client = LeasedClient.of(server, NAME);
        var renew = new LeaseArguments.Renew(client.id);
        server.moveTo(NEIGHBOR);
        assertNotEquals(Nfs4Status.OK, client.status(renew));
        var given = (LeaseResult.SetClientId) client.last(client.setClientId(7));
        assertNotEquals(client.id, given.clientId());
        client.last(new LeaseArguments.SetClientIdConfirm(given.clientId(), given.verifier()));
        server.moveTo(HOST);
        assertEquals(Nfs4Status.OK, client.status(renew));
    }

    /** It still finds out that two of its addresses reach one server. */
    @Test
    void noNeighborTakesFromAClientWhatItsVerifierIsGoodFor() throws Exception {
        try (var logged = new LoggedLines(NOTICES)) {
            server.moveTo(HOST);
            var client = CompoundClient.of(server, NAME);
            server.moveTo(NEIGHBOR);
            var neighbor = CompoundClient.of(server, "neighbor");
            for (int i = 0; i < 100; i++) {
                exchange(neighbor, 100 + i);
            }
            assertNotEquals(client.clientId(), exchange(neighbor, 1).clientId());
            server.moveTo("fd00:77::4");
            var other = CompoundClient.of(server, "other");
            assertEquals(client.clientId(), exchange(other, 1).clientId());
            var lines = logged.lines.stream().filter(each -> each.contains("verifiers")).toList();
            assertEquals(1, lines.size(), lines::toString);
            assertTrue(
                    lines.getFirst().contains(" fd00:77:0:0:0:0:0:3 has sent "), lines::toString);
        }
    }
}
