package io.github.rpcrdma4j.nfs.server;

import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.at;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.getAttr;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.getFh;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.read;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.setAttr;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.server.export.Delegations;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.SetAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackCompound;
import io.github.rpcrdma4j.nfs.v4.operation.HandleResult;
import io.github.rpcrdma4j.nfs.v4.operation.LeaseArguments;
import io.github.rpcrdma4j.nfs.v4.operation.OpenClaim;
import io.github.rpcrdma4j.nfs.v4.operation.OpenCreation;
import io.github.rpcrdma4j.nfs.v4.operation.OpenDelegation;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments.Open;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.oncrpc.Credential;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: clients of version 4.0 get delegations if they can be called back at their own address (RFC
 * 7530, Sections 10.4 and 16.33).
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class Delegation40Test {
    private TestDirectory testDirectory;
    private TestServer server;
    private CallbackListener calls;
    private LeasedClient client;
    private LeasedClient other;

    @BeforeEach
    void serve() throws Exception {
        testDirectory = TestDirectory.of(TestDirectory.Kind.BASIC);
        Files.writeString(testDirectory.root().resolve("file"), "content");
        Files.writeString(testDirectory.root().resolve("first"), "");
        var export = new Export(TestServer.EXPORT, testDirectory.root(), false);
        server = TestServer.of(List.of(export.with(Delegations.EXCLUSIVE)));
        calls = new CallbackListener();
        other = LeasedClient.of(server, "other");
        client = LeasedClient.of(server, "client", calls.address());
        confirmOwner(client);
        confirmOwner(other);
    }

    /** The first OPEN of an owner has to be confirmed, and comes with no delegation. */
    private static void confirmOwner(LeasedClient of) throws Exception {
        var open = of.open("first", Open.READ, 0);
        of.last(at("first", of.closing(open)));
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        calls.close();
        testDirectory.close();
    }

    private static StateResult.Open opened(LeasedClient of, int access) throws Exception {
        var open = of.last(at("", of.opening("file", access, 0)));
        return assertInstanceOf(StateResult.Open.class, open);
    }

    private StateId delegated(int access) throws Exception {
        return switch (opened(client, access).delegation()) {
            case OpenDelegation.Read(var id, _, _, _) -> id;
            case OpenDelegation.Write(var id, _, _, _, _) -> id;
            case OpenDelegation.None _, OpenDelegation.Refused _ ->
                    throw new AssertionError("there is no delegation");
        };
    }

    private void giveBack(StateId delegation) throws Exception {
        client.last(at("file", new StateArguments.DelegReturn(delegation)));
    }

    private CallbackCompound call() throws Exception {
        var call = calls.received.poll(30, TimeUnit.SECONDS);
        assertNotNull(call, "no call came");
        return call;
    }

    @Test
    void aConfirmedOwnerGetsOneOnceTheClientHasAnswered() throws Exception {
        assertEquals(0, calls.probes.get());
        var unknown =
                new Open(
                        1,
                        Open.READ,
                        0,
                        client.owner("unknown"),
                        new OpenCreation.None(),
                        Nfs4Calls.claim("file"));
        var open = (StateResult.Open) client.last(at("", unknown));
        assertEquals(new OpenDelegation.None(), open.delegation());
        assertEquals(0, calls.probes.get(), "nothing would come of it");
        assertInstanceOf(OpenDelegation.Read.class, opened(client, Open.READ).delegation());
        assertEquals(1, calls.probes.get());
    }

    /** The client chooses the port, so any program of its host may get the call. */
    @Test
    void callsAreOfAUserWithoutRights() throws Exception {
        delegated(Open.READ);
        assertEquals(Nfs4Status.DELAY, other.status(at("file", write(StateId.ANONYMOUS, 0, "x"))));
        call();
        var caller = assertInstanceOf(Credential.Sys.class, calls.caller);
        assertEquals(65534, caller.uid());
        assertEquals(65534, caller.gid());
    }

    @Test
    @Tag("8167-3.1-1")
    @Tag("8267-6.5.1-1")
    void aRecallNamesTheClientByItsNumber() throws Exception {
        client.ident = 4711;
        client.connect();
        var delegation = delegated(Open.READ);
        var change = at("file", write(StateId.ANONYMOUS, 0, "x"));
        assertEquals(Nfs4Status.DELAY, other.status(change));
        var call = call();
        assertEquals(0, call.minorVersion());
        assertEquals(4711, call.ident());
        var handle = (HandleResult.GetFh) client.last(at("file", getFh()));
        assertEquals(
                List.of(new CallbackArguments.Recall(delegation, false, handle.handle())),
                call.callbacks());
        giveBack(delegation);
        assertEquals(Nfs4Status.OK, other.status(change));
    }

    @Test
    void theClientItselfGoesOn() throws Exception {
        var delegation = delegated(Open.READ);
        client.last(at("file", read(delegation, 0, 100)));
        client.last(at("file", getAttr(Attribute.SIZE, Attribute.CHANGE)));
        var writing = opened(client, Open.WRITE).open();
        client.last(at("file", write(writing, 0, "more")));
        client.last(at("file", setAttr(writing, SetAttributes.ofSize(5))));
        var name = ((OpenClaim.Name) Nfs4Calls.claim("file")).name();
        var again =
                new Open(
                        1,
                        Open.READ,
                        0,
                        client.owner("second"),
                        new OpenCreation.None(),
                        new OpenClaim.DelegatedName(delegation, name));
        var open = (StateResult.Open) client.last(at("", again));
        assertEquals(StateResult.Open.LOCKTYPE_POSIX, open.flags(), "it needs no confirmation");
        client.last(at("file", read(open.open(), 0, 100)));
        assertEquals(0, calls.received.size());
    }

    /** GETATTR of version 4.0 does not say whether the writer itself asks. */
    @Test
    void aWriterGetsNone() throws Exception {
        assertEquals(new OpenDelegation.None(), opened(client, Open.BOTH).delegation());
        client.last(at("file", getAttr(Attribute.SIZE, Attribute.CHANGE)));
        assertEquals(0, calls.received.size());
    }

    /** A client would otherwise have the server connect to where it wants. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "tcp 192.0.2.7.8.1",
                "tcp 127.0.0.2.%s",
                "tcp 0.0.0.0.%s",
                "tcp6 127.0.0.1.%s",
                "udp 127.0.0.1.%s",
                "rdma 127.0.0.1.%s",
                "tcp 127.0.0.1.0.0",
                "tcp 127.0.0.1.%s.1",
                "tcp localhost.%s",
                "tcp6 ::1.%s",
                "tcp "
            })
    void addressesThatAreNotTheCallersAreNotUsed(String place) throws Exception {
        var port = calls.address().substring("127.0.0.1.".length());
        var words = place.formatted(port).split(" ", -1);
        client.netId = words[0];
        client.address = words[1];
        client.connect();
        assertEquals(new OpenDelegation.None(), opened(client, Open.READ).delegation());
        assertEquals(0, calls.probes.get());
    }

    @Test
    void aClientThatIsCalledByIpv6GetsOne() throws Exception {
        try (var six = listenAtIpv6()) {
            server.moveTo("::1");
            client.netId = "tcp6";
            client.address = six.address();
            client.connect();
            confirmOwner(client);
            var delegation = delegated(Open.READ);
            assertEquals(1, six.probes.get());
            var change = at("file", write(StateId.ANONYMOUS, 0, "x"));
            assertEquals(Nfs4Status.DELAY, other.status(change));
            assertNotNull(six.received.poll(30, TimeUnit.SECONDS), "no call came");
            giveBack(delegation);
        }
        assertEquals(0, calls.probes.get());
    }

    private static CallbackListener listenAtIpv6() {
        try {
            return new CallbackListener(InetAddress.ofLiteral("::1"));
        } catch (IOException none) {
            return abort("this host has no IPv6: " + none.getMessage());
        }
    }

    /** A server that listens on all addresses sees clients of IPv4 so. */
    @Test
    void aClientWithAMappedAddressIsOneOfIpv4() throws Exception {
        server.moveTo("::ffff:127.0.0.1");
        delegated(Open.READ);
    }

    @Test
    void aPortThatDoesNotAnswerCostsOneTry() throws Exception {
        try (var silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int port = silent.getLocalPort();
            client.address = "127.0.0.1." + (port >> 8) + "." + (port & 0xff);
            client.connect();
            assertEquals(new OpenDelegation.None(), opened(client, Open.READ).delegation());
            silent.accept().close();
            silent.setSoTimeout(1);
            assertEquals(new OpenDelegation.None(), opened(client, Open.READ).delegation());
            assertThrows(SocketTimeoutException.class, silent::accept);
        }
        // With a new place it is tried at once.
        client.address = calls.address();
        client.connect();
        delegated(Open.READ);
    }

    /** RFC 7530, Section 16.28. */
    @Test
    void renewTellsThatTheClientCannotBeReached() throws Exception {
        var renew = new LeaseArguments.Renew(client.id);
        var delegation = delegated(Open.READ);
        calls.close();
        client.last(renew);
        assertEquals(Nfs4Status.DELAY, other.status(at("file", write(StateId.ANONYMOUS, 0, "x"))));
        var status = Nfs4Status.OK;
        while (status == Nfs4Status.OK) {
            status = client.status(renew);
        }
        assertEquals(Nfs4Status.CB_PATH_DOWN, status);
        giveBack(delegation);
        client.last(renew);
    }

    @Test
    void aNewPlaceIsUsedFromTheConfirmationOn() throws Exception {
        var delegation = delegated(Open.READ);
        try (var newer = new CallbackListener()) {
            client.address = newer.address();
            client.last(client.setClientId(1));
            assertEquals(
                    Nfs4Status.DELAY, other.status(at("file", write(StateId.ANONYMOUS, 0, "x"))));
            assertNotNull(call());
            client.connect();
            // It is called again while others wait.
            while (newer.received.isEmpty()) {
                assertEquals(
                        Nfs4Status.DELAY,
                        other.status(at("file", write(StateId.ANONYMOUS, 0, "x"))));
            }
            assertTrue(calls.received.isEmpty());
        }
        giveBack(delegation);
    }

    @Test
    void aClientWithoutAPlaceHasNone() throws Exception {
        assertEquals(new OpenDelegation.None(), opened(other, Open.READ).delegation());
        other.last(new LeaseArguments.Renew(other.id));
    }
}
