package io.github.rpcrdma4j.nfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.v4.Nfs4Binding;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundResult;
import io.github.rpcrdma4j.nfs.v4.operation.DataArguments;
import io.github.rpcrdma4j.nfs.v4.operation.HandleArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LeaseArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LeaseResult;
import io.github.rpcrdma4j.nfs.v4.operation.LockArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LockResult;
import io.github.rpcrdma4j.nfs.v4.operation.LockType;
import io.github.rpcrdma4j.nfs.v4.operation.OpenClaim;
import io.github.rpcrdma4j.nfs.v4.operation.OpenCreation;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: over RDMA with AUTH_SYS, no host acts for a client of version 4.0 of another host, not even
 * one that knows its client ID, its stateids and the sequences of its owners. Method: the hosts are
 * the loopback addresses of IPv4 and of IPv6.
 */
@Timeout(60)
class LeasesOfOthersTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final String HERE = "127.0.0.1";
    private static final String ELSEWHERE = "::1";

    /** The sequences of the owners that are next. */
    private static final int OPENING = 4;

    private static final int LOCKING = 1;

    private NfsServer nfs;
    private RpcRdmaServer server;

    private long id;
    private StateId open;
    private StateId locks;

    @BeforeEach
    void serve() throws Exception {
        var root = Jimfs.newFileSystem(Configuration.unix()).getPath("/exported");
        Files.createDirectory(root);
        Files.writeString(root.resolve("file"), "text");
        nfs = new NfsServer(List.of(new Export("/data", root, false)), new byte[32]);
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

    private static OpaqueName name(String text) {
        return OpaqueName.of(text.getBytes());
    }

    /** A user of a host who calls with version 4.0. */
    private final class Peer implements AutoCloseable {
        private final RpcRdmaClient connection;

        Peer(String host, int uid) throws Exception {
            var address =
                    new InetSocketAddress(InetAddress.ofLiteral(host), server.address().getPort());
            connection =
                    RpcRdmaClient.builder()
                            .credential(new Credential.Sys(0, "box", uid, uid, List.of()))
                            .binding(Nfs4Binding.BINDING)
                            .connect(address);
        }

        private CompoundResult send(List<Arguments> operations) throws Exception {
            var compound =
                    new CompoundArguments(OpaqueName.of(new byte[0]), 0, List.copyOf(operations));
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
            return send(List.of(operations)).results().getLast();
        }

        Nfs4Status status(Arguments... operations) throws Exception {
            return send(List.of(operations)).status();
        }

        /** Sends an operation on the file, or on its directory. */
        Result at(boolean isFile, Arguments operation) throws Exception {
            var all = new ArrayList<Arguments>();
            all.add(new HandleArguments.PutRootFh());
            all.add(new HandleArguments.Lookup(FileName.of("data")));
            if (isFile) {
                all.add(new HandleArguments.Lookup(FileName.of("file")));
            }
            all.add(operation);
            return send(all).results().getLast();
        }

        LeaseResult.SetClientId setClientId(long verifier) throws Exception {
            var nowhere = new LeaseArguments.CallbackPlace(1, name("tcp"), name("192.0.2.7.8.1"));
            var owner = new ClientOwner(verifier, name("Linux NFSv4.0 a"));
            return assertInstanceOf(
                    LeaseResult.SetClientId.class,
                    last(new LeaseArguments.SetClientId(owner, nowhere, 1)));
        }

        long connect(long verifier) throws Exception {
            var given = setClientId(verifier);
            var confirm = new LeaseArguments.SetClientIdConfirm(given.clientId(), given.verifier());
            assertEquals(Nfs4Status.OK, status(confirm));
            return given.clientId();
        }

        @Override
        public void close() {
            connection.close();
        }
    }

    private Arguments opening(String owner, int sequence) {
        return new StateArguments.Open(
                sequence,
                StateArguments.Open.BOTH,
                0,
                new StateOwner(id, name(owner)),
                new OpenCreation.None(),
                new OpenClaim.Name(FileName.of("file")));
    }

    /** Opens and locks the file: the owner of opens has used the sequences 1 to 3. */
    private void openAndLock(Peer client) throws Exception {
        id = client.connect(1);
        var opened =
                assertInstanceOf(StateResult.Open.class, client.at(false, opening("owner", 1)));
        var confirm = new StateArguments.OpenConfirm(opened.open(), 2);
        open = assertInstanceOf(StateResult.OpenConfirm.class, client.at(true, confirm)).open();
        var locker =
                new LockArguments.Locker.NewOwner(
                        OPENING - 1, open, 0, new StateOwner(id, name("locker")));
        var lock = new LockArguments.Lock(LockType.WRITE, false, 0, -1, locker);
        locks = assertInstanceOf(LockResult.Lock.class, client.at(true, lock)).lock();
    }

    private Arguments testing(long clientId, String owner) {
        return new LockArguments.LockT(LockType.WRITE, 0, 1, new StateOwner(clientId, name(owner)));
    }

    private LockArguments.Lock lockingAnew() {
        return new LockArguments.Lock(
                LockType.WRITE,
                false,
                0,
                1,
                new LockArguments.Locker.NewOwner(
                        OPENING, open, 0, new StateOwner(id, name("another"))));
    }

    /** Whole table: operations of version 4.0 that name a client, and what is owed elsewhere. */
    private Map<Arguments, Nfs4Status> naming() {
        var byId = Nfs4Status.STALE_CLIENTID;
        var byStateId = Nfs4Status.STALE_STATEID;
        var all = new LinkedHashMap<Arguments, Nfs4Status>();
        all.put(new LeaseArguments.Renew(id), Nfs4Status.CB_PATH_DOWN);
        all.put(new LeaseArguments.ReleaseLockOwner(new StateOwner(id, name("locker"))), byId);
        all.put(opening("owner", OPENING), byId);
        all.put(opening("new", 1), byId);
        all.put(testing(id, "locker"), byId);
        all.put(lockingAnew(), byId);
        all.put(
                new LockArguments.Lock(
                        LockType.READ,
                        false,
                        0,
                        1,
                        new LockArguments.Locker.Existing(locks, LOCKING)),
                byStateId);
        all.put(new LockArguments.LockU(LockType.WRITE, LOCKING, locks, 0, -1), byStateId);
        all.put(new StateArguments.OpenConfirm(open, OPENING), byStateId);
        all.put(new StateArguments.OpenDowngrade(open, OPENING, 1, 0), byStateId);
        all.put(new StateArguments.Close(OPENING, open), byStateId);
        all.put(new StateArguments.DelegReturn(open), byStateId);
        all.put(new DataArguments.Read(open, 0, 1), byStateId);
        all.put(new DataArguments.Read(locks, 0, 1), byStateId);
        return all;
    }

    private static boolean isOfFile(Arguments operation) {
        return !(operation instanceof StateArguments.Open);
    }

    @Test
    void whoKnowsAllOfAClientDoesNothingElsewhere() throws Exception {
        try (var client = new Peer(HERE, 0);
                var other = new Peer(ELSEWHERE, 0)) {
            openAndLock(client);
            for (var each : naming().entrySet()) {
                var result = other.at(isOfFile(each.getKey()), each.getKey());
                assertEquals(each.getValue(), result.status(), each.getKey()::toString);
            }
            // The sequences have not moved, the lock is there, and the client goes on.
            var unlock = new LockArguments.LockU(LockType.WRITE, LOCKING, locks, 0, -1);
            assertEquals(Nfs4Status.OK, client.at(true, unlock).status());
            var close = new StateArguments.Close(OPENING, open);
            assertEquals(Nfs4Status.OK, client.at(true, close).status());
        }
    }

    @Test
    void aLockTellsItsClientToNoOther() throws Exception {
        try (var client = new Peer(HERE, 0);
                var other = new Peer(ELSEWHERE, 0)) {
            openAndLock(client);
            long otherId = other.connect(2);
            var seen =
                    assertInstanceOf(
                            LockResult.Denied.class, other.at(true, testing(otherId, "any")));
            assertEquals(new StateOwner(0, name("locker")), seen.owner());
            var own = assertInstanceOf(LockResult.Denied.class, client.at(true, testing(id, "b")));
            assertEquals(new StateOwner(id, name("locker")), own.owner());
        }
    }

    @Test
    void aKeptReplyIsOfItsUser() throws Exception {
        try (var client = new Peer(HERE, 0);
                var user = new Peer(HERE, 1000)) {
            openAndLock(client);
            var repeated = opening("owner", OPENING);
            assertEquals(Nfs4Status.OK, client.at(false, repeated).status());
            assertEquals(Nfs4Status.OK, client.at(false, repeated).status());
            assertEquals(Nfs4Status.BAD_SEQID, user.at(false, repeated).status());
        }
    }

    @Test
    void aClientWithTwoAddressesUsesBoth() throws Exception {
        try (var first = new Peer(HERE, 0);
                var second = new Peer(ELSEWHERE, 0);
                var user = new Peer(ELSEWHERE, 1000)) {
            openAndLock(first);
            assertEquals(Nfs4Status.CB_PATH_DOWN, second.status(new LeaseArguments.Renew(id)));
            assertEquals(id, second.connect(1));
            assertEquals(Nfs4Status.OK, second.status(new LeaseArguments.Renew(id)));
            var read = new DataArguments.Read(open, 0, 1);
            for (var each : List.of(first, second)) {
                assertEquals(Nfs4Status.OK, each.at(true, read).status());
            }
            assertEquals(Nfs4Status.OK, user.status(new LeaseArguments.Renew(id)));
        }
    }
}
