package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.server.export.Clients;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.export.ExportRule;
import io.github.rpcrdma4j.nfs.server.export.ExportRule.Ports;
import io.github.rpcrdma4j.nfs.v4.Nfs4Binding;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundResult;
import io.github.rpcrdma4j.nfs.v4.operation.LeaseArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LeaseResult;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments;
import io.github.rpcrdma4j.nfs.v4.operation.SessionResult;
import io.github.rpcrdma4j.nfs.v4.operation.StateProtection;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.SessionId;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: where rules are {@code secure}, an ordinary user of a client host, who calls from a port of
 * 1024 or more and claims to be root, neither ends nor takes over what the host's own client has,
 * and makes no clients if no export would take its calls.
 */
class SecurePortsTest {
    private static final String HOST = "192.0.2.3";
    private static final int OF_ROOT = 1023;
    private static final int OF_USER = 1024;
    private static final Credential ROOT = CompoundClient.ROOT;
    private static final Credential KERBEROS =
            new Credential.Principal("nfs/host@REALM", SecurityFlavor.KRB5I);
    private static final String NAME = "Linux NFSv4.2 clienthost";

    private TestDirectory secure;
    private TestDirectory open;
    private TestServer server;

    @BeforeEach
    void makeDirectories() throws Exception {
        secure = TestDirectory.of(TestDirectory.Kind.BASIC);
        open = TestDirectory.of(TestDirectory.Kind.BASIC);
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        secure.close();
        open.close();
    }

    private static Export export(String name, TestDirectory files, Ports ports) {
        var rule = ExportRule.of(Clients.parse(HOST)).withPorts(ports);
        return new Export(
                name,
                files.root(),
                List.of(rule),
                List.of(SecurityFlavor.SYS, SecurityFlavor.KRB5I));
    }

    private void serveSecureOnly() throws Exception {
        server = TestServer.of(List.of(export("/secure", secure, Ports.PRIVILEGED)));
    }

    private void serveBoth() throws Exception {
        server =
                TestServer.of(
                        List.of(
                                export("/secure", secure, Ports.PRIVILEGED),
                                export("/open", open, Ports.OWN_USER)));
    }

    private CompoundResult send(int port, Credential caller, int minorVersion, Arguments operation)
            throws Exception {
        server.moveTo(HOST, port);
        var call = new CompoundArguments(CompoundClient.TAG, minorVersion, List.of(operation));
        var results =
                server.results(
                        Nfs4Binding.PROGRAM,
                        Nfs4Binding.VERSION,
                        Nfs4Binding.COMPOUND,
                        caller,
                        call::encode);
        var bytes = new byte[(int) results.remaining()];
        MemorySegment.ofArray(bytes).copyFrom(results.fixedOpaque(bytes.length));
        return CompoundClient.decode(bytes);
    }

    private static Arguments exchangeId(long verifier) {
        var owner = new ClientOwner(verifier, Nfs4Calls.name(NAME));
        return new SessionArguments.ExchangeId(
                owner, 0, new StateProtection.None(), Optional.empty());
    }

    private static Arguments createSession(SessionResult.ExchangeId client) {
        return new SessionArguments.CreateSession(
                client.clientId(),
                client.sequence(),
                0,
                CompoundClient.CHANNEL,
                CompoundClient.CHANNEL,
                1,
                List.of());
    }

    private static Arguments setClientId(long verifier) {
        var owner = new ClientOwner(verifier, Nfs4Calls.name(NAME));
        var nowhere =
                new LeaseArguments.CallbackPlace(
                        1, Nfs4Calls.name("tcp"), Nfs4Calls.name("192.0.2.7.8.1"));
        return new LeaseArguments.SetClientId(owner, nowhere, 1);
    }

    private SessionId session(int port, Credential caller, long verifier) throws Exception {
        var client =
                (SessionResult.ExchangeId)
                        send(port, caller, 2, exchangeId(verifier)).results().getFirst();
        var created =
                (SessionResult.CreateSession)
                        send(port, caller, 2, createSession(client)).results().getFirst();
        return created.session();
    }

    private Nfs4Status use(SessionId session, int sequence) throws Exception {
        var next = new SessionArguments.Sequence(session, sequence, 0, 0, false);
        return send(OF_ROOT, ROOT, 2, next).status();
    }

    @Test
    void onAHostWithSecureRulesAloneOnlyRootHasClients() throws Exception {
        serveSecureOnly();
        var session = session(OF_ROOT, ROOT, 1);
        var unused =
                (SessionResult.ExchangeId)
                        send(OF_ROOT, ROOT, 2, exchangeId(2)).results().getFirst();
        var given =
                (LeaseResult.SetClientId)
                        send(OF_ROOT, ROOT, 0, setClientId(3)).results().getFirst();
        var confirm = new LeaseArguments.SetClientIdConfirm(given.clientId(), given.verifier());
        assertEquals(Nfs4Status.CLID_INUSE, send(OF_USER, ROOT, 2, exchangeId(4)).status());
        assertEquals(Nfs4Status.CLID_INUSE, send(OF_USER, ROOT, 2, createSession(unused)).status());
        assertEquals(Nfs4Status.CLID_INUSE, send(OF_USER, ROOT, 0, setClientId(5)).status());
        assertEquals(Nfs4Status.CLID_INUSE, send(OF_USER, ROOT, 0, confirm).status());
        assertEquals(Nfs4Status.OK, use(session, 1));
    }

    /** Calls with Kerberos prove who they are from. */
    @Test
    void callsWithKerberosMayComeFromEachPort() throws Exception {
        serveSecureOnly();
        assertNotEquals(null, session(OF_USER, KERBEROS, 1));
    }

    @Test
    void besideASecureRuleTheNamesOfUsersAreNotThatOfTheHost() throws Exception {
        serveBoth();
        var session = session(OF_ROOT, ROOT, 1);
        session(OF_USER, ROOT, 2);
        assertEquals(Nfs4Status.OK, use(session, 1));
        session(OF_ROOT, ROOT, 3);
        assertEquals(Nfs4Status.BADSESSION, use(session, 2));
    }

    @Test
    void besideASecureRuleNoUserActsForAClientOfTheHost() throws Exception {
        serveBoth();
        var given =
                (LeaseResult.SetClientId)
                        send(OF_ROOT, ROOT, 0, setClientId(1)).results().getFirst();
        var confirm = new LeaseArguments.SetClientIdConfirm(given.clientId(), given.verifier());
        assertEquals(Nfs4Status.OK, send(OF_ROOT, ROOT, 0, confirm).status());
        var renew = new LeaseArguments.Renew(given.clientId());
        assertEquals(Nfs4Status.CB_PATH_DOWN, send(OF_USER, ROOT, 0, renew).status());
        assertEquals(Nfs4Status.OK, send(OF_ROOT, ROOT, 0, renew).status());
    }

    /** Where no rule believes ports, they tell nothing. */
    @Test
    void withoutSecureRulesAPortIsNoPlace() throws Exception {
        server = TestServer.of(List.of(export("/open", open, Ports.OWN_USER)));
        var session = session(OF_ROOT, ROOT, 1);
        session(OF_USER, ROOT, 2);
        assertEquals(Nfs4Status.BADSESSION, use(session, 1));
    }
}
