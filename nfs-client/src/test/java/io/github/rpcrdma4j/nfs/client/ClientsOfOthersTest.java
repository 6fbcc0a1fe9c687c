package io.github.rpcrdma4j.nfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.server.Nfs4Options;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.users.KerberosUsers;
import io.github.rpcrdma4j.nfs.v4.Nfs4Binding;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundResult;
import io.github.rpcrdma4j.nfs.v4.operation.HandleArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LeaseArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LeaseResult;
import io.github.rpcrdma4j.nfs.v4.operation.OpenClaim;
import io.github.rpcrdma4j.nfs.v4.operation.OpenCreation;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments;
import io.github.rpcrdma4j.nfs.v4.operation.SessionResult;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateProtection;
import io.github.rpcrdma4j.nfs.v4.type.ChannelAttributes;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.SessionId;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: over RDMA with AUTH_SYS, a host that knows the name and the verifier of a client of another
 * host is not that client, and cannot try many of them. Method: the hosts are the loopback
 * addresses of IPv4 and of IPv6.
 */
@Timeout(60)
class ClientsOfOthersTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final String HERE = "127.0.0.1";
    private static final String ELSEWHERE = "::1";
    private static final long VERIFIER = 1_764_300_000_123_456_789L;
    private static final ChannelAttributes CHANNEL =
            new ChannelAttributes(0, 1 << 16, 1 << 16, 4096, 16, 4, OptionalInt.empty());

    @TempDir Path records;
    private Export export;
    private NfsServer nfs;
    private RpcRdmaServer server;

    @BeforeEach
    void serve() throws Exception {
        var root = Jimfs.newFileSystem(Configuration.unix()).getPath("/exported");
        Files.createDirectory(root);
        Files.writeString(root.resolve("file"), "text");
        export = new Export("/data", root, false);
        start();
    }

    private void start() throws Exception {
        var options =
                new Nfs4Options(
                        Duration.ofSeconds(60), Duration.ofSeconds(60), Optional.of(records), "");
        nfs = new NfsServer(List.of(export), new byte[32], KerberosUsers.NONE, options);
        server =
                RpcRdmaServer.builder()
                        .address(new InetSocketAddress("::", 0))
                        .programs(nfs.programs())
                        .start();
    }

    @AfterEach
    void stop() {
        server.close();
        nfs.close();
    }

    private static ClientOwner owner(long verifier) {
        return new ClientOwner(verifier, OpaqueName.of("Linux NFSv4.2 a".getBytes()));
    }

    private static SessionArguments.ExchangeId exchangeId(long verifier) {
        return new SessionArguments.ExchangeId(
                owner(verifier), 0, new StateProtection.None(), Optional.empty());
    }

    private static LeaseArguments.SetClientId setClientId(long verifier) {
        var nowhere =
                new LeaseArguments.CallbackPlace(
                        1,
                        OpaqueName.of("tcp".getBytes()),
                        OpaqueName.of("192.0.2.7.8.1".getBytes()));
        return new LeaseArguments.SetClientId(owner(verifier), nowhere, 1);
    }

    /** A user of a host. */
    private final class Peer implements AutoCloseable {
        private final RpcRdmaClient connection;
        private final int minorVersion;
        private SessionId session;
        private int sequence;

        Peer(String host, int minorVersion) throws Exception {
            this.minorVersion = minorVersion;
            var address =
                    new InetSocketAddress(InetAddress.ofLiteral(host), server.address().getPort());
            connection =
                    RpcRdmaClient.builder()
                            .credential(new Credential.Sys(0, "box", 0, 0, List.of()))
                            .binding(Nfs4Binding.BINDING)
                            .connect(address);
        }

        CompoundResult send(Arguments... operations) throws Exception {
            var compound =
                    new CompoundArguments(
                            OpaqueName.of(new byte[0]), minorVersion, List.of(operations));
            var call =
                    new RpcCall(
                            Nfs4Binding.PROGRAM,
                            Nfs4Binding.VERSION,
                            Nfs4Binding.COMPOUND,
                            compound::encode,
                            4096);
            try (var reply = connection.call(call, TIMEOUT)) {
                return CompoundResult.decode(reply.results());
            }
        }

        Result last(Arguments... operations) throws Exception {
            return send(operations).results().getLast();
        }

        SessionResult.ExchangeId exchange(long verifier) throws Exception {
            return assertInstanceOf(SessionResult.ExchangeId.class, last(exchangeId(verifier)));
        }

        Result create(long clientId, int sequence) throws Exception {
            return last(
                    new SessionArguments.CreateSession(
                            clientId, sequence, 0, CHANNEL, CHANNEL, 1, List.of()));
        }

        /** Makes a client with a session. */
        SessionResult.ExchangeId connect(long verifier) throws Exception {
            var exchanged = exchange(verifier);
            sequence = 0;
            session =
                    assertInstanceOf(
                                    SessionResult.CreateSession.class,
                                    create(exchanged.clientId(), exchanged.sequence()))
                            .session();
            return exchanged;
        }

        /** Makes a client of version 4.0, or makes its address known. */
        long lease(long verifier) throws Exception {
            var given =
                    assertInstanceOf(LeaseResult.SetClientId.class, last(setClientId(verifier)));
            var confirm = new LeaseArguments.SetClientIdConfirm(given.clientId(), given.verifier());
            assertEquals(Nfs4Status.OK, send(confirm).status());
            return given.clientId();
        }

        SessionArguments.Sequence sequence() {
            return new SessionArguments.Sequence(session, ++sequence, 0, 0, false);
        }

        Nfs4Status complete() throws Exception {
            return send(sequence(), new SessionArguments.ReclaimComplete(false)).status();
        }

        /** Reclaims an open of the file. */
        Nfs4Status reclaim() throws Exception {
            var open =
                    new StateArguments.Open(
                            0,
                            StateArguments.Open.BOTH,
                            StateArguments.Open.BOTH,
                            new StateOwner(0, OpaqueName.of("owner".getBytes())),
                            new OpenCreation.None(),
                            new OpenClaim.Previous(0));
            return send(
                            sequence(),
                            new HandleArguments.PutRootFh(),
                            new HandleArguments.Lookup(FileName.of("data")),
                            new HandleArguments.Lookup(FileName.of("file")),
                            open)
                    .status();
        }

        Nfs4Status use() throws Exception {
            return send(sequence()).status();
        }

        @Override
        public void close() {
            connection.close();
        }
    }

    @Test
    void aCompoundNamesOneClient() throws Exception {
        try (var peer = new Peer(HERE, 2)) {
            peer.connect(VERIFIER);
            var all = peer.send(peer.sequence(), exchangeId(VERIFIER), exchangeId(VERIFIER + 1));
            assertEquals(Nfs4Status.TOO_MANY_OPS, all.status());
            assertEquals(3, all.results().size());
            assertEquals(Nfs4Status.OK, peer.use());
        }
        try (var peer = new Peer(HERE, 0)) {
            var all = peer.send(setClientId(VERIFIER), setClientId(VERIFIER + 1));
            assertEquals(Nfs4Status.RESOURCE, all.status());
            assertEquals(2, all.results().size());
            assertEquals(Nfs4Status.OK, peer.send(setClientId(VERIFIER)).status());
        }
    }

    /** Both versions with sessions: the second host knows all but the session ID. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void whoKnowsTheVerifierAndTheClientIdIsNotTheClient(int minorVersion) throws Exception {
        try (var client = new Peer(HERE, minorVersion);
                var other = new Peer(ELSEWHERE, minorVersion)) {
            var own = client.connect(VERIFIER);
            assertEquals(Nfs4Status.OK, client.use());
            var told = other.exchange(VERIFIER);
            assertEquals(own.clientId(), told.clientId());
            var retry = other.create(own.clientId(), own.sequence());
            assertEquals(Nfs4Status.STALE_CLIENTID, retry.status());
            var next = other.create(told.clientId(), told.sequence());
            assertEquals(Nfs4Status.STALE_CLIENTID, next.status());
            var destroy = new SessionArguments.DestroyClientId(own.clientId());
            assertEquals(Nfs4Status.STALE_CLIENTID, other.last(destroy).status());
            // As a client does then, it asks anew, and gets a client of its own.
            var its = other.connect(VERIFIER);
            assertNotEquals(own.clientId(), its.clientId());
            assertEquals(Nfs4Status.OK, other.use());
            assertEquals(Nfs4Status.OK, client.use());
        }
    }

    /** A client may have several addresses, or another one than before. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aClientUsesItsSessionFromAnotherAddress(int minorVersion) throws Exception {
        try (var client = new Peer(HERE, minorVersion);
                var moved = new Peer(ELSEWHERE, minorVersion)) {
            var own = client.connect(VERIFIER);
            var told = moved.exchange(VERIFIER);
            assertEquals(own.clientId(), told.clientId());
            moved.session = client.session;
            assertEquals(Nfs4Status.OK, moved.use());
            var more = moved.create(told.clientId(), told.sequence());
            assertEquals(Nfs4Status.OK, more.status());
        }
    }

    @Test
    void ofVersion40TheClientIdIsNeededToo() throws Exception {
        try (var client = new Peer(HERE, 0);
                var other = new Peer(ELSEWHERE, 0)) {
            long id = client.lease(VERIFIER);
            assertNotEquals(id, other.lease(VERIFIER));
            assertEquals(Nfs4Status.OK, client.send(new LeaseArguments.Renew(id)).status());
        }
        try (var client = new Peer(HERE, 0);
                var moved = new Peer(ELSEWHERE, 0)) {
            long id = client.lease(VERIFIER + 1);
            assertNotEquals(id, moved.lease(VERIFIER + 2));
            assertEquals(
                    Nfs4Status.CB_PATH_DOWN, moved.send(new LeaseArguments.Renew(id)).status());
            assertEquals(id, moved.lease(VERIFIER + 1));
            assertEquals(Nfs4Status.OK, moved.send(new LeaseArguments.Renew(id)).status());
        }
    }

    @Test
    void whoTriesManyVerifiersIsToldNothing() throws Exception {
        try (var client = new Peer(HERE, 2);
                var other = new Peer(ELSEWHERE, 2)) {
            var own = client.connect(VERIFIER);
            assertEquals(own.clientId(), other.exchange(VERIFIER).clientId());
            for (int i = 1; i <= 17; i++) {
                assertNotEquals(own.clientId(), other.exchange(VERIFIER + i).clientId());
            }
            assertNotEquals(own.clientId(), other.exchange(VERIFIER).clientId());
        }
    }

    @Test
    void nobodyReclaimsInPlaceOfTheClient() throws Exception {
        try (var client = new Peer(HERE, 2)) {
            client.connect(VERIFIER);
            assertEquals(Nfs4Status.OK, client.complete());
        }
        stop();
        start();
        try (var client = new Peer(HERE, 2);
                var other = new Peer(ELSEWHERE, 2)) {
            other.connect(VERIFIER);
            assertEquals(Nfs4Status.OK, other.reclaim(), "it may be the client");
            assertEquals(Nfs4Status.OK, other.complete());
            client.connect(VERIFIER);
            assertEquals(Nfs4Status.OK, client.reclaim());
            assertEquals(Nfs4Status.BADSESSION, other.use());
            var told = other.exchange(VERIFIER);
            var refused = other.create(told.clientId(), told.sequence());
            assertEquals(Nfs4Status.STALE_CLIENTID, refused.status());
            other.connect(VERIFIER);
            assertEquals(Nfs4Status.RECLAIM_BAD, other.reclaim());
        }
    }
}
